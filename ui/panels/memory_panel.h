// SPDX-License-Identifier: GPL-3.0-or-later
// The memory tab: how much was allocated and reserved when, and by whom. UI thread.
#pragma once

#include "ui/charts/chart_card.h"
#include "ui/panels/analysis_page.h"
#include "ui/panels/table_card.h"

namespace rankscope::ui {

class LinePlot;
struct MemoryData;

class MemoryPanel : public AnalysisPage {
  Q_OBJECT
 public:
  explicit MemoryPanel(TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] LinePlot& curve() { return *m_curve; }
  [[nodiscard]] TableCard& operators() { return *m_operators; }

 private:
  void showData(const MemoryData* made);

  LinePlot* m_curve;
  ChartCard* m_curveCard;
  TableCard* m_operators;
};

} // namespace rankscope::ui
