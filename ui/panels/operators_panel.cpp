// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/operators_panel.h"

#include "core/report/operators_table.h"
#include "ui/trace_session.h"

#include <QVBoxLayout>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return OperatorsPanel::tr(text);
}

std::vector<ShownColumn> operatorColumns() {
  return {
      {.source = "rank", .title = tr("Rank"), .hide = Hide::AllSame},
      {.source = "capture", .title = tr("Capture"), .hide = Hide::AllSame},
      {.source = "operator", .title = tr("Operator")},
      {.source = "calls", .title = tr("Calls")},
      {.source = "host_self_us", .title = tr("Host self")},
      {.source = "host_total_us", .title = tr("Host total")},
      {.source = "device_self_us", .title = tr("Device self"), .hide = Hide::AllEmpty},
      {.source = "device_total_us", .title = tr("Device total"), .hide = Hide::AllEmpty},
  };
}

} // namespace

OperatorsPanel::OperatorsPanel(TraceSession& session, QWidget* parent) : AnalysisPage(parent) {
  m_card = new TableCard(tr("Operators"), operatorColumns(), session);
  m_card->setStretchColumn("operator");
  m_card->setDefaultSort("device_total_us", Qt::DescendingOrder);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->addWidget(m_card);
  setContents<ResultTable>(operatorsTable, [this](const std::shared_ptr<const ResultTable>& table) {
    m_card->setTable(table, table ? tr("No operator was recorded (activities=[ProfilerActivity.CPU]).")
                                  : tr("Being computed …"));
  });
}

} // namespace rankscope::ui
