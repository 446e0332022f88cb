// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_card.h"

#include "core/base/unit_text.h"
#include "core/export/csv.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_export.h"
#include "ui/tables/table_figures.h"
#include "ui/tables/table_footer.h"
#include "ui/tables/table_text.h"
#include "ui/widgets/caption_place.h"
#include "ui/widgets/wrapped_label.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QShortcut>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kFieldWidth = 240;
// Choices of what sums are shown as.
constexpr int kInTotal = 0, kPerStep = 1;

QString grouped(qint64 number) {
  return QString::fromStdString(groupedText(number));
}

// Whether it has sums that may be shown per step.
bool hasSums(const ResultTableModel& model) {
  if (!model.table() || TableFigures::ofProgram().steps().all == 0) return false;
  for (int column = 0; column < model.columnCount(); ++column)
    if (isSumColumn(model.table()->name(), model.column(column).source)) return true;
  return false;
}

void showBasis(const QWidget& card, const ResultTableModel& model) {
  auto* const basis = card.findChild<QComboBox*>(QStringLiteral("tableBasis"));
  const StepCounts& steps = TableFigures::ofProgram().steps();
  const bool part = steps.all < steps.kept;
  basis->setItemText(kPerStep, part ? TableCard::tr("per step, %1 of %2 steps").arg(steps.all).arg(steps.kept)
                                    : TableCard::tr("per step"));
  basis->setToolTip(part ? TableCard::tr("Shows sums in all tables in total, or per step. It is of the "
                                         "longest run of kept steps without other work in between")
                         : TableCard::tr("Shows sums in all tables in total, or per kept step"));
  basis->setCurrentIndex(TableFigures::ofProgram().perStep() ? kPerStep : kInTotal);
  basis->setVisible(hasSums(model));
}

} // namespace

TableCard::TableCard(const QString& title, std::vector<ShownColumn> columns, const TraceSession& session,
                     QWidget* parent)
    : QFrame(parent), m_model(new ResultTableModel(std::move(columns), this)),
      m_rows(new ShownRows(*m_model, this)), m_view(new TableView(*m_rows, session)),
      m_columns(new TableColumns(*m_view, *m_rows, *m_model, this)),
      m_footer(new TableFooter(*m_view, *m_model)), m_sideways(new QScrollBar(Qt::Horizontal)),
      m_stack(new QStackedWidget) {
  setObjectName(QStringLiteral("card"));
  makeTop(title);
  m_view->setAccessibleName(title);
  m_footer->hide();
  m_sideways->hide();

  auto* table = new QWidget;
  auto* inTable = new QVBoxLayout(table);
  inTable->setContentsMargins(0, 0, 0, 0);
  inTable->setSpacing(0);
  inTable->addWidget(m_view, 1);
  inTable->addWidget(m_footer);
  inTable->addWidget(m_sideways);
  m_stack->addWidget(table);
  makeEmptyPage();

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 14, 18, 12);
  column->setSpacing(8);
  column->addLayout(m_top);
  column->addWidget(m_stack, 1);
  new CaptionPlace(*this, *m_top, *m_caption);

  m_view->viewport()->installEventFilter(this);
  connect(m_view, &TableView::rowActivated, this, &TableCard::rowActivated);
  connect(m_view, &TableView::rowHovered, this, &TableCard::rowHovered);
  connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &TableCard::emitSelection);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, &TableCard::emitSelection);
  connect(m_columns, &TableColumns::choiceChanged, m_footer, &TableFooter::countAgain);
  QScrollBar* inner = m_view->horizontalScrollBar();
  connect(inner, &QScrollBar::valueChanged, m_sideways, &QScrollBar::setValue);
  connect(m_sideways, &QScrollBar::valueChanged, inner, &QScrollBar::setValue);
  // The table and size for which the columns were fitted a second time.
  using Fitted = std::pair<const ResultTable*, QSize>;
  connect(inner, &QScrollBar::rangeChanged, this, [this, inner, fitted = Fitted()]() mutable {
    // The range of now: other receivers of the signal may have changed it again.
    const int least = inner->minimum();
    const int most = inner->maximum();
    m_sideways->setRange(least, most);
    m_sideways->setPageStep(inner->pageStep());
    m_sideways->setVisible(!m_footer->isHidden() && most > least);
    // The columns may still have the width from before a scroll bar appeared, so they are fitted once
    // more; only once, because scroll bars could appear and disappear alternately.
    const Fitted now(m_model->table().get(), size());
    if (most <= least || fitted == now) return;
    fitted = now;
    QMetaObject::invokeMethod(m_columns, &TableColumns::spread, Qt::QueuedConnection);
  });
  auto* copy = new QShortcut(QKeySequence::Copy, this);
  copy->setContext(Qt::WidgetWithChildrenShortcut);
  connect(copy, &QShortcut::activated, this, &TableCard::copyRows);
}

void TableCard::makeTop(const QString& title) {
  m_heading = new QLabel(title);
  m_heading->setObjectName(QStringLiteral("cardTitle"));
  m_caption = new WrappedLabel;
  m_caption->setObjectName(QStringLiteral("caption"));
  m_top = new QHBoxLayout;
  m_top->setSpacing(14);
  m_top->addWidget(m_heading);
  m_top->addStretch();
  m_top->addWidget(m_caption);
  auto* const basis = new QComboBox;
  basis->setObjectName(QStringLiteral("tableBasis"));
  basis->setAccessibleName(tr("Sums in total or per step"));
  basis->insertItem(kInTotal, tr("in total"));
  basis->insertItem(kPerStep, {});
  basis->hide();
  m_top->addWidget(basis);
  TableFigures& figures = TableFigures::ofProgram();
  connect(basis, &QComboBox::activated, this,
          [&figures](int chosen) { figures.setPerStep(chosen == kPerStep); });
  connect(&figures, &TableFigures::changed, this, [this] {
    showBasis(*this, *m_model);
    if (!hasSums(*m_model)) return;
    const QScopedValueRollback quiet(m_quiet, true);
    m_columns->tableChanged();
    m_footer->countAgain();
  });
}

void TableCard::makeEmptyPage() {
  m_empty = new QLabel;
  m_empty->setObjectName(QStringLiteral("emptyText"));
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_clear = new QPushButton(tr("Clear filter"));
  m_clear->setObjectName(QStringLiteral("clearFilter"));
  connect(m_clear, &QPushButton::clicked, this, &TableCard::clearFilter);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(16, 0, 16, 0);
  column->setSpacing(10);
  column->addStretch();
  column->addWidget(m_empty);
  column->addWidget(m_clear, 0, Qt::AlignHCenter);
  column->addStretch();
  m_stack->addWidget(page);
}

void TableCard::setKindColumn(const std::string& source) {
  setBarColor([this, source](int tableRow, const Theme& theme) {
    const QString kind = m_model->textOf(tableRow, source);
    if (kind == QLatin1String("communication")) return theme.communication;
    if (kind == QLatin1String("memory")) return theme.memoryCopy;
    return theme.gemm;
  });
}

void TableCard::setBarColor(RowColor color) {
  m_view->cells().setBarColor(std::move(color));
  m_view->viewport()->update();
}

void TableCard::setFilterHint(const QString& placeholder) {
  if (!m_field) {
    m_field = new QLineEdit;
    m_field->setObjectName(QStringLiteral("tableFilter"));
    m_field->setClearButtonEnabled(true);
    m_field->setAcceptDrops(false);
    m_field->setMaximumWidth(scaledToText(kFieldWidth));
    m_field->installEventFilter(this);
    m_top->insertWidget(1, m_field, 1);
    connect(m_field, &QLineEdit::textChanged, this, &TableCard::setFilterWords);
  }
  m_field->setPlaceholderText(placeholder);
  m_field->setAccessibleName(placeholder);
}

void TableCard::setTable(std::shared_ptr<const ResultTable> table, const QString& emptyText) {
  m_emptyText = emptyText;
  {
    const QScopedValueRollback quiet(m_quiet, true);
    m_model->setTable(std::move(table));
    m_columns->tableChanged();
    const bool sums = m_model->hasFooter();
    m_footer->setVisible(sums);
    // The scroll bar is directly below the content that it scrolls.
    m_view->setHorizontalScrollBarPolicy(sums ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    m_sideways->setVisible(sums && m_sideways->maximum() > m_sideways->minimum());
  }
  showBasis(*this, *m_model);
  emitSelection();
  showRowsOrReason();
}

void TableCard::setCaption(const QString& caption) {
  m_captionText = caption;
  showCaption();
}

void TableCard::showCaption() {
  QStringList parts;
  if (m_field && m_rows->order().hasWords())
    parts << tr("%1 of %2").arg(grouped(shownRows()), grouped(rowsOfRank()));
  if (!m_captionText.isEmpty()) parts << m_captionText;
  m_caption->setText(parts.join(QStringLiteral(" · ")));
}

void TableCard::addControl(QWidget* control) {
  m_top->addWidget(control);
}

void TableCard::setPlain() {
  setObjectName(QStringLiteral("plainCard"));
  m_heading->hide();
  m_caption->hide();
  layout()->setContentsMargins(8, 0, 8, 0);
  layout()->setSpacing(0);
}

void TableCard::setFilterWords(const QString& words) {
  if (m_field && m_field->text() != words) {
    const QSignalBlocker quiet(m_field);
    m_field->setText(words);
  }
  const int selected = selectedRow();
  {
    const QScopedValueRollback quiet(m_quiet, true);
    m_rows->setWords(words);
    m_view->selectRow(selected);
  }
  filterAgain();
}

void TableCard::setFilterRank(std::optional<qint64> rank) {
  const int selected = selectedRow();
  {
    const QScopedValueRollback quiet(m_quiet, true);
    m_rows->setRank(rank);
    m_model->setShareRank(rank);
    m_view->selectRow(selected);
  }
  filterAgain();
}

void TableCard::filterAgain() {
  emitSelection();
  showRowsOrReason();
}

void TableCard::clearFilter() {
  setFilterWords({});
  emit filterCleared();
}

void TableCard::showRowsOrReason() {
  const bool any = m_rows->rowCount() > 0;
  const bool filtered = !any && m_model->rowCount() > 0;
  m_empty->setText(filtered ? tr("No rows match the filter.") : m_emptyText);
  m_clear->setVisible(filtered && m_rows->order().hasWords());
  m_stack->setCurrentIndex(any ? 0 : 1);
  m_footer->countAgain();
  showCaption();
  emit shownRowsChanged();
}

int TableCard::heightFor(int rows) const {
  const QMargins around = layout()->contentsMargins();
  const int frameAndTitle =
      around.top() + around.bottom() +
      (m_top->sizeHint().height() > 0 ? m_top->sizeHint().height() + layout()->spacing() : 0) +
      (m_top->indexOf(m_caption) < 0
           ? m_caption->heightForWidth(width() - around.left() - around.right()) + layout()->spacing()
           : 0) +
      2;
  const int sentence = scaledToText(62);
  const int shown = std::min(rows, m_rows->rowCount());
  if (shown == 0) return frameAndTitle + sentence;
  const int footer = !m_footer->isHidden() ? m_footer->sizeHint().height() : 0;
  const QScrollBar& sideways = *m_view->horizontalScrollBar();
  const int bar = sideways.maximum() > sideways.minimum() ? sideways.sizeHint().height() : 0;
  return frameAndTitle + table_look::headerHeight() + shown * table_look::rowHeight() + footer + bar;
}

void TableCard::selectRow(int tableRow) {
  const QScopedValueRollback quiet(m_quiet, true);
  m_view->selectRow(tableRow);
  m_emittedRow = selectedRow();
}

void TableCard::emitSelection() {
  if (m_quiet) return;
  const int selected = selectedRow();
  if (selected == m_emittedRow) return;
  m_emittedRow = selected;
  emit rowSelected(selected);
}

bool TableCard::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view->viewport() && event->type() == QEvent::Resize) m_columns->spread();
  const bool typed = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
  if (watched != m_field || !typed) return QFrame::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  const bool clears = key == Qt::Key_Escape && !m_field->text().isEmpty();
  const bool leaves = key == Qt::Key_Down || key == Qt::Key_Return || key == Qt::Key_Enter;
  if (!clears && !leaves) return QFrame::eventFilter(watched, event);
  event->accept();
  if (event->type() == QEvent::ShortcutOverride) return true;
  if (clears) m_field->clear();
  if (leaves && shownRows() > 0) {
    m_view->setFocus(Qt::TabFocusReason);
    if (selectedRow() < 0) m_view->selectRow(tableRow(0));
  }
  return true;
}

std::vector<std::uint32_t> TableCard::rowsToCopy() const {
  const std::vector<std::uint32_t>& shown = m_rows->order().rows();
  if (!m_view->selectionModel()->hasSelection()) return shown;
  std::vector<std::uint32_t> rows;
  for (int place = 0; place < shownRows(); ++place)
    if (m_view->selectionModel()->isSelected(m_rows->index(place, 0)))
      rows.push_back(shown[static_cast<std::size_t>(place)]);
  return rows;
}

QString TableCard::rowsAsText() const {
  return m_model->table() ? rowsAsTabs(*m_model->table(), rowsToCopy()) : QString();
}

QString TableCard::rowsAsCsv() const {
  return m_model->table() ? ui::rowsAsCsv(*m_model->table(), rowsToCopy()) : QString();
}

QString TableCard::rowsAsMarkdown() const {
  std::vector<int> columns;
  for (int column = 0; column < m_model->columnCount(); ++column)
    if (!m_view->isColumnHidden(column)) columns.push_back(column);
  return ui::rowsAsMarkdown(*m_model, columns, rowsToCopy());
}

std::vector<int> TableCard::selectedRows() const {
  std::vector<int> rows;
  for (int place = 0; place < shownRows(); ++place)
    if (m_view->selectionModel()->isSelected(m_rows->index(place, 0))) rows.push_back(tableRow(place));
  std::ranges::sort(rows);
  return rows;
}

void TableCard::copyRows() const {
  QGuiApplication::clipboard()->setText(rowsAsText());
}

void TableCard::contextMenuEvent(QContextMenuEvent* event) {
  if (!m_model->table()) return;
  QMenu menu(this);
  const bool some = m_view->selectionModel()->hasSelection();
  const auto copies = [&](const QString& title, auto text) {
    connect(menu.addAction(title), &QAction::triggered, this,
            [this, text] { QGuiApplication::clipboard()->setText((this->*text)()); });
  };
  copies(some ? tr("Copy selected rows") : tr("Copy visible rows"), &TableCard::rowsAsText);
  menu.actions().constLast()->setShortcut(QKeySequence::Copy);
  copies(tr("Copy as CSV"), &TableCard::rowsAsCsv);
  copies(tr("Copy as Markdown"), &TableCard::rowsAsMarkdown);
  menu.addSeparator();
  m_columns->fillMenu(*menu.addMenu(tr("Columns")));
  menu.addAction(tr("Export table as CSV …"), this, &TableCard::exportCsv);
  emit menuAboutToShow(&menu, selectedRow());
  menu.exec(event->globalPos());
}

void TableCard::exportCsv() {
  if (!m_model->table()) return;
  const QString suggested = QString::fromStdString(m_model->table()->name()) + QStringLiteral(".csv");
  const QString path = askCsvPath(this, suggested);
  if (!path.isEmpty()) writeCsv(this, path, QByteArray::fromStdString(toCsv(*m_model->table())));
}

} // namespace rankscope::ui
