// SPDX-License-Identifier: GPL-3.0-or-later
// The distributed tab: how the ranks share the work and keep each other waiting. UI thread.
#pragma once

#include "ui/charts/chart_card.h"
#include "ui/panels/analysis_page.h"
#include "ui/panels/table_card.h"

namespace rankscope::ui {

class LinePlot;
class StackedBars;
struct DistributedData;

class DistributedPanel : public AnalysisPage {
  Q_OBJECT
 public:
  explicit DistributedPanel(TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] StackedBars& shares() { return *m_shares; }
  [[nodiscard]] LinePlot& stepTimes() { return *m_stepTimes; }
  [[nodiscard]] TableCard& ranks() { return *m_ranks; }
  [[nodiscard]] TableCard& collectives() { return *m_collectives; }

 private:
  void showData(const DistributedData* made);
  void revealRank(int tableRow);

  TraceSession& m_session;
  StackedBars* m_shares;
  ChartCard* m_sharesCard;
  LinePlot* m_stepTimes;
  ChartCard* m_stepTimesCard;
  TableCard* m_ranks;
  TableCard* m_collectives;
};

} // namespace rankscope::ui
