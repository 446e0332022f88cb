// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/idle_times.h"

#include "core/base/parallel_for.h"

namespace rankscope {

namespace {

std::vector<IdleTime> idleTimesOf(const TimePieces& pieces) {
  std::vector<IdleTime> times;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].timeClass == TimeClass::Idle) times.push_back({pieces.rangeOf(i), pieces[i].leaf});
  times.shrink_to_fit();
  return times;
}

} // namespace

IdleTimes idleTimes(const JobAccount& account) {
  IdleTimes times;
  times.reserve(account.ranks.size());
  for (const RankAccount& rank : account.ranks) times.push_back(idleTimesOf(rank.pieces));
  return times;
}

IdleTimes idleTimes(const Analysis& analysis, unsigned threadCount) {
  IdleTimes times(analysis.trace().ranks().size());
  const AccountFacts facts = accountFacts(analysis, threadCount);
  const std::vector<RankIndex>& ranks = analysis.ranks();
  parallelFor(ranks.size(), threadCount, [&](std::size_t i) {
    times[ranks[i].value] = idleTimesOf(rankAccount(analysis, ranks[i], facts).pieces);
  });
  return times;
}

} // namespace rankscope
