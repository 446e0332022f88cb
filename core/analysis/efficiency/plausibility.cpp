// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/plausibility.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace rankscope {

UseOfPeak useOfPeak(const std::vector<RankIndex>& ranks, const JobEfficiency& efficiency,
                    const KeptAccount& kept) {
  UseOfPeak use;
  use.fromModel = efficiency.modelFlops.has_value();
  double flops = 0;
  double recomputed = 0;
  double steps = 0;
  double atPeak = 0; // step time × peak, 10^12 operations a second times ns
  std::array<double, kNumberFormatCount> byFormat{};
  std::int64_t calls = 0;
  bool peakMissing = false;
  for (const RankIndex rank : ranks) {
    if (!use.peaks.known()) use.peaks = efficiency.peaks[rank.value];
    for (const StepEfficiency& step : efficiency.of(rank)) {
      const auto isThis = [&](const KeptWindow& window) { return window.range == step.range; };
      if (std::ranges::none_of(kept.windows[rank.value], isThis)) continue;
      ++steps;
      calls += step.calls;
      flops += static_cast<double>(step.flops);
      recomputed += static_cast<double>(step.recomputed);
      use.time += static_cast<double>(step.duration());
      atPeak += static_cast<double>(step.duration()) * step.peak;
      peakMissing = peakMissing || step.peak <= 0;
      for (std::size_t i = 0; i < kNumberFormatCount; ++i) byFormat[i] += step.flopsOf[i];
    }
  }
  use.format = static_cast<NumberFormat>(std::ranges::max_element(byFormat) - byFormat.begin());
  if (peakMissing || atPeak <= 0) return use;
  const double counted = use.fromModel ? *efficiency.modelFlops * steps : flops - recomputed;
  use.peak = atPeak / use.time;
  if (calls > 0) use.hfuPct = 100 * flops / (atPeak * 1e3);
  if (calls > 0 || use.fromModel) use.mfuPct = 100 * counted / (atPeak * 1e3);
  use.flops = counted / steps;
  use.time /= steps;
  return use;
}

std::string whyImplausible(std::optional<double> mfuPct, std::optional<double> hfuPct, bool fromModel) {
  constexpr double kMostMfuPct = 95, kMostHfuPct = 100;
  const bool mfu = mfuPct.value_or(0) > kMostMfuPct;
  const bool hfu = hfuPct.value_or(0) > kMostHfuPct;
  if (!mfu && !hfu) return {};
  return fromModel && !hfu ? "not possible: check parameters, tokens a step, GPUs and peak"
                           : "not possible: check peak and number format";
}

std::vector<ModelContradiction> contradictionsOf(const ModelSettings& model) {
  std::vector<ModelContradiction> found;
  if (model.parameters && model.activeParameters && *model.activeParameters > *model.parameters)
    found.push_back({fmt::format("Impossible model: {:.4g} of {:.4g} parameters active",
                                 *model.activeParameters, *model.parameters),
                     "A token passes no more than all parameters. MFU is by the active ones.",
                     "Check --active-params and --model-params."});
  const std::optional<double>& used = model.activeParameters ? model.activeParameters : model.parameters;
  if (used && model.vocabulary && model.hidden && !model.flopsPerToken &&
      *model.vocabulary * *model.hidden >= *used)
    found.push_back({fmt::format("Impossible model: {:.4g} of {:.4g} parameters in the embedding",
                                 *model.vocabulary * *model.hidden, *used),
                     "Vocabulary times hidden size is not below the parameters. MFU is from shapes.",
                     "Check --vocab, --hidden and the parameters."});
  return found;
}

} // namespace rankscope
