// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/recomputed_work.h"

#include "core/analysis/operators/recomputation.h"

#include <algorithm>

namespace rankscope {

namespace {

void addKernels(const RankTrace& trace, const StringTable& names, const OperatorTree& tree,
                std::vector<RecomputedWork>& work) {
  const std::vector<std::uint8_t> recomputed = recomputedDeviceEvents(trace, names, tree);
  for (std::size_t i = 0; i < recomputed.size(); ++i) {
    const EventIndex event(trace.deviceBegin.value + i);
    if (recomputed[i] == 0 || trace.events.kind[event] != EventKind::Kernel) continue;
    work.push_back({trace.events.begin[tree.owners[i]], trace.events.range(event)});
  }
}

void addOperators(const RankTrace& trace, const StringTable& names, const OperatorTree& tree,
                  std::vector<RecomputedWork>& work) {
  std::vector<EventIndex> operators;
  forEachOperator(trace, names, [&](EventIndex op) { operators.push_back(op); });
  const std::vector<std::uint8_t> recomputed = recomputedOperators(trace, names, tree, operators);
  std::vector<std::uint8_t> within(recomputed.empty() ? 0 : trace.events.name.size());
  for (std::size_t i = 0; i < recomputed.size(); ++i) {
    if (recomputed[i] == 0) continue;
    within[operators[i].value] = 1;
    const EventIndex caller = tree.enclosingOf(operators[i]);
    if (caller.valid() && within[caller.value] != 0) continue;
    const TimeRange range = trace.events.range(operators[i]);
    work.push_back({range.begin, range});
  }
}

} // namespace

std::vector<RecomputedWork> recomputedWork(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  std::vector<RecomputedWork> work;
  if (trace.hasDeviceEvents())
    addKernels(trace, analysis.trace().names(), analysis.operatorTree(rank), work);
  else
    addOperators(trace, analysis.trace().names(), analysis.operatorTree(rank), work);
  std::ranges::stable_sort(work, {}, &RecomputedWork::asked);
  return work;
}

} // namespace rankscope
