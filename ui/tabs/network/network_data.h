// SPDX-License-Identifier: GPL-3.0-or-later
// What the Network tab shows of a report, for links as they were recognized or chosen: tables, the curves of
// bandwidth or time by size with what links give at best, models and predictions. Pure; made on a worker.
#pragma once

#include "core/analysis/network/bucket_advice.h"
#include "core/analysis/network/predictions.h"
#include "core/report/job_report.h"
#include "core/report/network_view.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/log_plot.h"
#include "ui/charts/stacked_bars.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <utility>
#include <vector>

namespace rankscope::ui {

// A call that took much longer than others of its size.
struct SlowCall {
  std::size_t series = 0, size = 0; // places
  InstanceIndex instance;
  double us = 0;
};

struct NetworkData {
  std::shared_ptr<const JobNetwork> network;
  std::shared_ptr<const JobBandwidth> bandwidth;
  std::vector<NetProblem> problems;
  FabricSettings fabrics;
  bool log = false;      // NCCL's log is there
  bool measured = false; // a size has samples
  std::shared_ptr<const ResultTable> communicators, algorithms, fits, nics, settings, problemsTable, warnings,
      files, buckets;
  std::vector<BucketAdvice> advice;
  std::vector<SlowCall> slowCalls;                            // by series, then slowest first
  std::vector<std::pair<std::size_t, std::size_t>> sizeOfRow; // of algorithms: places of series and size
  std::vector<std::size_t> drawn; // communicators with a picture, in the order of the choice
  QStringList drawnNames;
  QStringList operations; // of series with samples
  QString linksText;      // "NVLink 4 450 GB/s within a host · ..." and what they were recognized by
};

[[nodiscard]] NetworkData networkData(const JobReport& report, const FabricSettings& fabrics);

enum class NetworkFigure : std::uint8_t { Bus, Algorithm, Time };

// Curves of an operation (empty: all), with dashed models. times: ranks of the prediction as a multiple of
// those that were measured; 1: none.
struct NetworkCurves {
  LogCurves curves;
  std::vector<LegendItem> legend;
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>>
      places;                                    // by curve: series, size of each point
  std::vector<std::vector<InstanceIndex>> calls; // by curve: the call of each point, of single calls
  QString note;                                  // why there is no prediction
};
[[nodiscard]] NetworkCurves networkCurves(const NetworkData& data, const QString& operation,
                                          NetworkFigure figure, int times);

// Step times at each bucket_cap_mb, of the first group that there is advice for.
struct BucketBars {
  BarRows bars;
  QString caption;
  QString notes;   // what the figures stand on; may be long
  QString refused; // why there is no advice; empty: there is, or there are no buckets
};
[[nodiscard]] BucketBars bucketBars(const std::vector<BucketAdvice>& advice);

// What to set so that NCCL writes the logs that the tab reads.
[[nodiscard]] QString ncclRecipe();

} // namespace rankscope::ui
