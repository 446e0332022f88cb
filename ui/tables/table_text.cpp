// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_text.h"

#include "core/export/csv.h"
#include "ui/tables/result_table_model.h"

#include <QStringList>

namespace rankscope::ui {

namespace {

// The rows' cells with separators; `field` escapes a text for the format.
template <class Field>
QString rowsAsLines(const ResultTable& table, std::span<const std::uint32_t> rows, char separator,
                    const char* lineEnd, const Field& field) {
  std::string text;
  const std::size_t columns = table.columns().size();
  for (std::size_t column = 0; column < columns; ++column) {
    if (column > 0) text += separator;
    text += field(table.columns()[column].name);
  }
  text += lineEnd;
  for (const std::uint32_t row : rows) {
    for (std::size_t column = 0; column < columns; ++column) {
      if (column > 0) text += separator;
      const std::string exact = exactText(table, row, column);
      text +=
          table.columns()[column].unit == Unit::Text && !table.isEmpty(row, column) ? field(exact) : exact;
    }
    text += lineEnd;
  }
  return QString::fromStdString(text);
}

} // namespace

QString rowsAsTabs(const ResultTable& table, std::span<const std::uint32_t> rows) {
  // Tabs and line ends would start new cells.
  return rowsAsLines(table, rows, '\t', "\n", [](const std::string& text) {
    return QString::fromStdString(text).simplified().toStdString();
  });
}

QString rowsAsCsv(const ResultTable& table, std::span<const std::uint32_t> rows) {
  return rowsAsLines(table, rows, ',', "\r\n", [](const std::string& text) { return csvTextField(text); });
}

QString rowsAsMarkdown(const ResultTableModel& model, std::span<const int> columns,
                       std::span<const std::uint32_t> rows) {
  if (!model.table()) return {};
  const auto line = [](const QStringList& cells) {
    return QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
  };
  const auto safe = [](QString text) {
    return text.simplified().replace(QLatin1Char('|'), QLatin1String("\\|"));
  };
  QStringList titles;
  QStringList rules;
  for (const int column : columns) {
    const auto alignment =
        model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>();
    const QString& whole = model.column(column).longTitle;
    titles << safe(whole.isEmpty() ? model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()
                                   : whole);
    rules << (alignment & Qt::AlignRight ? QStringLiteral("---:") : QStringLiteral("---"));
  }
  QString text = line(titles) + line(rules);
  for (const std::uint32_t row : rows) {
    QStringList cells;
    for (const int column : columns) {
      const bool name = model.table()->columns()[model.sourceOf(column)].unit == Unit::Text;
      const QModelIndex index = model.index(static_cast<int>(row), column);
      const QString cell = index.data(name ? Qt::ToolTipRole : Qt::DisplayRole).toString();
      // C++ names contain what Markdown takes for tags and emphasis.
      cells << (name && !cell.isEmpty() ? QStringLiteral("`%1`").arg(safe(cell)) : safe(cell));
    }
    text += line(cells);
  }
  return text;
}

} // namespace rankscope::ui
