// SPDX-License-Identifier: GPL-3.0-or-later
// What the parallelism tab shows, for the layout as recognized or as the user gave it: figures, rank grid,
// exposed time by dimension, pipeline, the charts and tables of each dimension. Pure; made on a worker.
#pragma once

#include "core/report/job_report.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/rank_cells.h"
#include "ui/charts/stacked_bars.h"
#include "ui/tabs/parallelism/parallelism_charts.h"
#include "ui/tabs/parallelism/pipeline_charts.h"
#include "ui/widgets/figure_card.h"

#include <QString>

#include <array>
#include <memory>
#include <vector>

namespace rankscope::ui {

enum class GridFigure : std::uint8_t { Excluding, Exposed, Waiting, Step, Idle, Bubble, Memory };
inline constexpr std::size_t kGridFigureCount = 7;

enum class ParallelismFigure : std::uint8_t { Layout, Exposed, Bubble, Experts };
inline constexpr std::size_t kParallelismFigureCount = 4;

// Tables of the tab, by the tables of the report.
enum class ParallelTable : std::uint8_t { Groups, Buckets, Units, Zero, Layers, Stages, Experts, Traffic };
inline constexpr std::size_t kParallelTableCount = 8;

struct ParallelismData {
  LayoutSettings layout; // that it was made for
  bool ofDigest = false; // which has the layout as recognized
  bool divided = false;
  bool oneRank = false; // as recorded: there is nothing to divide
  QString whyUndivided; // what is missing, and what to do; empty where the job is divided
  bool ofRange = false; // that leaves out a part of a recording
  QString layoutNote;   // what it was recognized by
  std::array<Figure, kParallelismFigureCount> figures;
  std::array<RankCellsContents, kGridFigureCount> grids; // without values where unknown
  std::array<bool, kGridFigureCount> gridKnown{};
  QString gridNote; // what rows and columns are; empty with one axis
  BarRows dimensions;
  QString dimensionsNote;
  QString whyNoTimes; // no step to take them from
  QString whyNoCollectives;
  bool partOfStep = false; // the range lies within a step: figures are of the range
  bool areSteps = false;   // else windows are whole recordings
  std::vector<PipelineChart> pipelines;
  std::vector<RankChart> fsdp;    // by rank
  std::vector<RankChart> buckets; // by rank
  BarRows layers;
  SendMatrix traffic;
  std::array<std::shared_ptr<const ResultTable>, kParallelTableCount> tables;
};

[[nodiscard]] ParallelismData parallelismData(const JobReport& report, const LayoutSettings& layout);

} // namespace rankscope::ui
