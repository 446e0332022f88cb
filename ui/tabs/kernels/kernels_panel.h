// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels tab: what the devices spent their time on, by name, by the operator that launched it or by its
// grid and block, of all ranks together or of each; how long the calls of the chosen row took, and each
// rank's time by kind. A row leads to its calls in the timeline, and what is selected there chooses its row.
// UI thread; tables, charts and calls are made on workers.
#pragma once

#include "core/report/kernels_table.h"
#include "ui/charts/chart_card.h"
#include "ui/job/occurrences.h"
#include "ui/tables/table_card.h"
#include "ui/widgets/analysis_page.h"

class QGridLayout;
class QSettings;
class QSplitter;

namespace rankscope::ui {

class ChoiceRow;
class Histogram;
class LinePlot;
class OccurrenceBar;
class RankChoice;
class ReadingNote;
class StackedBars;
struct KernelCharts;

class KernelsPanel : public AnalysisPage {
  Q_OBJECT
 public:
  KernelsPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);
  ~KernelsPanel() override;

  [[nodiscard]] TableCard& card() { return *m_card; }
  [[nodiscard]] QLineEdit& filterField() { return *m_filter; }
  [[nodiscard]] RankChoice& ranks() { return *m_ranks; }
  [[nodiscard]] ChoiceRow& grouping() { return *m_grouping; }
  [[nodiscard]] Occurrences* calls() override { return m_calls; }
  [[nodiscard]] Histogram& durations() { return *m_durations; }
  [[nodiscard]] StackedBars& kinds() { return *m_kinds; }
  [[nodiscard]] LinePlot& perStep() { return *m_perStep; }

  // Filters the table by these words.
  void showOnly(const QString& words) override;

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  enum class Grouping : std::uint8_t { Name, Operator, GridAndBlock };

  // What was made of an analysis for a choice of rows.
  struct Data {
    std::shared_ptr<const Analysis> of;
    RankRows rows;
    Grouping grouping = Grouping::Name;
    std::shared_ptr<const KernelDetails> details; // null: by name
    std::shared_ptr<const ResultTable> table;     // null: nothing is known of what it was to be grouped by
    std::shared_ptr<const KernelCharts> charts;
  };

  // What of it may serve again, as long as it is shown.
  struct Before {
    std::weak_ptr<const Analysis> of;
    std::weak_ptr<const TraceSet> trace;
    Grouping grouping;
    std::weak_ptr<const KernelDetails> details;
    std::weak_ptr<const KernelCharts> charts;
  };

  [[nodiscard]] QWidget* makeBar();
  [[nodiscard]] QWidget* makeCharts();
  void layCards();
  void placeCharts();
  void connectAll();
  void ask();
  [[nodiscard]] static Data made(const Analysis& analysis, const RankRows& rows, Grouping grouping,
                                 const Before& before, Progress& progress);
  void showData(const std::shared_ptr<const Data>& shown);
  [[nodiscard]] QString whyEmpty() const;
  void showCharts();
  void updateCaption();
  void chooseRow(int tableRow);
  void lookAt(int tableRow);
  void activate(int tableRow);
  void followSelection();
  void showDurations();
  void showCallOf(int bin);
  void connectCharts();
  void markRank(RankIndex rank);
  // The step that a place of the curves means, and of which rank.
  void showStep(int curve, double x);
  void pointAtStep(std::optional<double> x);

  TraceSession& m_session;
  QLineEdit* m_filter = nullptr;
  RankChoice* m_ranks = nullptr;
  ReadingNote* m_reading = nullptr;
  ChoiceRow* m_grouping = nullptr;
  TableCard* m_card = nullptr;
  QSplitter* m_splitter = nullptr;
  QGridLayout* m_grid = nullptr;
  Histogram* m_durations = nullptr;
  ChartCard* m_durationsCard = nullptr;
  StackedBars* m_kinds = nullptr;
  ChartCard* m_kindsCard = nullptr;
  LinePlot* m_perStep = nullptr;
  ChartCard* m_perStepCard = nullptr;
  Occurrences* m_calls;
  OccurrenceBar* m_walk = nullptr;
  Data m_data;
  int m_hoveredCurve = -1;
  int m_row = -1;                                   // whose calls are looked at
  std::shared_ptr<const CallList> m_shownDurations; // of the histogram
};

} // namespace rankscope::ui
