// SPDX-License-Identifier: GPL-3.0-or-later
// One side of a pair, opened once for all comparisons.
#pragma once

#include "core/analysis/compare/side_facts.h"
#include "core/analysis/job/analysis.h"
#include "tests/peers/compare_diffs.h"
#include "tests/peers/peer_file.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::peers {

struct OpenSide {
  std::shared_ptr<const TraceSet> job;
  std::shared_ptr<const Analysis> analysis; // of all steps
  RankIndex rank;
  SideFacts facts; // of the rank, as sums
  PeerFile file;

  // Whether a time lies in one of the steps that Compare adds up.
  [[nodiscard]] bool isInSteps(TimeNs t) const;
};

struct OpenPair {
  std::string name;
  std::filesystem::path oracles;
  OpenSide a;
  OpenSide b;

  [[nodiscard]] const OpenSide& side(bool ofB) const { return ofB ? b : a; }
};

void compareTraceDiff(const OpenPair& pair, std::vector<Comparison>& to);       // HTA
void compareTensorBoardDiff(const OpenPair& pair, std::vector<Comparison>& to); // tb_*_ops, tb_*_tree

} // namespace rankscope::peers
