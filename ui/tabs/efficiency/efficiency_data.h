// SPDX-License-Identifier: GPL-3.0-or-later
// What the efficiency tab shows: figures, the step from peak to achieved, roofline, GEMMs and checklist of
// the report, for peaks and model as the user gave them. Pure; made on a worker.
#pragma once

#include "core/report/efficiency_checklist.h"
#include "core/report/efficiency_view.h"
#include "core/report/iteration_view.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/roofline.h"
#include "ui/charts/waterfall.h"
#include "ui/widgets/figure_card.h"

#include <QString>

#include <array>
#include <memory>
#include <vector>

namespace rankscope::ui {

enum class EfficiencyFigure : std::uint8_t { Mfu, Hfu, Computing, Flops, Throughput, Coverage };
inline constexpr std::size_t kEfficiencyFigureCount = 6;

struct EfficiencyData {
  EfficiencySettings settings;
  EfficiencyView view;
  std::array<Figure, kEfficiencyFigureCount> figures;
  WaterfallRows account;
  std::vector<LegendItem> accountLegend;
  RooflineContents roofline;
  std::vector<LegendItem> rooflineLegend;
  QString aboveRoof;                                        // why dots are above the roof; empty: none is
  std::vector<int> pointOfDot;                              // places in EfficiencyView::points
  std::array<std::shared_ptr<const ResultTable>, 3> points; // by PointGroups
  std::shared_ptr<const ResultTable> checklist;             // check, answer, measured, time_us, finding, rule
  std::vector<EfficiencyCheck> checks;                      // by row of it
  IterationView iterations;                                 // of inference
  QString iterationsText;
  bool ofRange = false;  // that leaves out a part of a recording
  bool ofDigest = false; // which knows no other peaks and models
  bool captured = false; // most launches were captured into CUDA graphs, so that the device ran little
  QString whyEmpty;      // why there are no points
  QString peaksText;     // "H100: bf16 989 TFLOP/s, 3 352 GB/s"
};

[[nodiscard]] EfficiencyData efficiencyData(const JobReport& report, const EfficiencySettings& asked);

} // namespace rankscope::ui
