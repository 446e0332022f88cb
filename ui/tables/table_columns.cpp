// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_columns.h"

#include "ui/base/text_scale.h"
#include "ui/tables/shown_rows.h"
#include "ui/tables/table_header.h"
#include "ui/tables/table_view.h"

#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSettings>

#include <algorithm>

namespace rankscope::ui {

namespace {

using namespace table_look;

constexpr int kMaxColumnWidth = 460;
constexpr int kMinStretchedWidth = 280;
constexpr double kMostOfNarrow = 0.65;   // that a stretched column takes of a narrow table
constexpr double kKeptOfNarrow = 0.35;   // that it keeps of it before the table scrolls
constexpr int kMinTextWidth = 170;       // minimum width of a flexible text column
constexpr int kMinShareWidth = 110;      // of a share: its number and a short bar
constexpr int kMaxMeasuredLength = 2000; // length of the longest text that a stretched column makes space for
constexpr int kTrailingPadding = 24;     // space after the longest text
constexpr int kRowsMeasured = 200;       // number of rows measured for the width of a column
constexpr int kMinChosenWidth = 24;
constexpr int kMinNameWidth = 64;    // of a text that makes room for figures
constexpr double kMostOfNames = 0.5; // that texts take of a table that scrolls, before its figures

// Widens the stretched column, else the widest flexible one, so that a column ends at the edge of the view:
// before one scrolls, no text is cut in the middle.
void endAtEdge(const TableView& view, std::vector<int>& widths, const std::vector<std::size_t>& flexible,
               int stretched) {
  const int edge = view.viewport()->width();
  int end = 0;
  int* widened = nullptr;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto column = static_cast<int>(i);
    if (view.isColumnHidden(column)) continue;
    if (end + widths[i] > edge) {
      if (widened != nullptr) *widened += edge - end;
      return;
    }
    end += widths[i];
    if (std::ranges::find(flexible, i) == flexible.end()) continue;
    const bool isWidened = stretched >= 0 && widened == &widths[static_cast<std::size_t>(stretched)];
    if (widened == nullptr || column == stretched || (!isWidened && widths[i] > *widened))
      widened = &widths[i];
  }
}

} // namespace

TableColumns::TableColumns(TableView& view, ShownRows& rows, const ResultTableModel& model, QObject* parent)
    : QObject(parent), m_view(view), m_rows(rows), m_model(model) {
  QHeaderView* header = view.horizontalHeader();
  header->setMinimumSectionSize(kMinChosenWidth);
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(header, &QHeaderView::customContextMenuRequested, this, [this, header](QPoint at) {
    QMenu menu(header);
    fillMenu(menu);
    menu.exec(header->viewport()->mapToGlobal(at));
  });
  connect(header, &QHeaderView::sectionClicked, this, &TableColumns::sortChosen);
  // Heads are longer with "/step".
  connect(&model, &QAbstractItemModel::headerDataChanged, this, [this] {
    measure();
    spread();
  });
  connect(static_cast<TableHeader*>(header), &TableHeader::widthChosen, this, &TableColumns::keepWidth);
  // The view would use the visible width; the column returns to the width that it had.
  header->disconnect(SIGNAL(sectionHandleDoubleClicked(int)), &view, nullptr);
  connect(header, &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) {
    m_chosenWidths.erase(m_model.keyOf(column));
    spread();
    save();
  });
}

void TableColumns::setDefaultSort(const std::string& source, Qt::SortOrder order) {
  m_defaultSort = {source, order};
}

void TableColumns::setMemory(QSettings& settings, const QString& key) {
  m_settings = &settings;
  m_key = QStringLiteral("tables/") + key;
  load();
  if (m_model.columnCount() > 0) tableChanged();
}

void TableColumns::tableChanged() {
  applySort();
  applyChoice();
  measure();
  spread();
}

bool TableColumns::isOn(int column) const {
  const auto chosen = m_choice.find(m_model.keyOf(column));
  return chosen != m_choice.end() ? chosen->second : !m_model.column(column).hidden;
}

void TableColumns::setOn(int column, bool on) {
  int others = 0;
  for (int i = 0; i < m_model.columnCount(); ++i) others += i != column && isOn(i) ? 1 : 0;
  if (isOn(column) == on || (!on && others == 0)) return;
  if (on == m_model.column(column).hidden)
    m_choice[m_model.keyOf(column)] = on;
  else
    m_choice.erase(m_model.keyOf(column));
  applyChoice();
  spread();
  save();
  emit choiceChanged();
}

void TableColumns::showAll() {
  for (int column = 0; column < m_model.columnCount(); ++column) setOn(column, true);
}

void TableColumns::showDefault() {
  m_choice.clear();
  m_chosenWidths.clear();
  applyChoice();
  spread();
  save();
  emit choiceChanged();
}

void TableColumns::fillMenu(QMenu& menu) {
  int on = 0;
  for (int column = 0; column < m_model.columnCount(); ++column) on += isOn(column) ? 1 : 0;
  for (int column = 0; column < m_model.columnCount(); ++column) {
    QAction* action = menu.addAction(m_model.column(column).wholeTitle());
    action->setToolTip(m_model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
    action->setCheckable(true);
    action->setChecked(isOn(column));
    action->setEnabled(!isOn(column) || on > 1);
    connect(action, &QAction::toggled, this, [this, column](bool checked) { setOn(column, checked); });
  }
  menu.setToolTipsVisible(true);
  menu.addSeparator();
  connect(menu.addAction(tr("All")), &QAction::triggered, this, &TableColumns::showAll);
  connect(menu.addAction(tr("Default")), &QAction::triggered, this, &TableColumns::showDefault);
}

void TableColumns::applyChoice() {
  bool any = false;
  for (int column = 0; column < m_model.columnCount(); ++column) {
    m_view.setColumnHidden(column, !isOn(column));
    any = any || isOn(column);
  }
  // The chosen columns may all be missing from this table.
  if (!any && m_model.columnCount() > 0) m_view.setColumnHidden(0, false);
  m_view.setPinnedColumn(stretchedColumn());
}

void TableColumns::applySort() {
  int column = m_chosenSort ? columnOfKey(m_chosenSort->first) : -1;
  Qt::SortOrder order = m_chosenSort ? m_chosenSort->second : m_defaultSort.second;
  if (column < 0) {
    column = m_defaultSort.first.empty() ? -1 : m_model.columnOf(m_defaultSort.first);
    order = m_defaultSort.second;
  }
  QHeaderView* header = m_view.horizontalHeader();
  {
    const QSignalBlocker once(header); // sorts below
    header->setSortIndicator(column, order);
  }
  if (m_rows.sortColumn() != column || m_rows.sortOrder() != order) m_rows.sort(column, order);
}

void TableColumns::sortChosen() {
  const QHeaderView& header = *m_view.horizontalHeader();
  m_chosenSort = {m_model.keyOf(header.sortIndicatorSection()), header.sortIndicatorOrder()};
  save();
}

void TableColumns::measure() {
  const int rows = std::min(m_rows.rowCount(), kRowsMeasured);
  m_needed.clear();
  m_wanted.clear();
  m_longest = 0;
  const int stretched = stretchedColumn();
  for (int row = 0; stretched >= 0 && row < rows && m_longest < kMaxMeasuredLength; ++row)
    m_longest = std::max(m_longest, m_view.cells().sizeHint({}, m_rows.index(row, stretched)).width() +
                                        kTrailingPadding);
  for (int column = 0; column < m_model.columnCount(); ++column) {
    const QString footer = m_model.footerText(column, m_rows.order().rows());
    const QString head = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    const int title = textWidth(head + QStringLiteral(" ↓"), false);
    int width = std::max(title, textWidth(footer, true)) + 2 * kCellMargin + 4;
    for (int row = 0; row < rows && width < kMaxMeasuredLength; ++row)
      width = std::max(width, m_view.cells().sizeHint({}, m_rows.index(row, column)).width());
    m_needed.push_back(std::min(width, scaledToText(kMaxColumnWidth)));
    m_wanted.push_back(width);
  }
}

// Other column widths may show or hide a scroll bar, which changes the available width.
void TableColumns::spread() {
  constexpr int kMaxRounds = 3;
  m_again = true;
  if (m_spreading) return;
  const QScopedValueRollback spreading(m_spreading, true);
  for (int round = 0; round < kMaxRounds && m_again; ++round) {
    m_again = false;
    spreadOnce();
    m_view.placeBars();
  }
}

void TableColumns::spreadOnce() {
  if (m_needed.size() != static_cast<std::size_t>(m_model.columnCount()) || m_needed.empty()) return;
  std::vector<int> widths = m_needed;
  std::vector<std::size_t> flexible; // columns whose width the user has not set
  int spare = m_view.viewport()->width();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto column = static_cast<int>(i);
    if (m_view.isColumnHidden(column)) continue;
    const auto chosen = m_chosenWidths.find(m_model.keyOf(column));
    if (chosen != m_chosenWidths.end())
      widths[i] = chosen->second;
    else
      flexible.push_back(i);
    spare -= widths[i];
  }
  const int stretched = stretchedColumn();
  const auto place = std::ranges::find(flexible, static_cast<std::size_t>(std::max(0, stretched)));
  if (stretched >= 0 && place != flexible.end()) {
    const int before = widths[*place];
    const int most = std::max(before, std::min(m_longest, before + std::max(0, spare)));
    // In a narrow table a figure stays beside it.
    const int beside = static_cast<int>(kMostOfNarrow * m_view.viewport()->width());
    const int least = std::min({before, scaledToText(kMinStretchedWidth), beside});
    widths[*place] = std::clamp(before + spare, least, most);
    spare -= widths[*place] - before;
  }
  if (spare < 0) {
    shrink(widths, flexible, -spare);
    makeRoomForFigures(widths, flexible);
    endAtEdge(m_view, widths, flexible, stretched);
  }
  // First what would be cut.
  for (const std::size_t i : flexible) {
    const int more = std::clamp(m_wanted[i] - widths[i], 0, std::max(0, spare));
    widths[i] += more;
    spare -= more;
  }
  if (spare > 0 && !flexible.empty()) {
    const int each = spare / static_cast<int>(flexible.size());
    for (const std::size_t i : flexible) widths[i] += each;
    widths[flexible.front()] += spare - each * static_cast<int>(flexible.size());
  }
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (!m_view.isColumnHidden(static_cast<int>(i)))
      m_view.horizontalHeader()->resizeSection(static_cast<int>(i), widths[i]);
}

// Takes pixels from the widest columns, so that long texts end up equally wide; the stretched one, which is
// read most, keeps more if it is the first, which names the rows. If that is not enough, the table scrolls,
// and only the bars of shares give way.
void TableColumns::shrink(std::vector<int>& widths, const std::vector<std::size_t>& flexible,
                          int missing) const {
  std::vector<std::pair<int*, int>> texts;  // with the width of each that is given first
  std::vector<std::pair<int*, int>> shares; // with the least width of each
  int ofTexts = 0;
  int ofShares = 0;
  const int keptOfTexts = scaledToText(kMinTextWidth);
  const int kept = std::clamp(static_cast<int>(kKeptOfNarrow * m_view.viewport()->width()), keptOfTexts,
                              scaledToText(kMinStretchedWidth));
  int first = 0;
  while (first < m_model.columnCount() && m_view.isColumnHidden(first)) ++first;
  for (const std::size_t i : flexible) {
    const auto column = static_cast<int>(i);
    const bool figure = m_model.index(0, column).data(ResultTableModel::kFigureRole).toBool();
    if (m_model.column(column).share) {
      const int title = textWidth(m_model.column(column).title + QStringLiteral(" ↓"), false);
      shares.emplace_back(&widths[i], std::max(title + 2 * kCellMargin + 4, scaledToText(kMinShareWidth)));
      ofShares += std::max(0, widths[i] - shares.back().second);
    } else if (!figure) {
      const bool stretched = column == stretchedColumn();
      texts.emplace_back(&widths[i], stretched ? scaledToText(kMinStretchedWidth) : keptOfTexts);
      ofTexts += std::max(0, widths[i] - (stretched && column == first ? kept : keptOfTexts));
    }
  }
  const bool enough = ofTexts + ofShares >= missing;
  int fromShares = enough ? std::max(0, missing - ofTexts) : ofShares;
  missing = enough ? missing - fromShares : 0;
  for (const auto& [width, least] : shares) {
    const int taken = std::clamp(*width - least, 0, fromShares);
    *width -= taken;
    fromShares -= taken;
  }
  const auto gives = [](const std::pair<int*, int>& text) {
    return std::pair(*text.first > text.second, *text.first);
  };
  for (; missing > 0; --missing) --*std::ranges::max_element(texts, {}, gives)->first;
}

// A table that scrolls is read from its left end: the texts there, the widest first, leave the next two
// figures in view, or in a narrow one the next. Names alone would say nothing.
void TableColumns::makeRoomForFigures(std::vector<int>& widths,
                                      const std::vector<std::size_t>& flexible) const {
  const int edge = m_view.viewport()->width();
  std::vector<int*> names;
  std::vector<int> figures;
  int whole = 0;
  int ofNames = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto column = static_cast<int>(i);
    if (m_view.isColumnHidden(column)) continue;
    whole += widths[i];
    if (m_model.index(0, column).data(ResultTableModel::kFigureRole).toBool()) figures.push_back(widths[i]);
    if (!figures.empty()) continue;
    ofNames += widths[i];
    if (std::ranges::find(flexible, i) != flexible.end()) names.push_back(&widths[i]);
  }
  if (whole <= edge || figures.empty() || names.empty()) return;
  const int one = edge - figures.front();
  const int two = figures.size() > 1 ? one - figures[1] : one;
  const int most = std::min(two, static_cast<int>(kMostOfNames * edge));
  const int room = std::max(most, std::min(one, scaledToText(kMinStretchedWidth)));
  for (int missing = ofNames - room; missing > 0; --missing) {
    int& widest = **std::ranges::max_element(names, {}, [](const int* width) { return *width; });
    if (widest <= scaledToText(kMinNameWidth)) return;
    --widest;
  }
}

void TableColumns::keepWidth(int column, int width) {
  m_chosenWidths[m_model.keyOf(column)] = width;
  spread();
  save();
}

int TableColumns::columnOfKey(const QString& key) const {
  for (int column = 0; column < m_model.columnCount(); ++column)
    if (m_model.keyOf(column) == key) return column;
  return -1;
}

int TableColumns::stretchedColumn() const {
  const int column = m_stretch.empty() ? -1 : m_model.columnOf(m_stretch);
  return column >= 0 && !m_view.isColumnHidden(column) ? column : -1;
}

void TableColumns::save() const {
  if (!m_settings) return;
  QStringList on;
  QStringList off;
  for (const auto& [key, chosen] : m_choice) (chosen ? on : off) << key;
  QVariantMap widths;
  for (const auto& [key, width] : m_chosenWidths) widths[key] = width;
  m_settings->beginGroup(m_key);
  m_settings->setValue(QStringLiteral("on"), on);
  m_settings->setValue(QStringLiteral("off"), off);
  m_settings->setValue(QStringLiteral("widths"), widths);
  m_settings->setValue(QStringLiteral("sort"), m_chosenSort ? m_chosenSort->first : QString());
  m_settings->setValue(QStringLiteral("descending"),
                       m_chosenSort && m_chosenSort->second == Qt::DescendingOrder);
  m_settings->endGroup();
}

void TableColumns::load() {
  m_settings->beginGroup(m_key);
  m_choice.clear();
  for (const QString& key : m_settings->value(QStringLiteral("on")).toStringList()) m_choice[key] = true;
  for (const QString& key : m_settings->value(QStringLiteral("off")).toStringList()) m_choice[key] = false;
  m_chosenWidths.clear();
  const QVariantMap widths = m_settings->value(QStringLiteral("widths")).toMap();
  for (auto width = widths.begin(); width != widths.end(); ++width)
    m_chosenWidths[width.key()] = std::clamp(width.value().toInt(), kMinChosenWidth, 4'000);
  const QString sort = m_settings->value(QStringLiteral("sort")).toString();
  m_chosenSort.reset();
  if (!sort.isEmpty())
    m_chosenSort = {sort, m_settings->value(QStringLiteral("descending")).toBool() ? Qt::DescendingOrder
                                                                                   : Qt::AscendingOrder};
  m_settings->endGroup();
}

} // namespace rankscope::ui
