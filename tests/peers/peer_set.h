// SPDX-License-Identifier: GPL-3.0-or-later
// One set of recordings, opened once for all comparisons.
#pragma once

#include "core/analysis/job/analysis.h"
#include "tests/peers/figures.h"
#include "tests/peers/oracle_table.h"
#include "tests/peers/peer_file.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::peers {

struct PeerSet {
  std::string name;
  std::filesystem::path oracles; // the folder of the set's tables
  std::shared_ptr<const TraceSet> job;
  std::unique_ptr<const Analysis> analysis;
  std::vector<PeerFile> files; // by rank and capture
  std::string onlyTable;       // empty: all

  [[nodiscard]] CsvTable table(const std::string& tableName) const {
    if (!onlyTable.empty() && onlyTable != tableName) return {};
    return readCsv(oracles / (tableName + ".csv"));
  }
};

void compareHta(const PeerSet& set, std::vector<Comparison>& to);
void compareTensorBoard(const PeerSet& set, std::vector<Comparison>& to);

} // namespace rankscope::peers
