// SPDX-License-Identifier: GPL-3.0-or-later
// What a process of a digest has of the job while it is made: its own ranks with their events and, at the
// first process, the digests of all. For the thread that communicates.
#pragma once

#include "app/digest_team.h"
#include "core/analysis/collectives/job_collectives.h"
#include "core/analysis/job/analysis.h"
#include "core/io/digest/digest_file.h"
#include "core/model/trace_set.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rankscope {

// A recording as the first process placed it in the job.
struct PlacedRecording {
  std::uint64_t file = 0; // of the job's
  std::uint64_t recording = 0;
  std::uint64_t rank = 0; // index in the job
  int number = 0;
  int capture = 1;
  std::string host;
  std::string gpu;
  TimeNs baseTime = 0;
  FileRecord record;
};

struct DigestWork {
  DigestTeam& team;
  unsigned threads = 1;
  std::vector<PlacedRecording> placed;                // recordings of this process, by rank of the job
  std::unique_ptr<const Analysis> analysis;           // of them, in that order; null before they are reduced
  DigestJob digest;                                   // whole at the first process
  std::vector<std::size_t> processOf;                 // by rank of the job, at the first process
  std::shared_ptr<const ToldCollectives> collectives; // of the job, if processes matched them together
  std::vector<std::string> flights; // DigestJob::flights, which nothing asks before it is written
  std::string nothingRead;          // why there is no rank, at the first process

  [[nodiscard]] bool first() const { return team.index() == 0; }
  // The first process's code, for all.
  [[nodiscard]] int agreed(int code) const;
  // The first process takes what each process made of its ranks. own: by `placed`.
  void collect(const std::vector<std::string>& own, std::shared_ptr<const std::string> DigestEntry::*member);
};

} // namespace rankscope
