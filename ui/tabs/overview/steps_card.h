// SPDX-License-Identifier: GPL-3.0-or-later
// Step time breakdown of the mean rank or of one rank: one bar per step. For many steps, the slowest,
// median and fastest ones, or the step time of all as a curve; the caption shows which. A click shows the
// step in the timeline. UI thread.
#pragma once

#include "core/report/step_means.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/stacked_bars.h"

#include <memory>
#include <vector>

class QComboBox;
class QStackedWidget;

namespace rankscope {
class Analysis;
}

namespace rankscope::ui {

class LinePlot;
class TraceSession;

class StepsCard : public ChartCard {
  Q_OBJECT
 public:
  // The maximum number of bars.
  static constexpr std::size_t kMaxBars = 18;

  explicit StepsCard(TraceSession& session, QWidget* parent = nullptr);

  // Null: no data yet. REQUIRES: steps and breakdowns are computed.
  void setAnalysis(std::shared_ptr<const Analysis> analysis);

  [[nodiscard]] StackedBars& bars() { return *m_bars; }
  [[nodiscard]] LinePlot& curve() { return *m_curve; }
  // The mean of all ranks first, then each rank.
  [[nodiscard]] QComboBox& rankChoice() { return *m_rank; }
  [[nodiscard]] QComboBox& kindChoice() { return *m_kind; }
  // The steps with a bar, by row.
  [[nodiscard]] const std::vector<StepMean>& shownSteps() const { return m_shown; }
  // The maximum useful height of the visible chart.
  [[nodiscard]] int largestChartHeight() const;

 signals:
  void stepRevealed();

 private:
  StepsCard(TraceSession& session, StackedBars* bars, LinePlot* curve, QWidget* parent);

  void listRanks();
  void showChosen();
  void showBars(const std::vector<StepMean>& steps);
  void showCurve(const std::vector<StepMean>& steps);
  [[nodiscard]] RankIndex chosenRank() const;
  [[nodiscard]] bool hasDevices() const;
  [[nodiscard]] bool areSteps() const; // else windows without marks of the profiler
  [[nodiscard]] QString captionFor(std::size_t steps, bool asCurve) const;
  [[nodiscard]] QString whatIsShown(std::size_t steps, bool asCurve) const;
  void reveal(const StepMean& step);

  TraceSession& m_session;
  StackedBars* m_bars;
  LinePlot* m_curve;
  QStackedWidget* m_charts;
  QComboBox* m_rank;
  QComboBox* m_kind;
  std::shared_ptr<const Analysis> m_analysis;
  std::vector<StepMean> m_steps; // of the curve, by position
  std::vector<StepMean> m_shown;
  bool m_byRank = false; // one step, by rank
};

} // namespace rankscope::ui
