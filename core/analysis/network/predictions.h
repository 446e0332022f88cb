// SPDX-License-Identifier: GPL-3.0-or-later
// How long a collective would take at another size or number of ranks: inside the measured range from the
// measured curve; for other ranks the curve times the ratio of the ideal algorithms. Always with a band.
// Pure; O(1) a prediction.
#pragma once

#include "core/analysis/network/bandwidth.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Latency of one step of an algorithm, and bandwidth of the slowest link, as a series shows them.
struct StepModel {
  double stepUs = 0;   // a
  double wireGbS = 0;  // bus bandwidth of large transfers
  double launchUs = 0; // part of the latency that does not depend on the ranks
};

// Nvls: the switch reduces; AllReduce within one NVLink domain, whatever the number of ranks.
enum class IdealForm : std::uint8_t { Ring, Tree, Nvls };
[[nodiscard]] std::string_view idealFormText(IdealForm form); // "ring"

// Time of an ideal algorithm; empty for operations that it does not have, and for less than 2 ranks.
[[nodiscard]] std::optional<double> idealUs(CollectiveOperation operation, IdealForm form, std::int64_t ranks,
                                            double bytes, const StepModel& model);
// Of a series, if its latency is due to this form. Empty without a fit.
[[nodiscard]] std::optional<StepModel> stepModel(const BandwidthSeries& series, IdealForm form);
// Size below which a tree is faster than a ring, for AllReduce; 0: never.
[[nodiscard]] double crossoverBytes(const StepModel& model, std::int64_t ranks);

struct Prediction {
  std::string group;
  CollectiveOperation operation = CollectiveOperation::Unknown;
  double bytes = 0;
  std::int64_t ranks = 0, nodes = 0;
  std::string form; // "measured", "ring", "tree", "nvls"
  double lowUs = 0, us = 0, highUs = 0;
  bool extrapolated = false;
};

// What is asked; empty: all, and usual values.
struct PredictionRequest {
  std::string group;
  std::optional<CollectiveOperation> operation;
  std::vector<double> bytes;
  std::optional<std::int64_t> ranks, nodes;
};

[[nodiscard]] std::vector<Prediction> predictions(const JobBandwidth& bandwidth,
                                                  const PredictionRequest& request = {});

} // namespace rankscope
