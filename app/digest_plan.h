// SPDX-License-Identifier: GPL-3.0-or-later
// Which process reads which file, and what that takes of its memory and time, before anything is read.
#pragma once

#include "app/digest_team.h"
#include "core/io/files/trace_folder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

// A file of the job, and who reads it.
struct DigestFile {
  DiscoveredFile found; // as shown: with its host where hosts have files of their own
  std::string path;     // to open it
  std::size_t process = 0;
};

// Deals files to the processes of their host, the longest first, each to the process with the least bytes.
// processes: by file.
void dealFiles(std::vector<DigestFile>& files, std::span<const std::vector<std::size_t>> processes,
               std::size_t processCount);

// What the files of a process take.
struct ProcessPlan {
  std::string host;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t textBytes = 0;
  std::uint64_t memory = 0; // at most, while they are read and asked
  std::uint64_t threads = 1;
  std::optional<std::uint64_t> available; // of the host's memory
  std::uint64_t opened = 0;               // of the memory: for the digests of all ranks
  [[nodiscard]] double seconds() const;
};

// Without the digests of all ranks. keepEvents: what was read need not stay in memory.
[[nodiscard]] ProcessPlan planOf(std::span<const std::string> paths, const std::string& host,
                                 unsigned threads, bool keepEvents);
// Each process has the digests of all ranks in the end. plans: of all processes.
void addOpenedRanks(std::span<ProcessPlan> plans);
[[nodiscard]] std::string packedPlan(const ProcessPlan& plan);
[[nodiscard]] ProcessPlan unpackedPlan(const std::string& bytes);

// A table with a line per process.
[[nodiscard]] std::string planText(std::span<const ProcessPlan> plans);
// Of the first host whose processes need more memory than it has; empty if all fit.
[[nodiscard]] std::string shortageText(std::span<const ProcessPlan> plans);

} // namespace rankscope
