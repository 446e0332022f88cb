// SPDX-License-Identifier: GPL-3.0-or-later
// Figures that other tools give when they compare two recordings (HTA's TraceDiff, the TensorBoard plugin's
// Diff), set beside those of Compare and explained: equal, or which of the tool's rules lead from ours to
// theirs. The tables lie at FOLDER/oracles/compare, the recordings below FOLDER.
#pragma once

#include "tests/peers/compare_peers.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::peers {

// Recordings of one job, and the rank of it that is compared.
struct DiffSide {
  std::vector<std::string> paths; // below FOLDER
  int rank = -1;                  // -1: the first
};

struct DiffPair {
  std::string name;
  DiffSide a;
  DiffSide b;
};

// The pairs that there are tables of.
[[nodiscard]] std::vector<DiffPair> diffPairs();

[[nodiscard]] SetComparison compareDiffs(const std::filesystem::path& folder, const DiffPair& pair);

} // namespace rankscope::peers
