// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/idle_times.h"

#include "core/analysis/account/avoidable_time.h"
#include "core/base/parallel_for.h"

namespace rankscope {

namespace {

std::vector<IdleTime> idleTimesOf(const IntervalSet& loading, const TimePieces& pieces) {
  std::vector<IdleTime> times;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const TimeRange range = pieces.rangeOf(i);
    if (pieces[i].timeClass == TimeClass::Idle)
      times.push_back({range, pieces[i].leaf, avoidableTime(loading, range, pieces[i])});
  }
  times.shrink_to_fit();
  return times;
}

} // namespace

IdleTimes idleTimes(const Analysis& analysis, const JobAccount& account) {
  IdleTimes times(account.ranks.size());
  for (const RankIndex rank : analysis.ranks())
    times[rank.value] = idleTimesOf(analysis.wholePhases(rank).dataLoader, account.of(rank).pieces);
  return times;
}

IdleTimes idleTimes(const Analysis& analysis, unsigned threadCount) {
  IdleTimes times(analysis.trace().ranks().size());
  const AccountFacts facts = accountFacts(analysis, threadCount);
  const std::vector<RankIndex>& ranks = analysis.ranks();
  parallelFor(ranks.size(), threadCount, [&](std::size_t i) {
    times[ranks[i].value] =
        idleTimesOf(analysis.wholePhases(ranks[i]).dataLoader, rankAccount(analysis, ranks[i], facts).pieces);
  });
  return times;
}

} // namespace rankscope
