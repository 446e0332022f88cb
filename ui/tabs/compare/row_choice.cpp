// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/row_choice.h"

#include "ui/base/ui_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

using Words = std::span<const std::string_view>;

// Words of `matched_by` and of the state of findings.
Words wordsOf(RowFilter filter) {
  static constexpr std::array<std::string_view, 2> kOnlyA = {"only_a", "gone"};
  static constexpr std::array<std::string_view, 2> kOnlyB = {"only_b", "new"};
  static constexpr std::array<std::string_view, 3> kKernel = {"operator", "family", "no_template"};
  static constexpr std::array<std::string_view, 1> kShape = {"shape_changed"};
  switch (filter) {
  case RowFilter::All:
    return {};
  case RowFilter::OnlyA:
    return kOnlyA;
  case RowFilter::OnlyB:
    return kOnlyB;
  case RowFilter::KernelChanged:
    return kKernel;
  case RowFilter::ShapeChanged:
    break;
  }
  return kShape;
}

} // namespace

QStringList rowOrderTitles() {
  return {tr("Largest change"), tr("Slower first"), tr("Faster first")};
}

QStringList rowFilterTitles() {
  return {tr("All rows"), tr("Only in A"), tr("Only in B"), tr("Kernel changed"), tr("Shapes changed")};
}

std::string_view changeColumn(const ResultTable& table) {
  for (const std::string_view name : {"contribution_us", "delta_us", "delta_exposed_us", "delta_pct"}) {
    if (table.columnNamed(name)) return name;
  }
  return {};
}

std::shared_ptr<const ResultTable> filteredRows(const std::shared_ptr<const ResultTable>& table,
                                                RowFilter filter) {
  if (!table || filter == RowFilter::All) return table;
  auto column = table->columnNamed("matched_by");
  if (!column) column = table->columnNamed("state");
  if (!column) return table; // categories: both sides have them
  auto shown = std::make_shared<ResultTable>(table->name(), table->columns());
  const Words words = wordsOf(filter);
  std::vector<Cell> cells(table->columns().size());
  for (std::size_t row = 0; row < table->rowCount(); ++row) {
    const Cell match = table->at(row, *column);
    const auto* word = std::get_if<std::string_view>(&match);
    if (word == nullptr || std::ranges::find(words, *word) == words.end()) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = table->at(row, i);
    shown->addRow(cells);
  }
  return shown;
}

} // namespace rankscope::ui
