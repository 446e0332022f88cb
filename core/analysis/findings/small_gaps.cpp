// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/small_gaps.h"

#include <unordered_set>
#include <utility>
#include <vector>

namespace rankscope {

IntervalSet gapsBetween(const FindingContext& context, RankIndex rank,
                        const std::function<bool(EventIndex)>& test) {
  std::vector<TimeRange> gaps;
  for (const KeptWindow& window : context.kept().windows[rank.value]) {
    EventIndex previous;
    bool isPrevious = false;
    context.account().of(rank).pieces.forEachWithin(
        window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
          if (piece.timeClass != TimeClass::Idle) {
            if (piece.event == previous) return;
            previous = piece.event;
            isPrevious = piece.event.valid() && test(piece.event);
          } else if (piece.leaf != Leaf::QueueLatency) {
            isPrevious = false;
          } else if (isPrevious && piece.event.valid() && test(piece.event)) {
            gaps.push_back(range);
          }
        });
  }
  return IntervalSet(std::move(gaps));
}

IntervalSet gapsBetweenExcesses(const FindingContext& context, RankIndex rank, Leaf leaf) {
  std::unordered_set<std::uint32_t> kernels;
  for (const KernelExcess& excess : context.account().of(rank).excesses)
    if (excess.leaf == leaf) kernels.insert(excess.kernel.value);
  if (kernels.empty()) return {};
  return gapsBetween(context, rank, [&](EventIndex event) { return kernels.contains(event.value); });
}

} // namespace rankscope
