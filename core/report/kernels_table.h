// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of device time by kernel for display: by rank like the `kernels` table, summed over recordings, or
// split by a detail of the calls, such as the launching operator. Rows of a split table add up to those by
// name. A pass over device events.
#pragma once

#include "core/analysis/stacks/call_groups.h"
#include "core/export/result_table.h"
#include "core/report/recording_rows.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

// A detail that splits device events of one name.
struct KernelDetails {
  std::string column; // name of the table's column: "operator"
  // By RankIndex and device event: index into texts. Empty for ranks out of scope.
  std::vector<std::vector<std::uint32_t>> ofEvents;
  std::vector<std::string> texts{std::string()}; // the first text is that of unknown: empty, "[no module]"

  [[nodiscard]] bool known() const { return texts.size() > 1; }
};

// Splits by launching operator.
[[nodiscard]] KernelDetails launchingOperators(const Analysis& analysis);
// Splits by the part of the model that launched it.
[[nodiscard]] KernelDetails launchingGroups(const Analysis& analysis, CallGrouping grouping,
                                            unsigned threadCount);

// With the column of the detail after the name; without details like kernelsTable and kernelTotalsTable.
[[nodiscard]] ResultTable kernelRowsTable(const Analysis& analysis, const RecordingRows& rows,
                                          const KernelDetails* details = nullptr);

} // namespace rankscope
