// SPDX-License-Identifier: GPL-3.0-or-later
// The efficiency tab: MFU and what it is made of, the step from peak to achieved, the roofline, why MFU is
// low, every product with what it reached, and iterations of inference. A dot leads to its row, a row to its
// calls, the longest first, a check to its finding. UI thread; the content is computed on a worker, which
// reads the arguments of operators again.
#pragma once

#include "ui/tabs/efficiency/efficiency_data.h"
#include "ui/widgets/analysis_page.h"

#include <array>
#include <memory>

class QGridLayout;
class QLabel;
class QSettings;
class QToolButton;

namespace rankscope::ui {

class ChoiceRow;
class ModelBox;
class OccurrenceBar;
class Occurrences;
class TableCard;
class TraceSession;
class WrappedLabel;

class EfficiencyPanel : public AnalysisPage {
  Q_OBJECT
 public:
  EfficiencyPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] const FigureCard& figure(EfficiencyFigure of) const {
    return *m_figures[static_cast<std::size_t>(of)];
  }
  [[nodiscard]] Roofline& roofline() { return *m_roofline; }
  [[nodiscard]] Waterfall& account() { return *m_account; }
  [[nodiscard]] TableCard& checklist() { return *m_checklist; }
  [[nodiscard]] TableCard& points() { return *m_points; }
  [[nodiscard]] ChoiceRow& grouping() { return *m_grouping; }
  [[nodiscard]] TableCard& iterations() { return *m_iterations; }
  [[nodiscard]] ChoiceRow& iterationGrouping() { return *m_iterationGrouping; }
  [[nodiscard]] ModelBox& model() { return *m_model; }
  [[nodiscard]] const std::shared_ptr<const EfficiencyData>& data() const { return m_data; }

  void showOnly(const QString& words) override;
  [[nodiscard]] Occurrences* calls() override { return m_calls; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeFigures();
  void layCards();
  void connectAll();
  void placeCards();
  void ask();
  void showData(const std::shared_ptr<const EfficiencyData>& made);
  void showPoints();
  [[nodiscard]] QString pointsCaption() const;
  void chooseDot(int dot);
  void openPoint(int row);
  void lookAt(int row);
  [[nodiscard]] const JobPoint* pointAt(int row) const;
  void showIterations();
  void openIteration(int row);
  [[nodiscard]] const IterationRows* chosenIterations() const;
  void reveal(RankIndex rank, EventIndex event);
  void openCheck(int row);

  TraceSession& m_session;
  std::array<FigureCard*, kEfficiencyFigureCount> m_figures{};
  FigureRow* m_figureRow;
  ModelBox* m_model;
  WrappedLabel* m_peaks;
  Waterfall* m_account;
  ChartCard* m_accountCard;
  Roofline* m_roofline;
  ChartCard* m_rooflineCard;
  TableCard* m_checklist;
  TableCard* m_points;
  ChoiceRow* m_grouping;
  Occurrences* m_calls; // of the chosen row of m_points
  OccurrenceBar* m_walk;
  TableCard* m_iterations; // hidden without any
  ChoiceRow* m_iterationGrouping;
  QGridLayout* m_grid = nullptr;
  std::shared_ptr<const EfficiencyData> m_data; // null: no data yet
};

} // namespace rankscope::ui
