// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/operator_tree.h"

#include "core/model/row_cursors.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

// The innermost operator of the rows above `row` that is open at `begin` and lasts to `end`.
EventIndex operatorAbove(const RankTrace& trace, const StringTable& names, RowCursors& cursors,
                         std::uint32_t row, TimeNs begin, TimeNs end) {
  // What nests finds its parent in the row above; the loop goes on past crossing events and annotations.
  for (std::uint32_t upper = row; upper-- > 0;) {
    const EventIndex candidate = cursors.lastBeginningBy(upper, begin);
    if (!candidate.valid()) continue;
    const TimeNs candidateEnd = trace.events.begin[candidate] + trace.events.duration[candidate];
    if (begin < candidateEnd && end <= candidateEnd && isOperator(trace, names, candidate)) return candidate;
  }
  return {};
}

void encloseThread(const RankTrace& trace, const StringTable& names, const Track& track,
                   std::vector<EventIndex>& enclosing) {
  RowCursors cursors(trace, track);
  for (std::uint32_t row = 1; row < cursors.rowCount(); ++row) {
    cursors.restart();
    const Row& events = cursors.row(row);
    for (EventIndex event = events.firstEvent; event < events.endEvent; ++event.value) {
      const TimeNs begin = trace.events.begin[event];
      const bool whole = trace.events.kind[event] != EventKind::Runtime;
      enclosing[event.value] = operatorAbove(trace, names, cursors, row, begin,
                                             whole ? begin + trace.events.duration[event] : begin);
    }
  }
}

// Whether External ids of device events can be those of operators: most of them are no correlations.
bool externalIdsNameOperators(const RankTrace& trace) {
  std::size_t both = 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < trace.deviceDetails.size(); ++i) {
    const std::uint32_t id = trace.deviceDetails[i].externalId;
    const std::uint32_t correlation = trace.events.link[EventIndex(trace.deviceBegin.value + i)];
    if (id == 0 || correlation == 0) continue;
    ++both;
    if (id == correlation) ++equal;
  }
  return 2 * equal <= both;
}

void followExternalIds(const RankTrace& trace, const StringTable& names, std::vector<EventIndex>& owners) {
  const auto hasOnlyId = [&](std::size_t i) {
    return !trace.deviceDetails[i].launch.valid() && trace.deviceDetails[i].externalId != 0;
  };
  std::vector<std::size_t> unlinked;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (hasOnlyId(i)) unlinked.push_back(i);
  }
  if (unlinked.empty() || !externalIdsNameOperators(trace)) return;
  std::vector<std::pair<std::uint32_t, EventIndex>> operators;
  forEachOperator(trace, names, [&](EventIndex event) {
    if (trace.events.link[event] != 0) operators.emplace_back(trace.events.link[event], event);
  });
  std::ranges::sort(operators);
  for (const std::size_t i : unlinked) {
    const std::uint32_t id = trace.deviceDetails[i].externalId;
    const auto found = std::ranges::lower_bound(operators, std::pair(id, EventIndex(0)));
    if (found != operators.end() && found->first == id) owners[i] = found->second;
  }
}

} // namespace

bool isOperatorName(std::string_view hostCollective) {
  return hostCollective == "record_param_comms" || hostCollective.find("::") != std::string_view::npos;
}

std::vector<EventIndex> owningOperators(const RankTrace& trace, const StringTable& names,
                                        const std::vector<EventIndex>& enclosing) {
  std::vector<EventIndex> owners(trace.deviceDetails.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const EventIndex launch = trace.deviceDetails[i].launch;
    if (launch.valid()) owners[i] = enclosing[launch.value];
  }
  followExternalIds(trace, names, owners);
  return owners;
}

std::vector<EventIndex> memoryOwners(const RankTrace& trace, const StringTable& names) {
  using ThreadId = std::pair<std::string_view, std::string_view>;
  std::vector<EventIndex> owners(trace.memory.size());
  // By time within a thread, as the records are.
  std::map<ThreadId, std::vector<std::uint32_t>> byThread;
  TrackIndex track;
  std::vector<std::uint32_t>* records = nullptr;
  for (std::uint32_t i = 0; i < owners.size(); ++i) {
    const EventIndex event = trace.memory[i].event;
    if (records == nullptr || event < trace.tracks[track.value].firstEvent ||
        event >= trace.tracks[track.value].endEvent) {
      track = trace.trackOf(event);
      records = &byThread[{trace.tracks[track.value].process, trace.tracks[track.value].thread}];
    }
    records->push_back(i);
  }
  for (const Track& thread : trace.tracks) {
    if (thread.kind != TrackKind::Thread) continue;
    const auto found = byThread.find({thread.process, thread.thread});
    if (found == byThread.end()) continue;
    RowCursors cursors(trace, thread);
    for (const std::uint32_t record : found->second) {
      const TimeNs time = trace.memory[record].time;
      owners[record] = operatorAbove(trace, names, cursors, cursors.rowCount(), time, time);
    }
  }
  return owners;
}

OperatorTree operatorTree(const RankTrace& trace, const StringTable& names) {
  OperatorTree tree;
  std::size_t end = 0;
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::Thread) end = std::max<std::size_t>(end, track.endEvent.value);
  }
  tree.enclosing.resize(end);
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::Thread) encloseThread(trace, names, track, tree.enclosing);
  }
  tree.owners = owningOperators(trace, names, tree.enclosing);
  return tree;
}

} // namespace rankscope
