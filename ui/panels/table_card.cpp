// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table_card.h"

#include "core/export/csv.h"
#include "ui/trace_session.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QSaveFile>
#include <QShortcut>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kRowHeight = 27;
constexpr int kCellMargin = 8;
constexpr int kShareWidth = 170;
constexpr int kShareText = 58; // beside the bar
constexpr int kWidestColumn = 460;
constexpr int kNarrowestStretched = 260;
constexpr int kRowsMeasured = 200; // for the width of a column

} // namespace

// Cells in the theme's colours: text elided at its end, figures in the fixed-width font, shares as bars.
class TableCellPainter : public QStyledItemDelegate {
 public:
  TableCellPainter(const TableCard& card, const TraceSession& session, QObject* parent)
      : QStyledItemDelegate(parent), m_card(card), m_session(session) {}

  static QFont fontFor(const QModelIndex& index) {
    return index.data(ResultTableModel::kFigureRole).toBool() ? numberFont(12) : textFont(12);
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& theme = m_session.theme();
    painter->save();
    if (option.state & QStyle::State_Selected) {
      QColor selected = theme.accent;
      selected.setAlphaF(0.18F);
      painter->fillRect(option.rect, selected);
    } else if (option.state & QStyle::State_MouseOver) {
      painter->fillRect(option.rect, theme.raised);
    }
    const QVariant share = index.data(ResultTableModel::kShareRole);
    if (share.isValid()) paintBar(*painter, option.rect, share.toDouble(), index);
    const QString text = index.data(Qt::DisplayRole).toString();
    const bool unknown = !index.data(ResultTableModel::kSortRole).isValid();
    const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
    const QFont font = fontFor(index);
    const auto elision =
        index.data(ResultTableModel::kElideStartRole).toBool() ? Qt::ElideLeft : Qt::ElideRight;
    const QRect inner = option.rect.adjusted(kCellMargin, 0, -kCellMargin, 0);
    painter->setFont(font);
    painter->setPen(unknown ? theme.faint : theme.text);
    painter->drawText(inner, static_cast<int>(alignment),
                      QFontMetrics(font).elidedText(text, elision, inner.width()));
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
    if (index.data(ResultTableModel::kShareRole).isValid()) return {kShareWidth, kRowHeight};
    const int width = QFontMetrics(fontFor(index)).horizontalAdvance(index.data(Qt::DisplayRole).toString());
    return {width + 2 * kCellMargin + 2, kRowHeight};
  }

 private:
  void paintBar(QPainter& painter, QRect cell, double share, const QModelIndex& index) const {
    const Theme& theme = m_session.theme();
    const QRectF track = QRectF(cell).adjusted(kCellMargin, 8, -kCellMargin - kShareText, -8);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(track, 3, 3);
    QColor colour = colourOf(index);
    colour.setAlphaF(0.75F);
    QRectF bar = track;
    bar.setWidth(std::max(2.0, track.width() * std::clamp(share, 0.0, 1.0)));
    painter.setBrush(colour);
    painter.drawRoundedRect(bar, 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
  }

  QColor colourOf(const QModelIndex& index) const {
    const Theme& theme = m_session.theme();
    const int row = m_card.m_filter->mapToSource(index).row();
    const QString kind = m_card.m_model->textOf(row, m_card.m_kindColumn);
    if (kind == QLatin1String("communication")) return theme.communication;
    if (kind == QLatin1String("memory")) return theme.memoryCopy;
    return theme.gemm;
  }

  const TableCard& m_card;
  const TraceSession& m_session;
};

TableCard::TableCard(const QString& title, std::vector<ShownColumn> columns, const TraceSession& session,
                     QWidget* parent)
    : QFrame(parent), m_model(new ResultTableModel(std::move(columns), this)),
      m_filter(new ResultTableFilter(this)) {
  setObjectName(QStringLiteral("card"));
  m_filter->setSourceModel(m_model);

  m_heading = new QLabel(title);
  m_heading->setObjectName(QStringLiteral("cardTitle"));
  m_caption = new QLabel;
  m_caption->setObjectName(QStringLiteral("caption"));
  auto* top = new QHBoxLayout;
  top->addWidget(m_heading);
  top->addStretch();
  top->addWidget(m_caption);

  m_view = new QTableView;
  m_view->setModel(m_filter);
  m_view->setItemDelegate(new TableCellPainter(*this, session, this));
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_view->setShowGrid(false);
  m_view->setMouseTracking(true);
  m_view->setWordWrap(false);
  m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_view->verticalHeader()->hide();
  m_view->verticalHeader()->setDefaultSectionSize(kRowHeight);
  m_view->verticalHeader()->setMinimumSectionSize(kRowHeight);
  m_view->horizontalHeader()->setHighlightSections(false);
  m_view->horizontalHeader()->setSortIndicatorClearable(false);
  m_view->setCornerButtonEnabled(false);

  m_empty = new QLabel;
  m_empty->setObjectName(QStringLiteral("emptyText"));
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_stack = new QStackedWidget;
  m_stack->addWidget(m_view);
  m_stack->addWidget(m_empty);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 14, 18, 12);
  column->setSpacing(8);
  column->addLayout(top);
  column->addWidget(m_stack, 1);

  m_view->viewport()->installEventFilter(this);
  connect(m_view, &QTableView::activated, this,
          [this](const QModelIndex& index) { emit rowActivated(m_filter->mapToSource(index).row()); });
  connect(m_view->horizontalHeader(), &QHeaderView::sectionClicked, this, [this] { m_userSorted = true; });
  auto* copy = new QShortcut(QKeySequence::Copy, this);
  copy->setContext(Qt::WidgetWithChildrenShortcut);
  connect(copy, &QShortcut::activated, this, &TableCard::copyRows);
}

void TableCard::setStretchColumn(const std::string& source) {
  m_stretch = source;
}

void TableCard::setDefaultSort(const std::string& source, Qt::SortOrder order) {
  m_sortSource = source;
  m_sortOrder = order;
}

void TableCard::setTable(std::shared_ptr<const ResultTable> table, const QString& emptyText) {
  m_emptyText = emptyText;
  m_view->setSortingEnabled(false);
  const int sortedBy = m_userSorted ? m_view->horizontalHeader()->sortIndicatorSection() : -1;
  const Qt::SortOrder order = m_userSorted ? m_view->horizontalHeader()->sortIndicatorOrder() : m_sortOrder;
  m_model->setTable(std::move(table));
  const int fallback = m_sortSource.empty() ? -1 : m_model->columnOf(m_sortSource);
  const int column = sortedBy >= 0 && sortedBy < m_model->columnCount() ? sortedBy : fallback;
  m_view->horizontalHeader()->setSortIndicator(column, order);
  m_view->setSortingEnabled(true);
  m_view->horizontalHeader()->setSortIndicatorShown(false); // the title carries the arrow
  if (column < 0) m_filter->sort(-1);
  measureColumns();
  spreadColumns();
  showRowsOrReason();
}

void TableCard::setCaption(const QString& caption) {
  m_caption->setText(caption);
}

void TableCard::setPlain() {
  setObjectName(QStringLiteral("plainCard"));
  m_heading->hide();
  m_caption->hide();
  layout()->setContentsMargins(8, 0, 8, 0);
  layout()->setSpacing(0);
}

void TableCard::setFilterWords(const QString& words) {
  m_filter->setWords(words);
  showRowsOrReason();
}

void TableCard::setFilterRank(std::optional<qint64> rank) {
  m_filter->setRank(rank);
  m_model->setShareRank(rank);
  showRowsOrReason();
}

void TableCard::showRowsOrReason() {
  const bool any = m_filter->rowCount() > 0;
  m_empty->setText(m_model->rowCount() > 0 ? tr("Nothing matches the filter.") : m_emptyText);
  m_stack->setCurrentWidget(any ? static_cast<QWidget*>(m_view) : m_empty);
  emit shownRowsChanged();
}

int TableCard::heightFor(int rows) const {
  constexpr int kFrameAndTitle = 92; // margins, title and header row
  constexpr int kSentence = 34;
  const int shown = std::min(rows, m_filter->rowCount());
  return kFrameAndTitle + (shown > 0 ? shown * kRowHeight : kSentence);
}

void TableCard::measureColumns() {
  const QFontMetrics metrics(textFont(12));
  const int rows = std::min(m_filter->rowCount(), kRowsMeasured);
  m_widths.clear();
  for (int column = 0; column < m_model->columnCount(); ++column) {
    const QString title = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    int width = metrics.horizontalAdvance(title + QStringLiteral(" ↓")) + 2 * kCellMargin + 4;
    for (int row = 0; row < rows; ++row)
      width = std::max(width, m_view->itemDelegate()->sizeHint({}, m_filter->index(row, column)).width());
    m_widths.push_back(std::min(width, kWidestColumn));
  }
}

void TableCard::spreadColumns() {
  QHeaderView* header = m_view->horizontalHeader();
  const int count = static_cast<int>(m_widths.size());
  if (count == 0) return;
  const int stretched = m_stretch.empty() ? -1 : m_model->columnOf(m_stretch);
  int needed = std::accumulate(m_widths.begin(), m_widths.end(), 0);
  if (stretched >= 0) needed -= m_widths[static_cast<std::size_t>(stretched)];
  const int spare = m_view->viewport()->width() - needed;
  for (int column = 0; column < count; ++column) {
    const int width = m_widths[static_cast<std::size_t>(column)];
    if (column == stretched)
      header->resizeSection(column, std::max({spare, std::min(width, kNarrowestStretched)}));
    else
      header->resizeSection(column, width + (stretched < 0 ? std::max(0, spare / count) : 0));
  }
}

bool TableCard::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view->viewport() && event->type() == QEvent::Resize) spreadColumns();
  return QFrame::eventFilter(watched, event);
}

QString TableCard::rowsAsText() const {
  QModelIndexList rows = m_view->selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.row() < b.row(); });
  if (rows.isEmpty())
    for (int row = 0; row < m_filter->rowCount(); ++row) rows.append(m_filter->index(row, 0));
  if (!m_model->table()) return {};
  QStringList lines;
  QStringList cells;
  for (const auto& column : m_model->table()->columns()) cells << QString::fromStdString(column.name);
  lines << cells.join(QLatin1Char('\t'));
  for (const QModelIndex& index : rows) {
    cells.clear();
    const int row = m_filter->mapToSource(index).row();
    for (const auto& column : m_model->table()->columns())
      // Tabs and line ends would start new cells.
      cells << m_model->textOf(row, column.name).replace(QLatin1Char('\t'), QLatin1Char(' ')).simplified();
    lines << cells.join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void TableCard::copyRows() const {
  QGuiApplication::clipboard()->setText(rowsAsText());
}

void TableCard::contextMenuEvent(QContextMenuEvent* event) {
  if (!m_model->table()) return;
  QMenu menu(this);
  const bool some = m_view->selectionModel()->hasSelection();
  menu.addAction(some ? tr("Copy selected rows") : tr("Copy all shown rows"), this, &TableCard::copyRows);
  menu.addAction(tr("Export table as CSV…"), this, &TableCard::exportCsv);
  menu.exec(event->globalPos());
}

void TableCard::exportCsv() {
  if (!m_model->table()) return;
  const QString suggested = QString::fromStdString(m_model->table()->name()) + QStringLiteral(".csv");
  const QString path = QFileDialog::getSaveFileName(this, tr("Export table"), suggested, tr("CSV (*.csv)"));
  if (path.isEmpty()) return;
  QSaveFile file(path);
  const std::string csv = toCsv(*m_model->table());
  const bool written =
      file.open(QIODevice::WriteOnly) &&
      file.write(csv.data(), static_cast<qint64>(csv.size())) == static_cast<qint64>(csv.size()) &&
      file.commit();
  if (!written) QMessageBox::warning(this, tr("Export table"), tr("%1: %2").arg(path, file.errorString()));
}

} // namespace rankscope::ui
