// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/range_tables.h"

#include <string_view>

namespace rankscope {
namespace {

Cell count(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

Cell percent(TimeNs part, TimeNs whole) {
  return whole > 0 ? Cell(100.0 * static_cast<double>(part) / static_cast<double>(whole)) : Cell();
}

} // namespace

ResultTable rangeNamesTable(const TraceSet& traces, const RangeStatistics& statistics) {
  ResultTable table("range_names", {{"name", Unit::Text},
                                    {"kind", Unit::Text},
                                    {"count", Unit::Count},
                                    {"total_us", Unit::Nanoseconds},
                                    {"self_us", Unit::Nanoseconds},
                                    {"mean_us", Unit::Nanoseconds},
                                    {"min_us", Unit::Nanoseconds},
                                    {"max_us", Unit::Nanoseconds},
                                    {"cut", Unit::Count}});
  for (const NameSums& row : statistics.names) {
    const EventSums& sums = row.sums;
    table.addRow({textCell(traces.names()[row.name]), kindText(row.kind), count(sums.count), sums.total,
                  sums.self, sums.mean(), sums.shortest, sums.longest, count(sums.cut)});
  }
  return table;
}

ResultTable rangeKindsTable(const RangeStatistics& statistics) {
  ResultTable table("range_kinds", {{"kind", Unit::Text},
                                    {"count", Unit::Count},
                                    {"total_us", Unit::Nanoseconds},
                                    {"self_us", Unit::Nanoseconds},
                                    {"busy_us", Unit::Nanoseconds},
                                    {"busy_pct", Unit::Percent},
                                    {"mean_us", Unit::Nanoseconds},
                                    {"min_us", Unit::Nanoseconds},
                                    {"max_us", Unit::Nanoseconds}});
  const TimeNs all = statistics.scope.range.length() * static_cast<TimeNs>(statistics.ranks.size());
  for (const KindSums& row : statistics.kinds) {
    const EventSums& sums = row.sums;
    table.addRow({kindText(row.kind), count(sums.count), sums.total, sums.self, row.busy,
                  percent(row.busy, all), sums.mean(), sums.shortest, sums.longest});
  }
  return table;
}

ResultTable rangeRanksTable(const TraceSet& traces, const RangeStatistics& statistics) {
  ResultTable table("range_ranks", {{"rank", Unit::Identity},
                                    {"capture", Unit::Identity},
                                    {"count", Unit::Count},
                                    {"busy_us", Unit::Nanoseconds},
                                    {"host_us", Unit::Nanoseconds},
                                    {"device_us", Unit::Nanoseconds},
                                    {"device_pct", Unit::Percent},
                                    {"compute_us", Unit::Nanoseconds},
                                    {"communication_us", Unit::Nanoseconds},
                                    {"exposed_us", Unit::Nanoseconds}});
  const TimeNs length = statistics.scope.range.length();
  for (const RankSums& row : statistics.ranks) {
    const RankEntry& entry = traces.rank(row.rank);
    table.addRow({std::int64_t{entry.rank}, std::int64_t{entry.capture}, count(row.sums.count), row.busy,
                  row.host, row.device, percent(row.device, length), row.compute, row.communication,
                  row.exposed});
  }
  return table;
}

ResultTable rangeNamesByRankTable(const TraceSet& traces, std::span<const RankNameSums> rows) {
  ResultTable table("range_names_by_rank", {{"name", Unit::Text},
                                            {"kind", Unit::Text},
                                            {"rank", Unit::Identity},
                                            {"capture", Unit::Identity},
                                            {"count", Unit::Count},
                                            {"total_us", Unit::Nanoseconds},
                                            {"self_us", Unit::Nanoseconds},
                                            {"mean_us", Unit::Nanoseconds},
                                            {"min_us", Unit::Nanoseconds},
                                            {"max_us", Unit::Nanoseconds},
                                            {"cut", Unit::Count}});
  for (const RankNameSums& row : rows) {
    const RankEntry& entry = traces.rank(row.rank);
    const EventSums& sums = row.of.sums;
    table.addRow({textCell(traces.names()[row.of.name]), kindText(row.of.kind), std::int64_t{entry.rank},
                  std::int64_t{entry.capture}, count(sums.count), sums.total, sums.self, sums.mean(),
                  sums.shortest, sums.longest, count(sums.cut)});
  }
  return table;
}

} // namespace rankscope
