// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels tab: device time by name, launching operator or grid and block, as a sum over ranks or
// each; the duration histogram of the selected row, and each rank's time by kind. A row opens its calls in
// the timeline, and the selection there selects its row. UI thread; tables, charts and calls are computed
// on workers.
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
class ModelPartChoice;
class OccurrenceBar;
class RankChoice;
class ReadingNote;
class StackedBars;
class WrappedLabel;
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
  // Shown while rows are grouped by a part of the model.
  [[nodiscard]] ModelPartChoice& part() { return *m_part; }
  [[nodiscard]] Occurrences* calls() override { return m_calls; }
  [[nodiscard]] Histogram& durations() { return *m_durations; }
  [[nodiscard]] StackedBars& kinds() { return *m_kinds; }
  [[nodiscard]] LinePlot& perStep() { return *m_perStep; }

  // Filters the table.
  void showOnly(const QString& words) override;

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  enum class GroupBy : std::uint8_t { Name, Operator, GridAndBlock, Part };
  struct Grouping {
    GroupBy by = GroupBy::Name;
    CallGrouping part = CallGrouping::Module; // of Part
    bool perStep = false;                     // over kept steps alone
    bool operator==(const Grouping&) const = default;
  };

  // Data from an analysis for a choice of rows.
  struct Data {
    std::shared_ptr<const Analysis> of;
    RecordingRows rows;
    Grouping grouping;
    std::shared_ptr<const KernelDetails> details; // null: by name
    std::shared_ptr<const ResultTable> table;     // null: the grouping was not recorded
    std::shared_ptr<const KernelCharts> charts;
  };

  // Data of the previous analysis that may be reused while it is alive.
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
  [[nodiscard]] static Data made(const std::shared_ptr<const Analysis>& analysis, const RecordingRows& rows,
                                 Grouping grouping, const Before& before, Progress& progress);
  void showData(const std::shared_ptr<const Data>& shown);
  [[nodiscard]] QString whyEmpty() const;
  bool fallsBack();
  [[nodiscard]] bool isDigest() const;
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
  // Shows or hovers the step at a point of the curves.
  void showStep(int curve, double x);
  void pointAtStep(std::optional<double> x);

  TraceSession& m_session;
  QLineEdit* m_filter = nullptr;
  RankChoice* m_ranks = nullptr;
  ReadingNote* m_reading = nullptr;
  ChoiceRow* m_grouping = nullptr;
  ModelPartChoice* m_part = nullptr;
  WrappedLabel* m_fallback = nullptr; // why the rows are grouped by name
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
  int m_row = -1;                                   // row with the current calls
  std::shared_ptr<const CallList> m_shownDurations; // of the histogram
};

} // namespace rankscope::ui
