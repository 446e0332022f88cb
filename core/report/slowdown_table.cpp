// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/slowdown_table.h"

#include <fmt/format.h>

namespace rankscope {

ResultTable slowdownTable(const JobSlowdown& slowdown) {
  ResultTable table(
      "slowdown",
      {{"by", Unit::Text}, {"key", Unit::Text}, {"slowdown", Unit::Ratio}, {"explained_pct", Unit::Percent}});
  for (const SlowdownRow& row : slowdown.rows)
    table.addRow({textCell(row.by), textCell(row.key), cellOf(row.slowdown),
                  row.explained ? Cell(100 * *row.explained) : Cell()});
  return table;
}

ResultTable slowdownTable(const WhatIf& whatIf) {
  return slowdownTable(jobSlowdown(whatIf, false, 1));
}

std::string slowdownText(const JobSlowdown& slowdown) {
  if (!slowdown.refused.empty()) return fmt::format("Refused: {}\n", slowdown.refused);
  std::string text;
  std::string_view by;
  for (const SlowdownRow& row : slowdown.rows) {
    if (row.by != by) fmt::format_to(std::back_inserter(text), "{}{}\n", by.empty() ? "" : "\n", row.by);
    by = row.by;
    if (row.slowdown) fmt::format_to(std::back_inserter(text), "  {:.3f}  {}\n", *row.slowdown, row.key);
    if (row.explained)
      fmt::format_to(std::back_inserter(text), "  {:.0f} % of the loss\n", 100 * *row.explained);
  }
  return text;
}

} // namespace rankscope
