// SPDX-License-Identifier: GPL-3.0-or-later
// Why MFU is not the share of the step that the account has for the model's FLOPs at the peak. MFU counts the
// FLOPs of operators that begin in a step by their formulas; the account has the time of kernels that run in
// it, and no kernel has more of it than it took. Causes are apart and add up to the difference. Pure;
// O(calls + pieces of the account + device events).
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/efficiency/rank_flops.h"
#include "core/analysis/efficiency/rank_peaks.h"
#include "core/analysis/efficiency/step_efficiency.h"

#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

// Of a step; FLOPs as nanoseconds at the peak. Positive: MFU has more.
struct MfuDifference {
  double causal = 0;      // pairs that a causal mask leaves out: counted, and not computed
  double fastKernels = 0; // faster than the peak allows by the formula
  double fewerFlops = 0;  // of these, of calls with kernels by Winograd or FFT, which compute less
  double overlapped = 0;  // computed while another kernel or a transfer has the time
  double anotherStep = 0; // of operators of this step in another one, less the reverse; and rounding

  [[nodiscard]] double sum() const { return causal + fastKernels + overlapped + anotherStep; }
};

// By step; nothing where MFU by shapes or the account's part is not known.
[[nodiscard]] std::vector<std::optional<MfuDifference>>
mfuDifferences(const Analysis& analysis, RankIndex rank, const RankAccount& account, const RankFlops& flops,
               const RankPeaks& peaks, const std::vector<StepEfficiency>& steps);

// Whether a kernel is a part of a convolution by Winograd or FFT.
[[nodiscard]] bool isFastConvolution(std::string_view kernel);

} // namespace rankscope
