// SPDX-License-Identifier: GPL-3.0-or-later
// What each step of a rank computed against what its device could have: MFU, HFU and the step's account from
// 100 % of the peak down to what was achieved. The account's class compute is split by kernel into the time
// that its FLOPs need at the peak, what memory and inefficiency add, and kernels that are no products; the
// parts are whole nanoseconds and add up to the step. FLOPs belong to the step in which their operator begins
// on the host, times to the step in which a kernel runs; where no step begins, both by the device. Pure;
// O(calls + pieces of the account).
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/efficiency/model_flops.h"
#include "core/analysis/efficiency/rank_flops.h"
#include "core/analysis/efficiency/rank_peaks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

// In the order in which they are taken from the step.
enum class EfficiencyPart : std::uint8_t {
  Idle,
  ExposedCommunication,
  ExposedMemory,
  NonGemm,     // kernels that multiply no matrices
  Unmodelled,  // kernels that do, and whose FLOPs are not known
  MemoryBound, // products, as far as memory limits them
  Inefficient, // products beyond that
  Recompute,   // the ideal time of what was computed again
  ModelFlops,  // the ideal time of all else: what remains is MFU
};
inline constexpr std::size_t kEfficiencyPartCount = 9;

// "idle", "non_gemm", ...: the word of the tables.
[[nodiscard]] std::string_view efficiencyPartText(EfficiencyPart part);

struct StepEfficiency {
  std::int64_t number = Step::kUnknownNumber;
  TimeRange range;
  ExactSum flops = 0; // of all calls that ran
  ExactSum recomputed = 0;
  std::array<double, kNumberFormatCount> flopsOf{}; // by NumberFormat
  std::int64_t calls = 0;
  NumberFormat format = NumberFormat::Unknown; // of most FLOPs, or of most time of product kernels
  TimeNs compute = 0;                          // device time of all compute kernels
  TimeNs covered = 0;                          // of those with known FLOPs
  double peak = 0; // 10^12 operations a second over the mix of formats; 0 not known
  // By part; the first three are always known, the others with a peak.
  std::array<std::optional<TimeNs>, kEfficiencyPartCount> parts{};

  [[nodiscard]] TimeNs duration() const { return range.length(); }
  [[nodiscard]] std::optional<double> coveragePct() const;
  [[nodiscard]] std::optional<double> tflops() const; // over the step
  [[nodiscard]] std::optional<double> hfuPct() const;
  [[nodiscard]] std::optional<double> busyHfuPct() const; // over the time that the device computed
  // From shapes: without what was computed again.
  [[nodiscard]] std::optional<double> mfuPct() const;
  // By a model's FLOPs per GPU and step.
  [[nodiscard]] std::optional<double> mfuPct(double modelFlops) const;
  [[nodiscard]] std::optional<TimeNs> part(EfficiencyPart of) const {
    return parts[static_cast<std::size_t>(of)];
  }
};

// One for each step of the account, in its order.
[[nodiscard]] std::vector<StepEfficiency> stepEfficiency(const Analysis& analysis, RankIndex rank,
                                                         const RankAccount& account, const RankFlops& flops,
                                                         const RankPeaks& peaks);

} // namespace rankscope
