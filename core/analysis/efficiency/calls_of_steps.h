// SPDX-License-Identifier: GPL-3.0-or-later
// Which calls of operators belong to a step: those that begin in it on the host. To a range of the recording
// in which no step begins belong the kernels that run in it, because they may have been launched before, and
// so much of their calls. Only calls that count. Immutable; O(log calls) a step beside its calls, O(device
// events) a range.
#pragma once

#include "core/analysis/efficiency/rank_flops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope {

class CallsOfSteps {
 public:
  // REQUIRES: all outlive this.
  CallsOfSteps(const Analysis& analysis, RankIndex rank, const RankFlops& flops);

  // Calls visit(place in RankFlops::calls, share of the call) for the step at a place of the account, whose
  // range this is.
  template <class Visit> void forEach(std::size_t step, TimeRange range, Visit&& visit) const {
    const std::optional<TimeRange> host = hostOf(step);
    if (!host) {
      for (const auto& [call, share] : byKernels(range)) visit(call, share);
      return;
    }
    auto at = std::ranges::lower_bound(m_byTime, host->begin, {}, &std::pair<TimeNs, std::size_t>::first);
    for (; at != m_byTime.end() && at->first < host->end; ++at) visit(at->second, 1.0);
  }

 private:
  // Nothing where kernels decide.
  [[nodiscard]] std::optional<TimeRange> hostOf(std::size_t step) const;
  [[nodiscard]] std::map<std::size_t, double> byKernels(TimeRange range) const;

  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankFlops& m_flops;
  std::vector<std::pair<TimeNs, std::size_t>> m_byTime;
};

} // namespace rankscope
