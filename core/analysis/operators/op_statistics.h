// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's operators cost, by group of calls: by name, or by OperatorGroups. A call counts whole, to
// the window in which it begins. Totals are sums over calls: an operator that calls itself counts the inner
// time twice. Per call: host self = duration without that of the operators directly within (runtime calls are
// its own work); device self = durations of the device events launched from it and from no operator within
// it; totals hold what is within as well. Identity over all time: device self of all groups + unattributed =
// sum of the durations of all device events. When operators nest, no self time is negative. O(n) plus the
// depth for each device event.
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
  std::string detail; // what the group has in common beside the name; empty when grouped by name
  std::int64_t calls = 0;
  ExactSum hostSelf;
  ExactSum hostTotal;
  ExactSum deviceSelf;
  ExactSum deviceTotal;
  ExactSum tensorCoreSelf; // the part of deviceSelf in kernels that use tensor cores
  ExactSum tensorCoreTotal;
  // By its name, or because a call of it encloses an eligible operator or launched such a kernel.
  bool tensorCoreEligible = false;

  // 0 to 100; empty without device time.
  [[nodiscard]] std::optional<double> tensorCoreSelfPct() const;
  [[nodiscard]] std::optional<double> tensorCoreTotalPct() const;
};

struct OperatorProfile {
  std::vector<OperatorStatistics> operators; // by device self, then host self, largest first; then by name
  ExactSum unattributedDevice;               // of device events that no operator is known to have launched
  std::int64_t unattributedEvents = 0;
};

// By name.
[[nodiscard]] OperatorProfile operatorProfile(const RankTrace& trace, const OperatorTree& tree,
                                              const StringTable& names, TimeRange window = kAllTime);
[[nodiscard]] OperatorProfile operatorProfile(const RankTrace& trace, const OperatorTree& tree,
                                              const StringTable& names, const OperatorGroups& groups,
                                              TimeRange window = kAllTime);

} // namespace rankscope
