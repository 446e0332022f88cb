// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/collectives_table.h"

#include <algorithm>
#include <string>

namespace rankscope {

namespace {

// Whether a participant is in scope.
bool inScope(const Analysis& analysis, const CollectiveMatch& match, const CollectiveInstance& instance) {
  return std::ranges::any_of(match.of(instance), [&](const Participant& p) {
    const CollectiveCall& call = analysis.collectiveCalls(p.rank)[p.call];
    return analysis.window(p.rank).contains(call.range.begin);
  });
}

} // namespace

ResultTable collectivesTable(const Analysis& analysis) {
  ResultTable table("collectives", {{"rank", Unit::Identity},
                                    {"capture", Unit::Identity},
                                    {"group", Unit::Text},
                                    {"group_size", Unit::Count},
                                    {"operation", Unit::Text},
                                    {"calls", Unit::Count},
                                    {"bytes", Unit::Bytes},
                                    {"total_us", Unit::Nanoseconds},
                                    {"wait_us", Unit::Nanoseconds},
                                    {"transfer_us", Unit::Nanoseconds},
                                    {"exposed_us", Unit::Nanoseconds},
                                    {"algbw_gb_s", Unit::GigabytesPerSecond},
                                    {"busbw_gb_s", Unit::GigabytesPerSecond}});
  const CollectiveMatch& match = analysis.collectives().match;
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    for (const CollectiveStatistics& s : analysis.collectiveStatistics(rank)) {
      const JobGroup& group = match.groups[s.group.value];
      const std::string label = group.label();
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}), textCell(label),
                    group.size > 0 ? Cell(group.size) : Cell(), Cell(operationText(s.operation)),
                    Cell(s.calls), cellOf(s.bytes), Cell(s.total), s.matched > 0 ? Cell(s.wait) : Cell(),
                    s.matched > 0 ? Cell(s.transfer) : Cell(), Cell(s.exposed), cellOf(s.algbwGbS),
                    cellOf(s.busbwGbS)});
    }
  }
  return table;
}

ResultTable collectiveInstancesTable(const Analysis& analysis) {
  ResultTable table("collective_instances", {{"id", Unit::Identity},
                                             {"group", Unit::Text},
                                             {"operation", Unit::Text},
                                             {"sequence", Unit::Identity},
                                             {"bytes", Unit::Bytes},
                                             {"dtype", Unit::Text},
                                             {"ranks", Unit::Count},
                                             {"matched_by", Unit::Text},
                                             {"first_begin_us", Unit::Nanoseconds},
                                             {"last_begin_us", Unit::Nanoseconds},
                                             {"end_us", Unit::Nanoseconds},
                                             {"last_rank", Unit::Identity},
                                             {"skew_us", Unit::Nanoseconds},
                                             {"transfer_us", Unit::Nanoseconds}});
  const TraceSet& trace = analysis.trace();
  const CollectiveMatch& match = analysis.collectives().match;
  const JobTime jobBegin = analysis.extent().begin;
  for (std::size_t i = 0; i < match.instances.size(); ++i) {
    const CollectiveInstance& instance = match.instances[i];
    if (!inScope(analysis, match, instance)) continue;
    const std::string label = match.group(instance).label();
    const auto ofMatched = [&](std::int64_t value) { return instance.matched() ? Cell(value) : Cell(); };
    table.addRow({Cell(static_cast<std::int64_t>(i) + 1), textCell(label),
                  Cell(operationText(instance.operation)),
                  instance.sequence >= 0 ? Cell(instance.sequence) : Cell(), cellOf(instance.bytes),
                  instance.dtype.valid() ? textCell(trace.names()[instance.dtype]) : Cell(),
                  Cell(std::int64_t{instance.count}), textCell(matchedByText(instance.matchedBy)),
                  Cell(instance.firstBegin - jobBegin), Cell(instance.lastBegin - jobBegin),
                  Cell(instance.end - jobBegin),
                  instance.matched() ? Cell(std::int64_t{trace.rank(instance.lastRank).rank}) : Cell(),
                  ofMatched(instance.skew()), ofMatched(instance.transfer)});
  }
  return table;
}

} // namespace rankscope
