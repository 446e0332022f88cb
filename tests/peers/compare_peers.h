// SPDX-License-Identifier: GPL-3.0-or-later
// Every figure that two other tools computed for a set of recordings, set beside ours and explained: equal,
// or which of the tool's rules lead from ours to theirs. The tables lie at FOLDER/oracles/SET/*.csv, the
// recordings at FOLDER/traces/SET.
#pragma once

#include "tests/peers/figures.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::peers {

// Names of the sets that have both, in order; empty without such a folder.
[[nodiscard]] std::vector<std::string> comparableSets(const std::filesystem::path& folder);

struct SetComparison {
  std::vector<Comparison> figures;
  std::vector<std::string> faults; // where a recording says something else than its file, or none opened
};

// table: compares only that one ("hta_temporal"); all when empty.
[[nodiscard]] SetComparison comparePeers(const std::filesystem::path& folder, const std::string& set,
                                         const std::string& table = {});

} // namespace rankscope::peers
