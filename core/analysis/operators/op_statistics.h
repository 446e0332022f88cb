// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of a rank's operators by group of calls: by name, or by OperatorGroups. A call belongs, undivided, to
// the window in which it begins; a replay of a CUDA graph, with the device time of the operators that it was
// captured in, to the window in which the graph is launched (such operators may have no calls in it). Totals
// are sums over calls, so recursive operators count inner time twice. Per call: host self = duration minus
// that of directly nested operators (runtime calls are included); device self = durations of device events
// launched by it but not by nested operators; totals include nested operators. Identity over the whole
// recording: device self of all groups + unattributed = sum of durations of all device events. If operators
// nest properly, no self time is negative. O(n) plus the depth for each device event.
#pragma once

#include "core/analysis/operators/op_groups.h"
#include "core/analysis/operators/operator_tree.h"
#include "core/base/exact_sum.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct OperatorStatistics {
  NameId name;
  std::string detail; // what the group has in common besides the name; empty if grouped by name
  std::int64_t calls = 0;
  ExactSum hostSelf;
  ExactSum hostTotal;
  ExactSum deviceSelf;
  ExactSum deviceTotal;
  ExactSum tensorCoreSelf; // part of deviceSelf in kernels that use tensor cores
  ExactSum tensorCoreTotal;
  // By its name, or because a call contains an eligible operator or launched a tensor core kernel.
  bool tensorCoreEligible = false;

  // 0 to 100; empty without device time.
  [[nodiscard]] std::optional<double> tensorCoreSelfPct() const;
  [[nodiscard]] std::optional<double> tensorCoreTotalPct() const;
};

struct OperatorProfile {
  std::vector<OperatorStatistics> operators; // by device self, then host self, descending; then by name
  ExactSum unattributedDevice;               // device events without a known launching operator
  std::int64_t unattributedEvents = 0;
};

// Grouped by name.
[[nodiscard]] OperatorProfile operatorProfile(const RankTrace& trace, const OperatorTree& tree,
                                              const StringTable& names, TimeRange window = kAllTime);
[[nodiscard]] OperatorProfile operatorProfile(const RankTrace& trace, const OperatorTree& tree,
                                              const StringTable& names, const OperatorGroups& groups,
                                              TimeRange window = kAllTime);

} // namespace rankscope
