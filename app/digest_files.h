// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a job that the processes of a digest agree on, and who reads which.
#pragma once

#include "app/digest_options.h"
#include "app/digest_plan.h"
#include "app/digest_team.h"
#include "core/io/files/trace_folder.h"

#include <cstddef>
#include <string>
#include <vector>

namespace rankscope {

// The files of the job, in its order.
struct JobFiles {
  std::vector<DigestFile> files;
  std::vector<std::size_t> own;   // those that this process reads, ascending
  Discovery discovery;            // at the first process: the same files, and what was found beside them
  std::vector<DigestFile> beside; // memory snapshots, dumps and timelines by their names, in natural order
  std::vector<DigestFile> logs;   // of NCCL, with --local, by host
  std::vector<std::string> notes;

  // To open the files of this process.
  [[nodiscard]] std::vector<std::string> ownPaths() const;
};

// Every process gets the same list. Without files of its own on each host, the first process lists them.
[[nodiscard]] JobFiles agreedFiles(const DigestOptions& options, DigestTeam& team);

} // namespace rankscope
