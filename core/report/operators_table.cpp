// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/operators_table.h"

namespace rankscope {

ResultTable operatorsTable(const Analysis& analysis) {
  ResultTable table("operators", {{"rank", Unit::Identity},
                                  {"capture", Unit::Identity},
                                  {"operator", Unit::Text},
                                  {"calls", Unit::Count},
                                  {"host_self_us", Unit::Nanoseconds},
                                  {"host_total_us", Unit::Nanoseconds},
                                  {"device_self_us", Unit::Nanoseconds},
                                  {"device_total_us", Unit::Nanoseconds},
                                  {"tensor_core_eligible", Unit::Identity},
                                  {"tensor_core_self_pct", Unit::Percent},
                                  {"tensor_core_total_pct", Unit::Percent}});
  const TraceSet& trace = analysis.trace();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = trace.rank(rank);
    for (const OperatorStatistics& op : analysis.operators(rank).operators) {
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                    Cell(trace.names()[op.name]), Cell(op.calls), Cell(op.hostSelf), Cell(op.hostTotal),
                    Cell(op.deviceSelf), Cell(op.deviceTotal), Cell(std::int64_t{op.tensorCoreEligible}),
                    cellOf(op.tensorCoreSelfPct()), cellOf(op.tensorCoreTotalPct())});
    }
  }
  return table;
}

} // namespace rankscope
