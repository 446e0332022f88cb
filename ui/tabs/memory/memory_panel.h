// SPDX-License-Identifier: GPL-3.0-or-later
// The memory tab: allocated and reserved memory of a device over time, what it is used for, allocations by
// operator, live blocks at the cursor, and memory snapshots. The device with the highest peak comes first. UI
// thread.
#pragma once

#include "ui/charts/chart_card.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/memory/memory_data.h"
#include "ui/tabs/memory/roles_section.h"
#include "ui/tabs/memory/snapshot_section.h"
#include "ui/widgets/analysis_page.h"

#include <optional>
#include <vector>

class QBoxLayout;
class QComboBox;
class QLabel;
class QSettings;

namespace rankscope::ui {

class FigureCard;
class ModelPartRows;
class ModelSizes;
class RecipeCard;

class MemoryPanel : public AnalysisPage {
  Q_OBJECT
 public:
  MemoryPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] QComboBox& devices() { return *m_devices; }
  [[nodiscard]] LinePlot& curve() { return *m_curve; }
  // By rank; hidden for a single rank.
  [[nodiscard]] LinePlot& peaks() { return *m_peaks; }
  [[nodiscard]] TableCard& operators() { return *m_operators; }
  // Blocks live at the cursor, or all.
  [[nodiscard]] TableCard& blocks() { return *m_blocks; }
  [[nodiscard]] RolesSection& roles() { return *m_roles; }
  // Hidden without snapshots.
  [[nodiscard]] SnapshotSection& snapshots() { return *m_snapshots; }
  // Hidden where nothing is expected.
  [[nodiscard]] ModelSizes& model() { return *m_model; }
  [[nodiscard]] FigureCard& peakAllocated() { return *m_peakAllocated; }
  [[nodiscard]] FigureCard& peakReserved() { return *m_peakReserved; }
  [[nodiscard]] FigureCard& unused() { return *m_unused; }
  [[nodiscard]] FigureCard& growth() { return *m_growth; }

  // Shows all blocks, or those live at the cursor.
  void setShowsAllBlocks(bool all);
  // A time of the curve's axis.
  void setCursor(double x);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makePage();
  void make();
  void showData(const std::shared_ptr<const MemoryData>& made);
  void showOperators();
  void showModel();
  // Nothing but a memory timeline of PyTorch was opened.
  [[nodiscard]] bool timelineAlone() const;
  void showFigures();
  void showCurve();
  void showPeaks();
  void showBlocks();
  // Of a time, found by a worker.
  struct LiveBlocks {
    std::vector<MemoryBlock> rows;
    std::shared_ptr<const ResultTable> table;
    std::shared_ptr<const ResultTable> roles; // null: not known
  };
  void setBlocks(LiveBlocks blocks);
  void listDevices();
  void revealBlock(int tableRow);
  void revealOperator(int tableRow);
  [[nodiscard]] QString tipOf(double x) const;

  TraceSession& m_session;
  std::shared_ptr<const MemoryData> m_made; // null: not yet
  std::optional<MemoryPlace> m_wanted;
  std::vector<MemoryBlock> m_rows;            // of the block table
  std::shared_ptr<const MemoryData> m_rowsOf; // that they were taken from
  LatestTask<LiveBlocks> m_blocksTask;
  double m_cursor = 0;
  bool m_allBlocks = false;

  QComboBox* m_devices;
  FigureCard* m_peakAllocated;
  FigureCard* m_peakReserved;
  FigureCard* m_unused;
  FigureCard* m_growth;
  LinePlot* m_curve;
  ChartCard* m_curveCard;
  LinePlot* m_peaks;
  ChartCard* m_peaksCard;
  TableCard* m_operators;
  ModelPartRows* m_parts; // the operators by part of the model
  TableCard* m_blocks;
  QComboBox* m_which;
  RolesSection* m_roles;
  QLabel* m_elsewhere; // snapshots that a digest names
  QLabel* m_onlyHost;  // why there is no memory of GPUs
  SnapshotSection* m_snapshots;
  RecipeCard* m_recipe; // without allocations and snapshots
  QWidget* m_recorded;  // what is of recordings
  QBoxLayout* m_charts; // side by side or stacked
  QBoxLayout* m_tables;
  ModelSizes* m_model;
  QWidget* m_modelCard;
};

} // namespace rankscope::ui
