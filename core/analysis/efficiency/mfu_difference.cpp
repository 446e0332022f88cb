// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/mfu_difference.h"

#include "core/analysis/classify/name_traits.h"
#include "core/analysis/efficiency/calls_of_steps.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace rankscope {

namespace {

// Of all of a call, in ns at the peak.
struct CallDifference {
  double causal = 0;
  double fast = 0;
  double overlapped = 0;
  bool fewer = false;
};

std::vector<CallDifference> differencesOfCalls(const Analysis& analysis, RankIndex rank,
                                               const RankAccount& account, const RankFlops& flops,
                                               const RankPeaks& peaks) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  std::vector<CallDifference> of(flops.calls.size());
  std::vector<TimeNs> owned(flops.calls.size());
  for (std::size_t i = 0; i < account.pieces.size(); ++i) {
    const TimePieces::Piece& piece = account.pieces[i];
    if (piece.timeClass != TimeClass::Compute || !piece.event.valid() || !trace.isDeviceEvent(piece.event))
      continue;
    const std::int32_t call = flops.callOf[piece.event.value - trace.deviceBegin.value];
    if (call >= 0) owned[static_cast<std::size_t>(call)] += account.pieces.rangeOf(i).length();
  }
  NameMemory<std::uint8_t (*)(std::string_view)> isFast(
      analysis.trace().names(),
      [](std::string_view name) -> std::uint8_t { return isFastConvolution(name); });
  for (std::size_t i = 0; i < flops.callOf.size(); ++i) {
    const EventIndex event(trace.deviceBegin.value + i);
    if (flops.callOf[i] >= 0 && isFast[trace.events.name[event]] != 0)
      of[static_cast<std::size_t>(flops.callOf[i])].fewer = true;
  }
  for (std::size_t i = 0; i < of.size(); ++i) {
    const FlopCall& call = flops.calls[i];
    const double peak = peaks.of(call.work.format) * 1e3; // FLOPs a ns
    if (!call.counts() || peak <= 0) continue;
    const double executed = static_cast<double>(call.work.executed) / peak;
    of[i].causal = static_cast<double>(call.work.flops) / peak - executed;
    of[i].fast = std::max(0.0, executed - static_cast<double>(call.deviceTime));
    of[i].overlapped = std::max(0.0, executed - static_cast<double>(owned[i])) - of[i].fast;
  }
  return of;
}

} // namespace

std::vector<std::optional<MfuDifference>> mfuDifferences(const Analysis& analysis, RankIndex rank,
                                                         const RankAccount& account, const RankFlops& flops,
                                                         const RankPeaks& peaks,
                                                         const std::vector<StepEfficiency>& steps) {
  std::vector<std::optional<MfuDifference>> differences(steps.size());
  if (flops.callOf.empty()) return differences;
  const std::vector<CallDifference> calls = differencesOfCalls(analysis, rank, account, flops, peaks);
  const CallsOfSteps ofSteps(analysis, rank, flops);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepEfficiency& step = steps[i];
    const std::optional<TimeNs> atPeak = step.part(EfficiencyPart::ModelFlops);
    if (!step.mfuPct() || !atPeak) continue;
    MfuDifference& of = differences[i].emplace();
    ofSteps.forEach(i, step.range, [&](std::size_t call, double share) {
      if (flops.calls[call].recomputed) return;
      of.causal += share * calls[call].causal;
      of.fastKernels += share * calls[call].fast;
      if (calls[call].fewer) of.fewerFlops += share * calls[call].fast;
      of.overlapped += share * calls[call].overlapped;
    });
    const double counted = *step.mfuPct() / 100 * static_cast<double>(step.duration());
    of.anotherStep = counted - static_cast<double>(*atPeak) - of.sum();
  }
  return differences;
}

bool isFastConvolution(std::string_view kernel) {
  // MIOpen's assembly of this name is all Winograd.
  static constexpr std::array<std::string_view, 6> kParts{"winograd", "Winograd", "Sp3AsmConv",
                                                          "fft",      "FFT",      "Fft"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; });
}

} // namespace rankscope
