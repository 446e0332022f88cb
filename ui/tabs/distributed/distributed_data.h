// SPDX-License-Identifier: GPL-3.0-or-later
// Data of the distributed tab from an analysis: bars, curves, arrival matrix and tables, with the rank of
// each. Up to some tens of ranks each has a bar and a line; of more, outliers and representatives. Pure
// functions, any thread; texts are translated.
#pragma once

#include "core/export/result_table.h"
#include "core/report/arrival_matrix.h"
#include "core/report/rank_shares.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/line_plot.h"
#include "ui/charts/stacked_bars.h"
#include "ui/widgets/rank_names.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

enum class StepFigure : std::uint8_t { Duration, ExcludingCommunication };

// Curves of recordings over steps; where each has a single step, a point above its rank.
struct StepCurves {
  Curves curves;
  std::vector<RankIndex> rankOfCurve; // invalid: of several ranks
  bool perRank = false;               // x counts ranks instead of steps
  bool together = false;              // the captures of a rank have one name
  std::size_t recordings = 0;
  std::size_t ranks = 0;
  std::size_t steps = 0; // maximum over recordings
};

struct DistributedData {
  std::shared_ptr<const Analysis> analysis;
  QString contradictedGroups;  // sentences about groups with more ranks than members; empty: none
  std::size_t steps = 0;       // maximum over ranks; 0: no steps
  std::size_t captures = 0;    // that the ranks have together; 1: each was recorded once
  bool ofRange = false;        // that leaves out a part of a recording
  std::vector<RankShare> sums; // one per rank, its captures together, like the next ones
  std::vector<RankShare> means;
  std::shared_ptr<const ResultTable> ranksTable;
  std::vector<ChosenRank> chosen;   // positions in them, by row of the bars
  std::vector<std::size_t> outlier; // positions
  StepCurves durations;
  StepCurves timesExcludingCommunication;
  std::vector<GroupCategory> categories;
  std::shared_ptr<const ArrivalMatrix> arrivals; // of the selected group category; null: none
  HeatContents heat;
  std::shared_ptr<const ResultTable> totals;
  std::shared_ptr<const ResultTable> byRank;
  std::shared_ptr<const ResultTable> groups;

  // The row of a recording's rank in the bars or the ranks table; -1: none.
  [[nodiscard]] int barOf(RankIndex rank) const;
  [[nodiscard]] int rowOf(RankIndex rank) const;
  [[nodiscard]] RankIndex rankOfBar(int row) const;
};

// category: by label, "" for the first. perStep: tables are over kept steps.
[[nodiscard]] DistributedData distributedData(const std::shared_ptr<const Analysis>& analysis,
                                              const QString& category, bool perStep);

// "default_pg · 8 ranks", "tp · 4 groups of 2 ranks", "default_pg · send/recv".
[[nodiscard]] QString groupCategoryName(const GroupCategory& category);

[[nodiscard]] BarRows shareBars(const DistributedData& data, ShareOver over);
[[nodiscard]] BarRows waitBars(const DistributedData& data, ShareOver over);
// outlier: first recordings of ranks that have a curve of their own among many.
[[nodiscard]] StepCurves stepCurves(const Analysis& analysis, std::span<const RankIndex> outlier,
                                    StepFigure figure);
[[nodiscard]] HeatContents heatOf(const Analysis& analysis, const ArrivalMatrix& matrix);
// Tooltip of a cell: collective, arrival and wait of the rank.
[[nodiscard]] QString arrivalTip(const Analysis& analysis, const ArrivalMatrix& matrix, std::size_t column,
                                 std::size_t row);

// Why no waits are shown, and no arrivals; empty if they are.
[[nodiscard]] QString whyNoWaits(const DistributedData& data);
[[nodiscard]] QString whyNoArrivals(const DistributedData& data);
// Instead of a map of nothing but zeros; empty where a rank arrived after another.
[[nodiscard]] QString sameArrivals(const DistributedData& data);
// How much of the waits is start skew of the recordings, which costs the job nothing; empty if none.
[[nodiscard]] QString startSkewOf(const DistributedData& data, const std::vector<RankShare>& shares);
[[nodiscard]] QString whyNoSteps(const DistributedData& data);

} // namespace rankscope::ui
