// SPDX-License-Identifier: GPL-3.0-or-later
// What a step would be shorter by without a fault: a lower and a higher bound; and how bad and how certain a
// finding is. Severity follows from the lower bound, so that nothing is called critical that may win nothing.
// Plain data.
#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

enum class Severity : std::uint8_t { Info, Warning, Critical };

// From which share of the step time on a figure is worth a mark, and how bad it is: for everything that
// colors a figure.
struct Shares {
  double info = 0.03;
  double warning = 0.08;
  double critical = 0.2;
};

// Shares of 1; a threshold of 2 is never reached.
inline constexpr Shares kIdleShares{0.04, 0.1, 0.25};
inline constexpr Shares kExposedShares{0.08, 0.15, 0.3};
inline constexpr Shares kVarianceShares{0.1, 0.2, 2};
inline constexpr Shares kUnusedGpuShares{0.3, 0.5, 2};
// Of a finding's lower gain.
inline constexpr Shares kGainShares{0.01, 0.05, 0.15};

// How bad a share is; nothing when it is not worth a mark.
[[nodiscard]] constexpr std::optional<Severity> severityOf(double share, const Shares& shares) {
  if (share < shares.info) return std::nullopt;
  return share >= shares.critical  ? Severity::Critical
         : share >= shares.warning ? Severity::Warning
                                   : Severity::Info;
}

// Proven: counted, without a model. Likely: one assumption. Hint: names and shapes only; never above info.
enum class Confidence : std::uint8_t { Hint, Likely, Proven };

// Nanoseconds of one step; 0 <= low <= high <= the step.
struct Gain {
  TimeNs low = 0;
  TimeNs high = 0;

  bool operator==(const Gain&) const = default;
};

// share: of the step, 0 to 1. Info also below the first threshold: the rule decided that it is worth telling.
[[nodiscard]] Severity severityOfGain(double lowShare, Confidence confidence);

// "3.0 to 3.3 ms", "3.0 ms", "0 to 6.1 ms".
[[nodiscard]] std::string gainText(const Gain& gain);
// "27 to 30 %" of a time above 0; empty of none.
[[nodiscard]] std::string gainShareText(const Gain& gain, double stepTime);

// "info", "warning", "critical"; nothing for another word.
[[nodiscard]] std::string_view severityText(Severity severity);
[[nodiscard]] std::optional<Severity> severityOf(std::string_view text);
// "proven", "likely", "hint".
[[nodiscard]] std::string_view confidenceText(Confidence confidence);

} // namespace rankscope
