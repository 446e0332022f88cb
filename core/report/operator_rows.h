// SPDX-License-Identifier: GPL-3.0-or-later
// What operators cost as a table for people: summed over recordings or one by one, by name alone or split by
// a detail of the calls (input shapes, call stack, module, line of source). Rows of a split table sum to
// those by name: calls and all times are exact integers. By name it costs the rows; split it costs a pass
// over the host and device events of each rank, several ranks at once, and whatever making the groups costs.
#pragma once

#include "core/analysis/operators/op_groups.h"
#include "core/base/progress.h"
#include "core/export/result_table.h"
#include "core/report/rank_rows.h"

#include <functional>
#include <memory>
#include <string_view>

namespace rankscope {

enum class OperatorDetail : std::uint8_t { None, Shapes, Stack, Module, SourceLine };

// Of the table's column: "input_shapes", "call_stack", "module", "source_line"; empty for None.
[[nodiscard]] std::string_view detailColumn(OperatorDetail detail);

// The groups of a rank's calls; null: nothing can be known of that rank. Asked from several threads at once.
using GroupsOfRank = std::function<std::shared_ptr<const OperatorGroups>(RankIndex rank)>;

struct OperatorRows {
  // rank and capture where each rank is by itself, operator, the detail's column, then as the `operators`
  // table has it. By rank, then by device self, host self, name and detail.
  std::shared_ptr<const ResultTable> table;
  bool known = true; // whether the detail of any call is known
};

// groupsOf: of that detail; not asked for None. Incomplete, and to be thrown away, when progress was
// cancelled.
[[nodiscard]] OperatorRows operatorRows(const Analysis& analysis, const RankRows& rows,
                                        OperatorDetail detail = OperatorDetail::None,
                                        const GroupsOfRank& groupsOf = {},
                                        const Progress* progress = nullptr);

} // namespace rankscope
