// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about what the user or the table of devices says: figures of MFU that cannot be.
#include "core/analysis/classify/kernel_dtype.h"
#include "core/analysis/efficiency/plausibility.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/findings/findings.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

// Reading what operators computed takes its time. A device is at most about twice as fast as the table says,
// so that only steps full of products reach more than there is.
constexpr double kLeastProductShare = 0.5;

bool isFullOfProducts(const FindingContext& context) {
  double time = 0;
  for (const RankIndex rank : context.ranks())
    time += kernelTime(context, rank, "products",
                       [](std::string_view name) { return kernelDtype(name).product; });
  return time >= kLeastProductShare * context.kept().stepTime * static_cast<double>(context.ranks().size());
}

bool saysAnything(const EfficiencySettings& settings) {
  return settings.peaks != GivenPeaks() || settings.model != ModelSettings();
}

std::string implausibleUseFix(const UseOfPeak& use, bool mayBeModel) {
  if (mayBeModel)
    return "Check --model-params (of a mixture of experts --active-params), --tokens-per-step and --gpus, "
           "which are of the whole job, and --peak-tflops.";
  if (use.peaks.from == "given")
    return "Check --peak-tflops: the dense rate of the number format, without sparsity.";
  return fmt::format("Give the dense rate of this device with --peak-tflops if it is not {}. Convolutions by "
                     "Winograd or FFT and sparse products compute less than counted.",
                     use.peaks.from);
}

} // namespace

void findImplausibleUse(FindingContext& context, const EfficiencySource& source) {
  if (context.ranks().empty() || !context.hasDevices()) return;
  const auto add = [&](std::string title, std::string evidence, std::string fix) {
    context.add(
        infoAbout(FindingKind::CaptureQuality, std::move(title), std::move(evidence), std::move(fix)));
  };
  for (ModelContradiction& of : contradictionsOf(source.settings->model))
    add(std::move(of.title), std::move(of.meaning), std::move(of.fix));
  if (!saysAnything(*source.settings) && !isFullOfProducts(context)) return;
  const UseOfPeak use = useOfPeak(context.ranks(), source.efficiency(), context.kept());
  if (whyImplausible(use.mfuPct, use.hfuPct, use.fromModel).empty()) return;
  const bool mfuIsWrong = !whyImplausible(use.mfuPct, std::nullopt, use.fromModel).empty();
  const bool hfuIsWrong = !whyImplausible(std::nullopt, use.hfuPct, use.fromModel).empty();
  const std::string_view format = numberFormatText(use.format);
  std::string evidence =
      fmt::format("{:.4g} TFLOP per step and GPU{}, in {}; the peak allows {:.4g}.", use.flops / 1e12,
                  use.fromModel ? " by the model" : " by the shapes of operators",
                  durationText(rounded(use.time)), use.peak * use.time / 1e9);
  if (use.fromModel && use.hfuPct)
    evidence += fmt::format(" By the shapes of operators HFU is {}.", percentText(*use.hfuPct));
  add(fmt::format("Impossible {}: {} of {:.4g} TFLOP/s ({}{}{})", mfuIsWrong ? "MFU" : "HFU",
                  percentText(mfuIsWrong ? *use.mfuPct : *use.hfuPct), use.peak, format,
                  format.empty() ? "" : ", ", use.peaks.from),
      std::move(evidence), implausibleUseFix(use, use.fromModel && !hfuIsWrong));
}

} // namespace rankscope
