// SPDX-License-Identifier: GPL-3.0-or-later
// From which share of the step time on a cost is worth a finding, and how bad it is: for the rules, and for
// everybody who colours a figure by the same measure. Constant.
#pragma once

#include "core/analysis/findings/finding_kinds.h"

#include <optional>

namespace rankscope {

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

// How bad a share is; nothing when it is not worth a finding.
[[nodiscard]] constexpr std::optional<Severity> severityOf(double share, const Shares& shares) {
  if (share < shares.info) return std::nullopt;
  return share >= shares.critical  ? Severity::Critical
         : share >= shares.warning ? Severity::Warning
                                   : Severity::Info;
}

} // namespace rankscope
