// SPDX-License-Identifier: GPL-3.0-or-later
// FLOPs and efficiency of a job: each rank's operators, device peaks and steps. Computed when asked for,
// because it reads the arguments of operators again from the files. Pure; the same for any number of threads.
#pragma once

#include "core/analysis/efficiency/iterations.h"
#include "core/analysis/efficiency/step_efficiency.h"
#include "core/analysis/memory/expected_memory.h"

#include <functional>
#include <optional>
#include <vector>

namespace rankscope {

// What the user says of devices and model.
struct EfficiencySettings {
  GivenPeaks peaks;
  ModelSettings model;
  MemorySettings memory;

  bool operator==(const EfficiencySettings&) const = default;
};

struct JobFlops {
  struct Rank {
    RankFlops flops;
    RankPeaks peaks;
  };
  std::vector<Rank> ranks; // by RankIndex; empty for those that are not asked about

  [[nodiscard]] const Rank& of(RankIndex rank) const { return ranks[rank.value]; }
};

[[nodiscard]] JobFlops jobFlops(const Analysis& analysis, const EfficiencySettings& settings,
                                unsigned threadCount, const Progress* progress = nullptr);

struct JobEfficiency {
  std::vector<std::vector<StepEfficiency>> steps; // by RankIndex; as the account has them
  std::vector<RankPeaks> peaks;                   // by RankIndex; by the settings
  // FLOPs of the model per GPU and step, where the user said enough.
  std::optional<double> modelFlops;
  ModelUse use = ModelUse::Training;

  [[nodiscard]] const std::vector<StepEfficiency>& of(RankIndex rank) const { return steps[rank.value]; }
  // By the model where the user gave one, else from shapes.
  [[nodiscard]] std::optional<double> mfuPct(const StepEfficiency& step) const {
    return modelFlops ? step.mfuPct(*modelFlops) : step.mfuPct();
  }
};

[[nodiscard]] JobEfficiency jobEfficiency(const Analysis& analysis, const JobAccount& account,
                                          const JobFlops& flops, const EfficiencySettings& settings);

// Iterations of inference of all ranks, by RankIndex; empty when no rank has any. flops: asked for only then.
[[nodiscard]] JobIterations jobIterations(const Analysis& analysis, const JobAccount& account,
                                          const std::function<const JobFlops&()>& flops);

// GPUs of the job: as the user says, else the recorded world size, else the ranks that were recorded.
[[nodiscard]] std::int64_t gpusOfJob(const Analysis& analysis, const ModelSettings& model);

} // namespace rankscope
