// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the trace files that the given paths refer to; folders are searched recursively. Each file is found
// once, even through several links. The order is deterministic. Files that look like a trace but are not are
// listed with the reason. Only names and file types are examined; whether a file contains a trace is decided
// by its reader. Blocks on file system calls; thread-safe. Cost: a few system calls per folder entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct DiscoveredFile {
  std::string path;         // path to open and show: as given, or below the given folder
  std::string relativePath; // relative to the given folder, or to the common folder of several paths; '/'
  std::uint64_t bytes = 0;
  std::optional<int> rank = {}; // as known before it is read, where ranks were chosen by that
  bool operator==(const DiscoveredFile&) const = default;
};

struct DiscoveryProblem {
  std::string path;
  std::string reason;
  bool notATrace = false; // its name shows that it is another kind of file
  bool operator==(const DiscoveryProblem&) const = default;
};

// Files of searched folders that no name tells to be of use here: the first of them in natural order.
struct OtherFiles {
  static constexpr std::size_t kNamed = 100;
  std::vector<std::string> paths; // at most kNamed
  std::uint64_t count = 0;        // with those that are not named
  void add(OtherFiles more);
};

struct Discovery {
  std::vector<DiscoveredFile> files;      // in natural order of relativePath: rank2 before rank10
  std::vector<DiscoveryProblem> problems; // in natural order of path
  std::vector<std::string> beside;        // files in folders of which `beside` below said yes
  std::vector<std::string> unpacked;      // folders that archives were unpacked into
  std::set<int> leftOut;                  // ranks that were found and not chosen
  OtherFiles others;                      // of all other names
};

// What the name of a file in a searched folder says.
struct NameUse {
  bool ending = false;     // it ends like a trace
  std::string_view reason; // why it is not opened all the same; empty if it may be a trace
  [[nodiscard]] bool mayBeTrace() const { return ending && reason.empty(); }
};
[[nodiscard]] NameUse useOfName(std::string_view fileName, std::span<const std::string_view> endings);

// Files given by name are always included. In folders, files whose names end in one of `endings` (lower case;
// names are compared without case) are included, except those whose names indicate another kind of file.
// beside: whether a file with this name in a folder is listed as well, though no trace ends like it.
[[nodiscard]] Discovery searchForFiles(std::span<const std::string> paths,
                                       std::span<const std::string_view> endings,
                                       bool (*beside)(std::string_view fileName) = nullptr);

// The rest of the name of an NCCL Flight Recorder dump: "3" for "nccl_trace_rank_3". Empty for other files.
[[nodiscard]] std::optional<std::string_view> afterFlightRecorderPrefix(std::string_view fileName);
inline constexpr std::string_view kFlightRecorderReason = "a Flight Recorder dump, not a profiler trace";

} // namespace rankscope
