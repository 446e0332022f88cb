// SPDX-License-Identifier: GPL-3.0-or-later
// Determines which files form a job, and the rank and capture of each file. Evidence for the rank, strongest
// first: metadata of the file; rank recorded by its collectives; file name; original name in traceName;
// folder; device; process groups; position among the other files. The file's note reports what was guessed,
// excluded or contradictory. No two files get the same rank and capture of a job. Pure functions,
// thread-safe; the result does not depend on the order of the input. Cost: O(n log n) for n files, plus jobs
// squared.
#pragma once

#include "core/io/placement/file_facts.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// metadata, name, folder, content, guess, environment, nccl or device.
[[nodiscard]] std::string_view rankSourceText(RankSource source);

struct FilePlacement {
  int job = -1;            // from 0, the largest job first; -1 if excluded
  std::optional<int> rank; // empty if excluded
  int capture = 0;         // from 1, the same cycle on all ranks of a job; 0 if excluded
  RankSource from = RankSource::Guess;
  std::string host; // empty if unknown
  std::string note; // for the user; may be empty
  bool operator==(const FilePlacement&) const = default;
};

// One placement per file, in the order of `files`. Jobs are sorted by number of ranks, number of events (both
// descending), path.
[[nodiscard]] std::vector<FilePlacement> placeFiles(std::span<const FileFacts> files);

} // namespace rankscope
