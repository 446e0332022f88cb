// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/path_panel.h"

#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/details/path_sums.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr std::size_t kMostRows = 5'000; // more than anybody reads
constexpr int kSumsWidth = 270;

std::vector<ShownColumn> columns() {
  const auto tr = [](const char* source) { return PathPanel::tr(source); };
  return {
      {.source = "step", .title = tr("Step"), .hide = Hide::AllSame},
      {.source = "position", .title = tr("#"), .tip = tr("Position on the path of the step")},
      {.source = "begin_us", .title = tr("Begin"), .tip = tr("After the job's first event")},
      {.source = "duration_us", .title = tr("Duration"), .footer = Footer::Sum},
      {.source = "category", .title = tr("Category")},
      {.source = "rank", .title = tr("Rank")},
      {.source = "track", .title = tr("Track"), .hide = Hide::AllEmpty},
      {.source = "event", .title = tr("Event")},
      {.source = "operator", .title = tr("Operator"), .hide = Hide::AllEmpty},
      {.source = "bound_by",
       .title = tr("Bound by"),
       .tip = tr("What the end of the segment depended on"),
       .hide = Hide::AllEmpty},
  };
}

} // namespace

PathPanel::PathPanel(TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_path(PathChoice::of(session)), m_summary(new ElidedLabel),
      m_table(new TableCard({}, columns(), session)), m_sums(new PathSums(session)),
      m_stack(new QStackedWidget), m_turnOn(new QPushButton(tr("Show the critical path"))),
      m_none(new ElidedLabel), m_task(session.pending()) {
  m_summary->setObjectName(QStringLiteral("caption"));
  m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_table->setPlain();
  m_table->setStretchColumn("event");
  m_table->setDefaultSort("begin_us", Qt::AscendingOrder);
  m_sums->setFixedWidth(scaledToText(kSumsWidth));
  auto* parts = new QHBoxLayout;
  parts->setContentsMargins(0, 0, 0, 0);
  parts->setSpacing(0);
  parts->addWidget(m_table, 1);
  parts->addWidget(m_sums);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(16, 4, 12, 2);
  head->addWidget(m_summary);
  column->addLayout(head);
  column->addLayout(parts, 1);
  m_turnOn->setObjectName(QStringLiteral("showPath"));
  m_none->setObjectName(QStringLiteral("emptyText"));
  m_none->setAlignment(Qt::AlignCenter);
  auto* empty = new QWidget;
  auto* middle = new QVBoxLayout(empty);
  middle->setContentsMargins(12, 0, 12, 0);
  middle->addStretch();
  middle->addWidget(m_none);
  middle->addWidget(m_turnOn, 0, Qt::AlignHCenter);
  middle->addStretch();
  m_stack->addWidget(page);
  m_stack->addWidget(empty);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(m_stack);

  for (const auto signal :
       {&TraceSession::windowChanged, &TraceSession::traceChanged, &TraceSession::shiftsChanged})
    connect(&session, signal, this, &PathPanel::refresh);
  connect(&m_path, &PathChoice::changed, this, &PathPanel::refresh);
  connect(&m_path, &PathChoice::selectedChanged, this, &PathPanel::showSelected);
  connect(m_turnOn, &QPushButton::clicked, this, [this] { m_path.setShown(true); });
  connect(m_table, &TableCard::rowSelected, this, &PathPanel::choose);
  connect(m_table, &TableCard::rowActivated, this, [this](int row) {
    choose(row);
    const PathSegment* const segment = m_path.selectedSegment();
    if (!segment) return;
    m_session.revealPlace(segment->rank, JobRange::of(segment->range));
  });
  refresh();
}

void PathPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void PathPanel::refresh() {
  const auto& path = m_path.path();
  const bool any = path && !path->segments().empty();
  m_stack->setCurrentIndex(any ? 0 : 1);
  m_turnOn->setVisible(!m_path.shown() && m_session.trace());
  m_none->setText(m_path.shown() ? m_path.whyNone()
                                 : tr("What decided how long each step took, over all ranks."));
  if (!any) {
    m_task.drop();
    m_rows = {};
    return;
  }
  if (!isVisible()) return;
  m_task.ask([path, window = m_session.window(),
              shifts = m_session.shifts()] { return pathRows(*path, window, shifts, kMostRows); },
             [this](PathRows rows) { showRows(std::move(rows)); });
}

void PathPanel::showRows(PathRows rows) {
  m_rows = std::move(rows);
  const auto count = [](std::size_t n) { return static_cast<qint64>(n); };
  QStringList words{counted(count(m_rows.inView), tr("1 segment in view"), tr("%1 segments in view")),
                    counted(count(m_rows.jumps), tr("1 jump between ranks"), tr("%1 jumps between ranks"))};
  if (m_rows.inView > m_rows.segments.size())
    words << tr("the longest %1 are listed").arg(m_rows.segments.size());
  if (m_rows.clockError > 0)
    words << tr("clocks ±%1").arg(QString::fromStdString(durationText(m_rows.clockError)));
  m_summary->setText(words.join(QStringLiteral(" · ")));
  m_table->setTable(m_rows.table, tr("The path has no segment in the visible range."));
  m_sums->setTimes(m_rows.times);
  showSelected();
}

void PathPanel::showSelected() {
  int row = -1;
  if (const auto selected = m_path.selected()) {
    const auto found = std::ranges::lower_bound(m_rows.segments, *selected);
    if (found != m_rows.segments.end() && *found == *selected)
      row = static_cast<int>(found - m_rows.segments.begin());
  }
  if (m_table->selectedRow() != row) m_table->selectRow(row);
}

void PathPanel::choose(int row) {
  if (row < 0 || static_cast<std::size_t>(row) >= m_rows.segments.size()) return;
  const std::size_t segment = m_rows.segments[static_cast<std::size_t>(row)];
  if (m_path.selected() == segment) return;
  m_path.select(segment);
  emit m_path.segmentWanted();
}

QString PathPanel::summary() const {
  return m_summary->text();
}

bool PathPanel::canExport() const {
  return m_rows.table != nullptr;
}

void PathPanel::exportCsv() {
  m_table->exportCsv();
}

} // namespace rankscope::ui
