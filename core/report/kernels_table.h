// SPDX-License-Identifier: GPL-3.0-or-later
// What the devices spent their time on, as tables for people: as the `kernels` table has it, summed over
// recordings, or split by a detail of the calls (what launched them). Rows of a split
// table sum to those by name. Costs a pass over the device events.
#pragma once

#include "core/export/result_table.h"
#include "core/report/rank_rows.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

// What distinguishes device events of one name.
struct KernelDetails {
  std::string column; // what the table's column is called: "operator"
  // By RankIndex, then by device event: a number of texts. Empty for ranks that are not in scope.
  std::vector<std::vector<std::uint32_t>> ofEvents;
  std::vector<std::string> texts{std::string()}; // the first one, empty: nothing is known

  [[nodiscard]] bool known() const { return texts.size() > 1; }
};

// The operator that launched each.
[[nodiscard]] KernelDetails launchingOperators(const Analysis& analysis);

// With the column of the details after the name; without details as kernelsTable and
// kernelTotalsTable.
[[nodiscard]] ResultTable kernelRowsTable(const Analysis& analysis, const RankRows& rows,
                                          const KernelDetails* details = nullptr);

} // namespace rankscope
