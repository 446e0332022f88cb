// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/regions_panel.h"

#include "core/export/csv.h"
#include "ui/base/text_scale.h"
#include "ui/details/regions_model.h"
#include "ui/job/trace_session.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>

namespace rankscope::ui {
namespace {

constexpr int kRowHeight = 26;
constexpr std::array<int, RegionsModel::kColumnCount> kWidths{220, 140, 110, 80, 60, 90, 400};

QToolButton* button(const QString& text) {
  auto* made = new QToolButton;
  made->setText(text);
  made->setFocusPolicy(Qt::TabFocus);
  return made;
}

} // namespace

RegionsPanel::RegionsPanel(TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_model(new RegionsModel(session, this)), m_list(new QTableView),
      m_empty(new QLabel), m_stack(new QStackedWidget), m_remove(button(tr("Remove"))),
      m_export(button(tr("Export as CSV …"))) {
  m_list->setObjectName(QStringLiteral("regions"));
  m_list->setAccessibleName(tr("Regions"));
  m_list->setModel(m_model);
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setShowGrid(false);
  m_list->setWordWrap(false);
  m_list->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_list->setSelectionMode(QAbstractItemView::SingleSelection);
  m_list->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  m_list->setCornerButtonEnabled(false);
  m_list->verticalHeader()->hide();
  m_list->verticalHeader()->setMinimumSectionSize(scaledToText(kRowHeight));
  m_list->verticalHeader()->setDefaultSectionSize(scaledToText(kRowHeight));
  m_list->horizontalHeader()->setHighlightSections(false);
  for (int column = 0; column < RegionsModel::kColumnCount; ++column)
    m_list->horizontalHeader()->resizeSection(column,
                                              scaledToText(kWidths[static_cast<std::size_t>(column)]));
  m_list->horizontalHeader()->setStretchLastSection(true);
  m_empty->setObjectName(QStringLiteral("emptyText"));
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setText(
      tr("No regions. Select a range with Shift+drag, or a slice; M marks it as a temporary region, Shift+M "
         "saves it with a note. T, or a click on the lower edge of the time ruler, adds a note."));
  m_stack->addWidget(m_list);
  m_stack->addWidget(m_empty);

  auto* top = new QHBoxLayout;
  top->setContentsMargins(16, 2, 16, 2);
  top->setSpacing(8);
  top->addStretch();
  top->addWidget(m_remove);
  top->addWidget(m_export);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 2, 0, 0);
  column->setSpacing(2);
  column->addLayout(top);
  column->addWidget(m_stack, 1);

  connect(m_list, &QTableView::clicked, this, [this](const QModelIndex& index) {
    choose(index.row());
    if (index.column() != RegionsModel::kColor) return;
    const int now = m_session.marks().regions()[static_cast<std::size_t>(index.row())].color;
    m_model->setData(index, (now + 1) % kMarkColors, Qt::EditRole);
  });
  connect(m_list, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    if (!(index.flags() & Qt::ItemIsEditable)) goTo(index.row());
  });
  connect(m_remove, &QToolButton::clicked, this, &RegionsPanel::removeChosen);
  connect(m_export, &QToolButton::clicked, this, &RegionsPanel::exportCsv);
  connect(&session.marks(), &Marks::changed, this, &RegionsPanel::showRegions);
  connect(&session, &TraceSession::traceChanged, this, &RegionsPanel::showRegions);
  showRegions();
}

void RegionsPanel::showRegions() {
  const bool any = m_model->rowCount() > 0;
  m_stack->setCurrentWidget(any ? static_cast<QWidget*>(m_list) : m_empty);
  m_remove->setEnabled(any);
  m_export->setEnabled(any);
}

void RegionsPanel::choose(int row) {
  const auto& regions = m_session.marks().regions();
  if (!m_session.trace() || row < 0 || static_cast<std::size_t>(row) >= regions.size()) return;
  const Region& region = regions[static_cast<std::size_t>(row)];
  m_session.setRange(m_session.drawnAt(region.range), rankTracksOf(*m_session.trace(), region.tracks));
  if (region.isNote()) m_session.marks().chooseNote(static_cast<std::size_t>(row));
}

void RegionsPanel::goTo(int row) {
  choose(row);
  if (const auto note = m_session.marks().chosenNote()) return centerOn(*note);
  if (!m_session.range()) return;
  const TimeNs margin = m_session.range()->length() / 8 + 1;
  m_session.setWindow({m_session.range()->begin - margin, m_session.range()->end + margin});
}

void RegionsPanel::centerOn(std::size_t position) {
  const TimeNs time = m_session.drawnAt(m_session.marks().regions()[position].range.begin);
  const TimeNs length = m_session.window().length();
  m_session.setWindow({time - length / 2, time - length / 2 + length});
}

void RegionsPanel::editNote(std::size_t position) {
  edit(static_cast<int>(position), RegionsModel::kNote);
}

void RegionsPanel::editName(std::size_t position) {
  edit(static_cast<int>(position), RegionsModel::kName);
}

void RegionsPanel::edit(int row, int column) {
  const QModelIndex cell = m_model->index(row, column);
  if (!cell.isValid()) return;
  m_list->setFocus();
  m_list->setCurrentIndex(cell);
  m_list->scrollTo(cell);
  m_list->edit(cell);
}

void RegionsPanel::removeChosen() {
  const QModelIndex current = m_list->currentIndex();
  if (current.isValid()) m_session.marks().remove(static_cast<std::size_t>(current.row()));
}

void RegionsPanel::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Delete:
    return removeChosen();
  case Qt::Key_Return:
  case Qt::Key_Enter:
    return goTo(m_list->currentIndex().row());
  default:
    QWidget::keyPressEvent(event);
  }
}

QByteArray RegionsPanel::csv() const {
  const TimeNs origin = m_session.trace() ? m_session.trace()->extent().begin : 0;
  return QByteArray::fromStdString(toCsv(regionsTable(m_session.marks().regions(), origin)));
}

bool RegionsPanel::canExport() const {
  return m_model->rowCount() > 0;
}

void RegionsPanel::exportCsv() {
  const QString path = askCsvPath(this, QStringLiteral("regions.csv"));
  if (!path.isEmpty()) writeCsv(this, path, csv());
}

} // namespace rankscope::ui
