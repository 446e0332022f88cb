// SPDX-License-Identifier: GPL-3.0-or-later
// Whether what a job is said to compute can be: no device does more than its peak, and no model has more in
// its parts than in all. Pure.
#pragma once

#include "core/analysis/account/kept_account.h"
#include "core/analysis/efficiency/job_efficiency.h"

#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// MFU and HFU over ranks and kept steps.
struct UseOfPeak {
  std::optional<double> mfuPct; // by the model where the user gave one, else from shapes
  std::optional<double> hfuPct;
  double flops = 0; // those of MFU, of a mean step of a rank
  double time = 0;  // that step, ns
  double peak = 0;  // mean over the mixes, 10^12 operations a second
  NumberFormat format = NumberFormat::Unknown;
  RankPeaks peaks; // of the first rank that has any
  bool fromModel = false;
};

// Without shares where the peak of a step with FLOPs is not known.
[[nodiscard]] UseOfPeak useOfPeak(const std::vector<RankIndex>& ranks, const JobEfficiency& efficiency,
                                  const KeptAccount& kept);

// What may be wrong where more was reached than a device can do; empty where it can be.
[[nodiscard]] std::string whyImplausible(std::optional<double> mfuPct, std::optional<double> hfuPct,
                                         bool fromModel);

// What contradicts itself in what the user says of the model: a title, "8 of 7 billion parameters active",
// and what follows.
struct ModelContradiction {
  std::string title;
  std::string meaning;
  std::string fix;
};
[[nodiscard]] std::vector<ModelContradiction> contradictionsOf(const ModelSettings& model);

} // namespace rankscope
