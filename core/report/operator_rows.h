// SPDX-License-Identifier: GPL-3.0-or-later
// Operators as a table for display: summed over recordings or by rank, by name or split by a detail of the
// calls (input shapes, call stack, source line, module and other parts of the model). Rows of a split table
// add up exactly to those by name. By name it costs the rows; split it costs a pass over host and device
// events of each rank, in parallel, plus making the groups.
#pragma once

#include "core/analysis/operators/op_groups.h"
#include "core/analysis/stacks/call_groups.h"
#include "core/base/progress.h"
#include "core/export/result_table.h"
#include "core/report/recording_rows.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace rankscope {

enum class OperatorDetail : std::uint8_t {
  None,
  Shapes,
  Stack,
  SourceLine,
  // Parts of the model, as CallGrouping:
  Module,
  Class,
  Layer,
  Phase,
  Graph,
};

// A detail that is a part of the model; empty for others.
[[nodiscard]] std::optional<CallGrouping> groupingOf(OperatorDetail detail);
[[nodiscard]] OperatorDetail detailOf(CallGrouping grouping);

// Name of the column: "input_shapes", "call_stack", "source_line", "module", ...; empty for None.
[[nodiscard]] std::string_view detailColumn(OperatorDetail detail);

// Groups of a rank's calls; null if unknown for that rank. Called on several threads at once.
using GroupsOfRank = std::function<std::shared_ptr<const OperatorGroups>(RankIndex rank)>;

struct OperatorRows {
  // Columns: rank and capture if rows are by rank, operator, detail, then as in the `operators` table. Sorted
  // by rank, then by device self, host self, name and detail.
  std::shared_ptr<const ResultTable> table;
  bool known = true; // whether the detail of any call is known
};

// groupsOf: groups by this detail; not called for None. If progress was cancelled, the result is incomplete
// and must be discarded.
[[nodiscard]] OperatorRows operatorRows(const Analysis& analysis, const RecordingRows& rows,
                                        OperatorDetail detail = OperatorDetail::None,
                                        const GroupsOfRank& groupsOf = {},
                                        const Progress* progress = nullptr);

} // namespace rankscope
