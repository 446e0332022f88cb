// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/gaps_table.h"

#include "core/analysis/job/analysis.h"
#include "core/report/gap_leaf.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace rankscope {

namespace {

std::vector<const IdleGap*> longestFirst(const IdleGaps& gaps) {
  std::vector<const IdleGap*> order;
  order.reserve(gaps.ofDevices.size() + gaps.ofStreams.size());
  for (const std::vector<IdleGap>* const list : {&gaps.ofDevices, &gaps.ofStreams}) {
    for (const IdleGap& gap : *list) order.push_back(&gap);
  }
  std::ranges::sort(order, {}, [](const IdleGap* gap) {
    return std::tuple(-gap->range.length(), gap->range.begin, gap->device, gap->stream, gap->next);
  });
  return order;
}

// "aten::item > cudaStreamSynchronize": the outermost operator that encloses a call is more informative.
std::string hostText(const RankTrace& trace, const StringTable& names, const IdleGap& gap) {
  const EventIndex event = gap.waitedFor.valid() ? gap.waitedFor : gap.hostEvent;
  if (!event.valid()) return {};
  std::string text(names[trace.events.name[event]]);
  if (trace.events.kind[event] != EventKind::Runtime) return text;
  const Track& track = trace.tracks[trace.trackOf(event).value];
  const EventIndex outermost = trace.lastBeginningBy(track.firstRow, trace.events.begin[event]);
  if (!outermost.valid() || outermost == event ||
      trace.events.range(outermost).end < trace.events.range(event).end)
    return text;
  return std::string(names[trace.events.name[outermost]]) + " > " + text;
}

// " (rank 7 came last)" for a collective in which this rank waited.
std::string lateRankText(const Analysis& analysis, RankIndex rank, EventIndex collective) {
  if (!collective.valid()) return {};
  const CollectiveInstance* const instance = analysis.collectives().match.instanceAt(rank, collective);
  if (instance == nullptr || !instance->matched() || instance->lastRank == rank) return {};
  return " (rank " + std::to_string(analysis.trace().rank(instance->lastRank).rank) + " came last)";
}

Cell leafCell(const TimePieces& pieces, TimeRange gap) {
  const std::optional<LeafTime> largest = largestIdleLeaf(pieces, gap);
  return largest ? Cell(leafText(largest->leaf)) : Cell();
}

} // namespace

ResultTable gapsTable(const Analysis& analysis, const JobAccount& account) {
  ResultTable table("gaps", {{"rank", Unit::Identity},
                             {"capture", Unit::Identity},
                             {"device", Unit::Identity},
                             {"stream", Unit::Identity},
                             {"begin_us", Unit::Nanoseconds},
                             {"duration_us", Unit::Nanoseconds},
                             {"cause", Unit::Text},
                             {"cpu_event", Unit::Text},
                             {"thread", Unit::Text},
                             {"next_kernel", Unit::Text},
                             {"step", Unit::Identity},
                             {"leaf", Unit::Text}});
  const TraceSet& set = analysis.trace();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = set.rank(rank);
    const RankTrace& trace = *entry.trace;
    const std::vector<StepWindow>& steps = analysis.wholeStepWindows(rank).steps;
    for (const IdleGap* const gap : longestFirst(analysis.gaps(rank))) {
      std::string host = hostText(trace, set.names(), *gap);
      if (gap->cause == GapCause::CollectiveWait) host += lateRankText(analysis, rank, gap->waitedFor);
      const std::int64_t step = gap->step ? steps[*gap->step].number : Step::kUnknownNumber;
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                    Cell(std::int64_t{gap->device}), cellOf(gap->stream),
                    Cell(sinceJobBegin(analysis, rank, RankTime(gap->range.begin))),
                    Cell(gap->range.length()), Cell(gapCauseText(gap->cause)), textCell(host),
                    gap->thread.valid() ? textCell(trace.tracks[gap->thread.value].thread) : Cell(),
                    Cell(set.names()[trace.events.name[gap->next]]),
                    step == Step::kUnknownNumber ? Cell() : Cell(step),
                    leafCell(account.of(rank).pieces, gap->range)});
    }
  }
  return table;
}

} // namespace rankscope
