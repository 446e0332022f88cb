// SPDX-License-Identifier: GPL-3.0-or-later
// How long a collective would take at another size or number of ranks: inside the measured range from the
// measured curve; for other ranks the curve times the ratio of the ideal algorithms, never less than the
// wires need. Always with a band. Pure; O(measured sizes) a prediction.
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
  std::int64_t ranks = 0, nodes = 0; // nodes: 0 where the hosts are not known
  std::string form;                  // "measured", "ring", "tree", "nvls"
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

// Where ranks come to other hosts, or all to one, the links are others than those that were measured: such
// predictions are made from the expected links alone, and left out where these are not known.
[[nodiscard]] std::vector<Prediction> predictions(const JobBandwidth& bandwidth,
                                                  const PredictionRequest& request = {});
// Whether the request names a group or a collective that was not measured, among others that were.
[[nodiscard]] bool matchesNothing(const JobBandwidth& bandwidth, const PredictionRequest& request);
// Why a request that gave no prediction gave none: a clause.
[[nodiscard]] std::string predictionRefusal(const JobBandwidth& bandwidth, const PredictionRequest& request);

// Size below which an ideal tree is faster than an ideal ring, with the error of the fit. Only of AllReduce
// whose algorithm NCCL's log tells: without it, what one step takes is not known.
struct Crossover {
  double lowBytes = 0, bytes = 0, highBytes = 0;
};
[[nodiscard]] std::optional<Crossover> crossoverOf(const BandwidthSeries& series);

} // namespace rankscope
