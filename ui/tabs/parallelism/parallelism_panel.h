// SPDX-License-Identifier: GPL-3.0-or-later
// The parallelism tab: how the job is divided and what each dimension costs. Ranks as a grid, exposed time by
// dimension, and a chart and a table for each dimension that the job has: pipeline, FSDP units, gradient
// buckets, tensor-parallel layers, experts. A rank chosen in the grid is shown in all of them. A field
// corrects the layout where it was not recognized; it is kept with the job. UI thread; the content is
// computed on a worker.
#pragma once

#include "ui/tabs/parallelism/parallelism_data.h"
#include "ui/widgets/analysis_page.h"

#include <array>
#include <memory>

class QGridLayout;
class QLabel;
class QLineEdit;
class QSettings;

namespace rankscope::ui {

class ChoiceRow;
class TableCard;
class TraceSession;
class WrappedLabel;

class ParallelismPanel : public AnalysisPage {
  Q_OBJECT
 public:
  ParallelismPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] const std::shared_ptr<const ParallelismData>& data() const { return m_data; }
  [[nodiscard]] const FigureCard& figure(ParallelismFigure of) const {
    return *m_figures[static_cast<std::size_t>(of)];
  }
  [[nodiscard]] RankCells& grid() { return *m_grid; }
  [[nodiscard]] LaneChart& pipeline() { return *m_pipeline; }
  [[nodiscard]] LaneChart& fsdp() { return *m_fsdp; }
  [[nodiscard]] LaneChart& buckets() { return *m_buckets; }
  [[nodiscard]] StackedBars& layers() { return *m_layers; }
  [[nodiscard]] HeatMap& traffic() { return *m_traffic; }
  [[nodiscard]] StackedBars& dimensions() { return *m_dimensions; }
  [[nodiscard]] ChoiceRow& coloring() { return *m_coloring; }
  [[nodiscard]] QLineEdit& layoutField() { return *m_field; }
  [[nodiscard]] QLabel& layoutProblem() { return *m_problem; }
  [[nodiscard]] TableCard& table(ParallelTable of) { return *m_tables[static_cast<std::size_t>(of)]; }

  void showOnly(const QString& words) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeFigures();
  void makeTables(QSettings& settings);
  void layCards();
  QWidget* layoutCard();
  void placeCards();
  void ask();
  void showData(const std::shared_ptr<const ParallelismData>& made);
  void showDimensions();
  void showPipeline();
  void showRankCharts();
  void showLayers();
  void showTraffic();
  [[nodiscard]] QString whyUnknown(GridFigure of) const;
  void showGrid();
  void chooseRank();
  void showTables();
  void takeLayout();
  void loadLayout();
  void openAction(int box);
  [[nodiscard]] QString trafficTip(std::size_t column, std::size_t row) const;
  // Of the chosen rank, else the first; null without any.
  [[nodiscard]] const PipelineChart* shownPipeline() const;
  [[nodiscard]] QString settingsKey() const;

  TraceSession& m_session;
  QSettings& m_settings;
  LayoutSettings m_layout;
  QString m_layoutJob; // whose layout was loaded
  std::array<FigureCard*, kParallelismFigureCount> m_figures{};
  FigureRow* m_figureRow;
  WrappedLabel* m_evidence;
  QLineEdit* m_field;
  QLabel* m_problem;
  RankCells* m_grid;
  ChartCard* m_gridCard;
  ChoiceRow* m_coloring;
  StackedBars* m_dimensions;
  ChartCard* m_dimensionsCard;
  LaneChart* m_pipeline;
  ChartCard* m_pipelineCard;
  StackedBars* m_bubble;
  ChartCard* m_bubbleCard;
  LaneChart* m_fsdp;
  ChartCard* m_fsdpCard;
  LaneChart* m_buckets;
  ChartCard* m_bucketsCard;
  StackedBars* m_layers;
  ChartCard* m_layersCard;
  HeatMap* m_traffic;
  ChartCard* m_trafficCard;
  std::array<TableCard*, kParallelTableCount> m_tables{};
  QGridLayout* m_cards = nullptr;
  std::shared_ptr<const ParallelismData> m_data; // null: no data yet
};

} // namespace rankscope::ui
