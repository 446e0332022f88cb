// SPDX-License-Identifier: GPL-3.0-or-later
// The distributed tab: computation, communication and waits of the ranks. Bars, curves, arrival matrix and
// tables are linked: a rank hovered in one is marked in the others, a click shows it in the timeline.
// Scrolls if its cards do not fit. UI thread.
#pragma once

#include "ui/charts/chart_card.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/distributed/distributed_data.h"
#include "ui/widgets/analysis_page.h"

class QComboBox;
class QSettings;
class QGridLayout;
class QScrollArea;

namespace rankscope::ui {

class ModelPartRows;

class DistributedPanel : public AnalysisPage {
  Q_OBJECT
 public:
  DistributedPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] StackedBars& shares() { return *m_shares; }
  [[nodiscard]] StackedBars& waits() { return *m_waits; }
  [[nodiscard]] LinePlot& stepTimes() { return *m_stepTimes; }
  [[nodiscard]] HeatMap& arrivals() { return *m_arrivals; }
  // Shows the next or previous call of the selected collective.
  void stepCalls(int by) override;
  [[nodiscard]] bool canStepCalls() override;
  [[nodiscard]] TableCard& ranks() { return *m_ranks; }
  [[nodiscard]] TableCard& collectives() { return *m_collectives; }
  [[nodiscard]] TableCard& groups() { return *m_groups; }
  [[nodiscard]] ChartCard& card(const QWidget& chart) const;
  // Null without data.
  [[nodiscard]] const DistributedData* data() const { return m_data.get(); }

  // Mean per step, or total.
  void setShareOver(ShareOver over);
  void setStepFigure(StepFigure figure);
  void setCollectivesByRank(bool byRank);
  // By groupCategoryName.
  void setGroupCategory(const QString& name);
  // Marks a rank in all charts and tables; invalid: none.
  void markRank(RankIndex rank);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeCards();
  void makeControls();
  void layCards();
  void connectCharts();
  void connectTables();
  void placeCharts();
  void ask();
  void showData(std::shared_ptr<const DistributedData> made);
  void showShares();
  void showSteps();
  void showArrivals();
  void showTables();
  void showCollectives();
  [[nodiscard]] QString noCollectives() const; // REQUIRES: data
  void fitTable(TableCard& card) const;

  void revealRank(RankIndex rank);
  void showStep(RankIndex rank, std::int64_t number);
  void revealEvent(EventRef event);
  void clickSteps(int curve, double x);
  void clickArrival(int column, int row);
  enum class Occurrence : std::uint8_t { First, Next, Previous };
  // Shows a call of the collective in that table row; next and previous relative to the selection, cyclic.
  void revealOccurrence(int tableRow, Occurrence which);
  [[nodiscard]] StepFigure stepFigure() const;
  [[nodiscard]] const StepCurves& shownSteps() const;

  TraceSession& m_session;
  std::shared_ptr<const DistributedData> m_data;
  QScrollArea* m_scroll;
  QGridLayout* m_charts;
  StackedBars* m_shares;
  ChartCard* m_sharesCard = nullptr;
  StackedBars* m_waits;
  ChartCard* m_waitsCard = nullptr;
  LinePlot* m_stepTimes;
  ChartCard* m_stepTimesCard = nullptr;
  HeatMap* m_arrivals;
  ChartCard* m_arrivalsCard = nullptr;
  TableCard* m_ranks = nullptr;
  TableCard* m_collectives = nullptr;
  TableCard* m_groups = nullptr;
  QComboBox* m_over;
  QComboBox* m_figure;
  QComboBox* m_category;
  QComboBox* m_byRank;
  ModelPartRows* m_parts; // the collectives by part of the model
  RankIndex m_marked;
};

} // namespace rankscope::ui
