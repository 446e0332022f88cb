// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/result_table_model.h"

#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"
#include "core/export/cell_text.h"
#include "ui/base/ui_text.h"
#include "ui/tables/column_definitions.h"
#include "ui/tables/table_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace rankscope::ui {

namespace {

const QString kEmpty = QStringLiteral("–");

std::optional<double> numberOf(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return std::nullopt;
}

// The type of a column's cells; empty if all cells are empty.
template <class Number, class CellAt>
Cell footerOf(CellAt&& cellAt, Footer footer, std::span<const std::uint32_t> rows) {
  std::conditional_t<std::is_integral_v<Number>, ExactSum, Number> sum = 0;
  Number least = 0;
  Number most = 0;
  Number count = 0;
  for (const std::uint32_t row : rows) {
    const Cell cell = cellAt(row);
    const auto* number = std::get_if<Number>(&cell);
    if (!number) continue;
    least = count == 0 ? *number : std::min(least, *number);
    most = count == 0 ? *number : std::max(most, *number);
    sum += *number;
    ++count;
  }
  if (count == 0) return {};
  switch (footer) {
  case Footer::Sum:
    return static_cast<Number>(sum);
  case Footer::Mean:
    return static_cast<Number>(sum) / count;
  case Footer::Min:
    return least;
  case Footer::Max:
    return most;
  case Footer::None:
    break;
  }
  return {};
}

const TableFigures& figures() {
  return TableFigures::ofProgram();
}

// Whether a column is a sum over a recording that has steps.
bool isSum(const ResultTable& table, const ShownColumn& column) {
  return figures().steps().all > 0 && !column.share && column.words == nullptr &&
         isSumColumn(table.name(), column.source);
}

bool isPerStep(const ResultTable& table, const ShownColumn& column) {
  return figures().perStep() && isSum(table, column);
}

// The cell, or per step where that is chosen: counts then have decimals.
Cell valueAt(const ResultTable& table, std::size_t row, std::size_t source, const ShownColumn& column) {
  const Cell cell = table.at(row, source);
  const auto* const whole = std::get_if<std::int64_t>(&cell);
  if (whole == nullptr || !isPerStep(table, column)) return cell;
  const double steps = figures().steps().ofRow(table, row);
  if (steps <= 0) return {};
  const double value = static_cast<double>(*whole) / steps;
  if (table.columns()[source].unit == Unit::Count) return value;
  return static_cast<std::int64_t>(std::llround(value));
}

// Of columns whose cells are in a unit that the table does not know of.
struct OwnUnit {
  const char* column;
  const char* unit;
};

constexpr std::array kOwnUnits = std::to_array<OwnUnit>({
    {"a", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: the one that the figure names")},
    {"b", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: the one that the figure names")},
    {"delta", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: the one that the figure names")},
    {"cap_mb", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: MB")},
    {"factor", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: none, a factor")},
    {"flops", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: floating-point operations")},
    {"intensity", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: FLOP/B, operations per byte")},
    {"last_arrivals", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: %; a ratio from 0 to 1 in exports")},
    {"peak_tflops", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: TFLOP/s, 10¹² operations per second")},
    {"rate_gbit_s", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: Gbit/s, 10⁹ bits per second")},
    {"tflops", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: TFLOP/s, 10¹² operations per second")},
    {"tokens_s", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: tokens per second")},
    {"z_score", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: standard deviations")},
    {"a_calls", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: count")},
    {"b_calls", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: count")},
    {"blocks_per_sm", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: count")},
    {"calls_per_step", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: count")},
    {"kernels_per_step", QT_TRANSLATE_NOOP("ResultTableModel", "Unit: count")},
});

// Empty for texts, and for numbers that are shown as a yes or no.
QString unitLine(const TableColumn& column, const ShownColumn& shown) {
  if (shown.share) return unitNote(Unit::Percent);
  if (column.unit == Unit::Text || shown.words == yesOrNo) return {};
  // Short names may be those of a query.
  if (column.name.size() < 6 && column.unit == Unit::Ratio && shown.words == nullptr)
    return unitNote(column.unit);
  const auto own = std::ranges::find_if(
      kOwnUnits, [&](const OwnUnit& entry) { return std::string_view(entry.column) == column.name; });
  return own == kOwnUnits.end() ? unitNote(column.unit) : ResultTableModel::tr(own->unit);
}

// What it is, of what, and in which unit.
QString headTip(const ResultTable& table, std::size_t source, const ShownColumn& shown) {
  const TableColumn& column = table.columns()[source];
  QStringList lines;
  lines << (shown.tip.isEmpty() ? columnDefinition(table.name(), column.name) : shown.tip);
  if (isPerStep(table, shown))
    lines << ResultTableModel::tr("Per step: over the kept steps of the row's ranks, divided by their "
                                  "number. A long first step, evaluation, "
                                  "checkpoints and cut steps are left out.");
  else if (isSum(table, shown) && !figures().ofRange())
    lines << ResultTableModel::tr("In total, over all that the table is of.");
  else if (isSum(table, shown))
    lines << (isCutByRange(shown.source)
                  ? ResultTableModel::tr("In total, within the selected range.")
                  : ResultTableModel::tr("In total, of what begins in the selected range, each as a whole."));
  lines << unitLine(column, shown);
  lines.removeAll(QString());
  return lines.join(QLatin1Char('\n'));
}

} // namespace

QString cellText(const ResultTable& table, std::size_t row, std::size_t column) {
  return ui::textOf(rankscope::cellText(table, row, column));
}

QString exactCellText(const ResultTable& table, std::size_t row, std::size_t column) {
  const Unit unit = table.columns()[column].unit;
  QString exact = ui::textOf(exactText(table, row, column));
  if (exact.isEmpty() || unit == Unit::Text || unit == Unit::Identity) return exact;
  const qsizetype point = exact.indexOf(QLatin1Char('.'));
  const QString whole = point < 0 ? exact : exact.left(point);
  QString text = ui::textOf(groupedText(whole.toLongLong()));
  if (whole.startsWith(QLatin1Char('-')) && !text.startsWith(QLatin1Char('-')))
    text.prepend(QLatin1Char('-'));
  if (point >= 0) text += exact.mid(point);
  switch (unit) {
  case Unit::Nanoseconds:
    return text + QStringLiteral(" µs");
  case Unit::Bytes:
    return text + QStringLiteral(" B");
  case Unit::Percent:
    return text + QStringLiteral(" %");
  case Unit::GigabytesPerSecond:
    return text + QStringLiteral(" GB/s");
  default:
    return text;
  }
}

QString yesOrNo(const Cell& cell) {
  const auto number = numberOf(cell);
  if (!number) return kEmpty;
  return *number != 0 ? ResultTableModel::tr("yes") : ResultTableModel::tr("no");
}

ResultTableModel::ResultTableModel(std::vector<ShownColumn> columns, QObject* parent)
    : QAbstractTableModel(parent), m_wanted(std::move(columns)) {
  connect(&TableFigures::ofProgram(), &TableFigures::changed, this, [this] {
    if (!m_table || columnCount() == 0) return;
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  });
}

void ResultTableModel::setTable(std::shared_ptr<const ResultTable> table) {
  beginResetModel();
  m_table = std::move(table);
  m_shown.clear();
  for (const ShownColumn& wanted : m_wanted) {
    const auto source = m_table ? m_table->columnNamed(wanted.source) : std::nullopt;
    const auto needed = m_table ? m_table->columnNamed(wanted.needs) : std::nullopt;
    if (needed && isEmptyColumn(*needed, Hide::AllZero)) continue;
    if (source && !isEmptyColumn(*source, wanted.hide)) m_shown.push_back({wanted, *source});
  }
  sumShares();
  measureSameStarts();
  endResetModel();
}

bool ResultTableModel::isEmptyColumn(std::size_t column, Hide hide) const {
  const std::size_t rows = m_table->rowCount();
  if (hide == Hide::Never || rows == 0) return false;
  // The amount of a single row is all that there is to see.
  const Unit unit = m_table->columns()[column].unit;
  const bool amount = unit == Unit::Nanoseconds || unit == Unit::Bytes || unit == Unit::Percent;
  if (hide == Hide::AllSame && rows == 1 && amount) hide = Hide::AllZero;
  std::optional<std::size_t> first; // first nonempty cell
  for (std::size_t row = 0; row < rows; ++row) {
    if (m_table->isEmpty(row, column)) continue;
    if (hide == Hide::AllEmpty) return false;
    if (hide == Hide::AllZero && numberOf(m_table->at(row, column)) != 0.0) return false;
    if (!first) first = row;
    if (m_table->at(row, column) != m_table->at(*first, column)) return false;
  }
  return true;
}

void ResultTableModel::setShareRank(std::optional<qint64> rank) {
  m_shareRank = rank;
  sumShares();
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void ResultTableModel::sumShares() {
  const auto rankColumn = m_table ? m_table->columnNamed("rank") : std::nullopt;
  for (Shown& shown : m_shown) {
    shown.sum = 0;
    shown.most = 0;
    for (std::size_t row = 0; shown.column.share && row < m_table->rowCount(); ++row) {
      if (m_shareRank && rankColumn && m_table->at(row, *rankColumn) != Cell(std::int64_t{*m_shareRank}))
        continue;
      const double amount = numberOf(m_table->at(row, shown.source)).value_or(0);
      shown.sum += amount;
      shown.most = std::max(shown.most, amount);
    }
  }
}

// In alphabetical order, the text that has most in common with another is beside it. Rows of many ranks have
// the same names: each is made readable once.
void ResultTableModel::measureSameStarts() {
  for (Shown& shown : m_shown) {
    if (!shown.column.elideSame) continue;
    std::unordered_map<std::string_view, QString> textOf;
    std::map<QString, int> starts;
    const auto nameAt = [&](std::size_t row) {
      const Cell cell = m_table->at(row, shown.source);
      const auto* const name = std::get_if<std::string_view>(&cell);
      return name == nullptr ? std::string_view() : *name;
    };
    for (std::size_t row = 0; row < m_table->rowCount(); ++row) {
      const auto [text, fresh] = textOf.try_emplace(nameAt(row));
      if (fresh) starts.emplace(text->second = shownText(row, shown), 0);
    }
    for (auto next = starts.begin(); next != starts.end();) {
      const auto at = next++;
      if (next == starts.end()) break;
      const auto differ = std::ranges::mismatch(at->first, next->first);
      const auto same = static_cast<int>(differ.in1 - at->first.begin());
      at->second = std::max(at->second, same);
      next->second = same;
    }
    std::unordered_map<std::string_view, int> sameOf;
    for (const auto& [name, text] : textOf) sameOf.emplace(name, starts[text]);
    for (std::size_t row = 0; row < m_table->rowCount(); ++row)
      shown.sameStart.push_back(sameOf[nameAt(row)]);
  }
}

int ResultTableModel::columnOf(std::string_view source) const {
  for (std::size_t i = 0; i < m_shown.size(); ++i)
    if (m_shown[i].column.source == source && !m_shown[i].column.share) return static_cast<int>(i);
  return -1;
}

QString ResultTableModel::keyOf(int column) const {
  const ShownColumn& shown = m_shown[static_cast<std::size_t>(column)].column;
  return QString::fromStdString(shown.source) + (shown.share ? QStringLiteral(":share") : QString());
}

bool ResultTableModel::hasFooter() const {
  return std::ranges::any_of(m_shown, [](const Shown& s) { return s.column.footer != Footer::None; });
}

std::size_t ResultTableModel::ranksOfMeans(std::span<const std::uint32_t> rows) const {
  const auto isMean = [this](const Shown& shown) {
    return shown.column.footer == Footer::Sum && isPerStep(*m_table, shown.column);
  };
  const auto rank = m_table ? m_table->columnNamed("rank") : std::nullopt;
  if (!rank || std::ranges::none_of(m_shown, isMean)) return 0;
  std::set<double> ranks;
  for (const std::uint32_t row : rows)
    if (const auto number = numberOf(m_table->at(row, *rank))) ranks.insert(*number);
  return ranks.size() > 1 ? ranks.size() : 0;
}

QString ResultTableModel::footerText(int column, std::span<const std::uint32_t> rows) const {
  const Shown& shown = m_shown[static_cast<std::size_t>(column)];
  if (shown.column.footer == Footer::None) return {};
  const Unit unit = m_table->columns()[shown.source].unit;
  // Counts per step have decimals; shares are of totals.
  const bool perStep = isPerStep(*m_table, shown.column);
  const Footer footer = shown.column.footer;
  // A sum over ranks could be longer than the step.
  const std::size_t ranks = perStep && footer == Footer::Sum ? ranksOfMeans(rows) : 0;
  const auto cellAt = [&](std::size_t row) -> Cell {
    if (!perStep) return m_table->at(row, shown.source);
    const Cell cell = valueAt(*m_table, row, shown.source, shown.column);
    const auto value = ranks > 0 ? numberOf(cell) : std::nullopt;
    return value ? Cell(*value / static_cast<double>(ranks)) : cell;
  };
  const bool whole = isWhole(unit) && !(perStep && unit == Unit::Count);
  auto figure = whole && ranks == 0 ? footerOf<std::int64_t>(cellAt, footer, rows)
                                    : footerOf<double>(cellAt, footer, rows);
  if (std::holds_alternative<std::monostate>(figure)) return {};
  if (whole && ranks > 0) figure = Cell(static_cast<std::int64_t>(std::llround(*numberOf(figure))));
  if (shown.column.share)
    return shown.sum > 0 ? ui::textOf(percentText(100 * *numberOf(figure) / shown.sum)) : QString();
  if (shown.column.words != nullptr) return shown.column.words(figure);
  return ui::textOf(rankscope::cellText(figure, perStep && unit == Unit::Count ? Unit::Ratio : unit));
}

QString ResultTableModel::textOf(int row, std::string_view source) const {
  const auto column = m_table ? m_table->columnNamed(source) : std::nullopt;
  return column ? ui::textOf(exactText(*m_table, static_cast<std::size_t>(row), *column)) : QString();
}

int ResultTableModel::rowCount(const QModelIndex& parent) const {
  return m_table && !parent.isValid() ? static_cast<int>(m_table->rowCount()) : 0;
}

int ResultTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

std::optional<double> ResultTableModel::shareOf(std::size_t row, const Shown& shown) const {
  const auto value = numberOf(m_table->at(row, shown.source));
  if (value && m_table->columns()[shown.source].unit == Unit::Percent) return *value / 100;
  if (!value || shown.sum <= 0) return std::nullopt;
  return *value / shown.sum;
}

QVariant ResultTableModel::sortValue(std::size_t row, const Shown& shown) const {
  const Cell cell = shown.column.share ? m_table->at(row, shown.source)
                                       : valueAt(*m_table, row, shown.source, shown.column);
  if (const auto* text = std::get_if<std::string_view>(&cell)) return ui::textOf(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return QVariant::fromValue<qint64>(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return {};
}

QString ResultTableModel::shownText(std::size_t row, const Shown& shown) const {
  if (shown.column.share) {
    const auto share = shareOf(row, shown);
    return share ? ui::textOf(percentText(100 * *share)) : kEmpty;
  }
  if (shown.column.words) return shown.column.words(m_table->at(row, shown.source));
  if (isPerStep(*m_table, shown.column)) {
    const Unit unit = m_table->columns()[shown.source].unit;
    return ui::textOf(rankscope::cellText(valueAt(*m_table, row, shown.source, shown.column),
                                          unit == Unit::Count ? Unit::Ratio : unit));
  }
  const QString text = ui::cellText(*m_table, row, shown.source);
  return shown.column.display ? shown.column.display(text) : text;
}

QVariant ResultTableModel::alignment(const Shown& shown) const {
  // Names are aligned left, numbers right.
  const TableColumn& column = m_table->columns()[shown.source];
  const bool right = column.alignsRight() && column.unit != Unit::Identity;
  return QVariant::fromValue((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

QVariant ResultTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_table) return {};
  const auto row = static_cast<std::size_t>(index.row());
  const Shown& shown = m_shown[static_cast<std::size_t>(index.column())];
  switch (role) {
  case Qt::DisplayRole:
    return shownText(row, shown);
  case Qt::ToolTipRole:
    return isPerStep(*m_table, shown.column)
               ? tr("%1 in total").arg(exactCellText(*m_table, row, shown.source))
               : exactCellText(*m_table, row, shown.source);
  case Qt::TextAlignmentRole:
    return alignment(shown);
  case kSortRole:
    return sortValue(row, shown);
  case kShareRole: {
    const auto share = shown.column.share ? shareOf(row, shown) : std::nullopt;
    return share ? QVariant(*share) : QVariant();
  }
  case kBarRole: {
    const auto share = shown.column.share ? shareOf(row, shown) : std::nullopt;
    // A percentage is a share of a whole that is the same for all rows.
    if (share && m_table->columns()[shown.source].unit == Unit::Percent) return *share;
    return share && shown.most > 0 ? QVariant(*share * shown.sum / shown.most) : QVariant();
  }
  case kElideStartRole:
    return shown.column.elideStart;
  case kSameStartRole:
    return row < shown.sameStart.size() ? shown.sameStart[row] : 0;
  case kFigureRole:
    return m_table->columns()[shown.source].alignsRight();
  default:
    return {};
  }
}

QVariant ResultTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= static_cast<int>(m_shown.size())) return {};
  const Shown& shown = m_shown[static_cast<std::size_t>(section)];
  switch (role) {
  case Qt::DisplayRole:
    return isPerStep(*m_table, shown.column) ? tr("%1/step").arg(shown.column.title) : shown.column.title;
  case Qt::ToolTipRole:
    return headTip(*m_table, shown.source, shown.column);
  case Qt::TextAlignmentRole:
    return alignment(shown);
  // Numbers sort descending first, because large ones are of interest.
  case Qt::InitialSortOrderRole:
    return m_table->columns()[shown.source].alignsRight() ? Qt::DescendingOrder : Qt::AscendingOrder;
  default:
    return {};
  }
}

} // namespace rankscope::ui
