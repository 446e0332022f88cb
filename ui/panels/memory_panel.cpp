// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/memory_panel.h"

#include "core/report/memory_tables.h"
#include "ui/charts/line_plot.h"
#include "ui/trace_session.h"

#include <QVBoxLayout>

#include <utility>

namespace rankscope::ui {

struct MemoryData {
  Curves curve;
  std::shared_ptr<const ResultTable> operators;
};

namespace {

QString tr(const char* text) {
  return MemoryPanel::tr(text);
}

Curves curveOf(const Analysis& analysis) {
  Curves curves;
  curves.xUnit = Unit::Nanoseconds;
  curves.yUnit = Unit::Bytes;
  for (const RankIndex rank : analysis.ranks()) {
    const MemoryProfile& profile = analysis.memory(rank);
    if (profile.devices.empty()) continue;
    Curve allocated{tr("allocated"), {}, &Theme::accent, false, true};
    const TimeNs origin = analysis.extent().begin;
    for (const MemoryLevel& level : profile.devices.front().levels)
      allocated.points << QPointF(static_cast<double>(analysis.clocks().of(rank).toJob(level.time) - origin),
                                  static_cast<double>(level.allocated));
    if (allocated.points.isEmpty()) continue;
    curves.xBegin = allocated.points.front().x();
    curves.xEnd = std::max(curves.xBegin + 1, allocated.points.back().x());
    curves.curves.push_back(std::move(allocated));
    break;
  }
  return curves;
}

MemoryData memoryOf(const Analysis& analysis) {
  return {curveOf(analysis), std::make_shared<const ResultTable>(memoryTable(analysis))};
}

std::vector<ShownColumn> memoryColumns() {
  return {
      {.source = "rank", .title = tr("Rank"), .hide = Hide::AllSame},
      {.source = "device", .title = tr("Device"), .hide = Hide::AllSame},
      {.source = "operator", .title = tr("Operator")},
      {.source = "calls", .title = tr("Calls")},
      {.source = "self_size_increase_bytes", .title = tr("Self increase")},
      {.source = "self_allocation_bytes", .title = tr("Self allocated")},
      {.source = "allocation_bytes", .title = tr("Allocated")},
      {.source = "allocations", .title = tr("Allocations")},
  };
}

} // namespace

MemoryPanel::MemoryPanel(TraceSession& session, QWidget* parent)
    : AnalysisPage(parent), m_curve(new LinePlot(session)) {
  m_curveCard = new ChartCard(tr("Memory over time"), m_curve, session);
  m_operators = new TableCard(tr("By operator"), memoryColumns(), session);
  m_operators->setStretchColumn("operator");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(16);
  column->addWidget(m_curveCard, 1);
  column->addWidget(m_operators, 1);
  setContents<MemoryData>(memoryOf,
                          [this](const std::shared_ptr<const MemoryData>& made) { showData(made.get()); });
  showData(nullptr);
}

void MemoryPanel::showData(const MemoryData* made) {
  const QString wait = tr("Being computed …");
  const QString none = tr("No allocation was recorded: profile with profile_memory=True.");
  m_curve->setCurves(made != nullptr ? made->curve : Curves());
  m_curveCard->setEmptyText(made == nullptr ? wait : made->curve.curves.empty() ? none : QString());
  m_operators->setTable(made != nullptr ? made->operators : nullptr, made != nullptr ? none : wait);
}

} // namespace rankscope::ui
