// SPDX-License-Identifier: GPL-3.0-or-later
// The gains tab: the step as a waterfall from ideal compute to what was measured, and its parts as a table,
// as the mean over ranks and kept steps or of one of them. A part opens its finding, or the place where it
// lasts longest. UI thread.
#pragma once

#include "ui/tabs/gains/gains_data.h"
#include "ui/widgets/analysis_page.h"

#include <array>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QSettings;

namespace rankscope::ui {

class GapCard;
class SlowdownCards;
class TableCard;
class TraceSession;
class WhatIfCards;
class WrappedLabel;

class GainsPanel : public AnalysisPage {
  Q_OBJECT
 public:
  GainsPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] const WrappedLabel& sentence() const { return *m_sentence; }
  [[nodiscard]] const WrappedLabel& notes() const { return *m_notes; }
  [[nodiscard]] Waterfall& waterfall() { return *m_waterfall; }
  [[nodiscard]] ChartCard& chart() { return *m_chart; }
  [[nodiscard]] TableCard& table() { return *m_table; }
  [[nodiscard]] WhatIfCards& whatIf() { return *m_whatIf; }
  [[nodiscard]] SlowdownCards& slowdown() { return *m_slowdown; }
  [[nodiscard]] GapCard& gaps() { return *m_gaps; }
  [[nodiscard]] QComboBox& rankChoice() { return *m_rank; }
  [[nodiscard]] QComboBox& stepChoice() { return *m_step; }
  // The bars of the waterfall, in the order of its rows.
  [[nodiscard]] const std::vector<AccountBar>& bars() const { return m_bars; }

  void showOnly(const QString& words) override;

 private:
  void makeTable();
  void ask();
  void showData(const std::shared_ptr<const GainsData>& made);
  void listChoices();
  void showBars();
  void chooseBar(int row);
  void openLeaf(std::size_t at);
  void revealLongest(const AccountLeaf& leaf);
  [[nodiscard]] int barOfLeaf(int leaf) const;

  TraceSession& m_session;
  WrappedLabel* m_sentence;
  WrappedLabel* m_notes;
  Waterfall* m_waterfall;
  ChartCard* m_chart;
  TableCard* m_table;
  WhatIfCards* m_whatIf;
  SlowdownCards* m_slowdown;
  GapCard* m_gaps;
  QComboBox* m_rank;
  QComboBox* m_step;
  GainsChoice m_choice;
  std::array<bool, kLeafGroupCount> m_expanded{};
  std::vector<AccountBar> m_bars;
  std::shared_ptr<const JobReport> m_gapsOf; // whose gaps are shown
  std::shared_ptr<const GainsData> m_data;   // null: no data yet
};

} // namespace rankscope::ui
