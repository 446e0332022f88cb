// SPDX-License-Identifier: GPL-3.0-or-later
// Which files are one job, and which rank and capture each file is. Evidence counts in this order: the rank
// in the file's metadata, the rank its collectives record, its name, the name it was written under, its
// folder, its device, the process groups it took part in, and last its place among the others; whatever was
// guessed, left out or contradicted is reported in the file's note. Two files never become the same capture
// of the same rank of a job. Pure functions, safe on any thread; the answer does not depend on the order of
// the input. Cost: n log n for n files, and jobs squared.
#pragma once

#include "core/io/placement/file_facts.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// metadata, name, folder, content or guess.
[[nodiscard]] std::string_view rankSourceText(RankSource source);

struct FilePlacement {
  int job = -1;            // from 0, the largest first; -1: left out
  std::optional<int> rank; // empty when left out
  int capture = 0;         // from 1, the same cycle on all ranks of a job; 0 when left out
  RankSource from = RankSource::Guess;
  std::string host; // empty when unknown
  std::string note; // human-readable; may be empty
  bool operator==(const FilePlacement&) const = default;
};

// One placement for each file, in the order of files. Jobs are ordered by ranks, then events (both most
// first), then path.
[[nodiscard]] std::vector<FilePlacement> placeFiles(std::span<const FileFacts> files);

} // namespace rankscope
