// SPDX-License-Identifier: GPL-3.0-or-later
// The overview tab: where the time of the steps went. UI thread.
#pragma once

#include "ui/charts/chart_card.h"
#include "ui/panels/analysis_page.h"
#include "ui/panels/table_card.h"

namespace rankscope::ui {

class StackedBars;
struct OverviewData;

class OverviewPanel : public AnalysisPage {
  Q_OBJECT
 public:
  explicit OverviewPanel(TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] StackedBars& steps() { return *m_steps; }

 private:
  void showData(const OverviewData* made);

  TraceSession& m_session;
  ChartCard* m_stepsCard;
  StackedBars* m_steps;
};

} // namespace rankscope::ui
