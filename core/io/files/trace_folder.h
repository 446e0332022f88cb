// SPDX-License-Identifier: GPL-3.0-or-later
// Which files on disk a user means by the paths given: trace files, and folders searched deep for them.
// Each real file is found once, whatever links lead to it, in an order that does not depend on the folder's
// own; what looked like a trace but is none is named with the reason, never passed over silently. It touches
// names and kinds of files only; whether one holds a trace is decided by its reader. Blocks on the file
// system; safe on any thread. Cost: a few system calls per folder entry.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct DiscoveredFile {
  std::string path;         // as it is to be opened and shown: the given path, or below the given folder
  std::string relativePath; // from the given folder, or with several paths from the folder they share; '/'
  std::uint64_t bytes = 0;
  bool operator==(const DiscoveredFile&) const = default;
};

struct DiscoveryProblem {
  std::string path;
  std::string reason;
  bool notATrace = false; // by its name it is something else
  bool operator==(const DiscoveryProblem&) const = default;
};

struct Discovery {
  std::vector<DiscoveredFile> files;      // in natural order of relativePath: rank2 before rank10
  std::vector<DiscoveryProblem> problems; // in natural order of path
};

// A file given by name is taken whatever it is called. In folders, files whose names end in one of the
// endings are taken (these in lower case, names in any), except those whose name indicates that they are of
// another kind.
[[nodiscard]] Discovery searchForFiles(std::span<const std::string> paths,
                                       std::span<const std::string_view> endings);

// What follows in the name of a dump of NCCL's Flight Recorder: "3" of "nccl_trace_rank_3"; nothing in
// another.
[[nodiscard]] std::optional<std::string_view> afterFlightRecorderPrefix(std::string_view fileName);
inline constexpr std::string_view kFlightRecorderReason = "a Flight Recorder dump, not a profiler trace";

} // namespace rankscope
