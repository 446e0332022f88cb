// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/operator_tree.h"

#include "core/model/captured_in.h"
#include "core/model/row_sweep.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

void encloseThread(const RankTrace& trace, const StringTable& names, const Track& track,
                   std::vector<EventIndex>& enclosing) {
  if (track.rowCount < 2) return;
  RowSweep sweep(trace, track);
  while (sweep.next([&](EventIndex event) { return isOperator(trace, names, event); })) {
    for (const auto& [event, row] : sweep.begun()) {
      const TimeRange range = trace.events.range(event);
      const bool whole = trace.events.kind[event] != EventKind::Runtime;
      enclosing[event.value] =
          sweep.lowestUntil(row, whole ? std::max(range.begin + 1, range.end) : range.begin + 1);
    }
  }
}

// Whether External ids of device events can be ids of operators: most of them differ from the correlation.
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
    const DeviceDetail& detail = trace.deviceDetails[i];
    return !detail.launch.valid() && detail.externalId != 0 && (detail.externalId & kCapturedIn) == 0;
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

std::vector<OperatorTree::Captured> capturedEvents(const RankTrace& trace, const StringTable& names) {
  std::vector<OperatorTree::Captured> captured;
  const auto isCaptured = [&](std::size_t i) {
    return (trace.deviceDetails[i].externalId & kCapturedIn) != 0;
  };
  std::size_t first = 0;
  while (first < trace.deviceDetails.size() && !isCaptured(first)) ++first;
  if (first == trace.deviceDetails.size()) return captured;
  std::unordered_map<std::uint32_t, EventIndex> operators;
  forEachOperator(trace, names, [&](EventIndex event) {
    if ((trace.events.link[event] & kCapturedIn) != 0) operators.emplace(trace.events.link[event], event);
  });
  for (std::size_t i = first; i < trace.deviceDetails.size(); ++i) {
    const auto found = isCaptured(i) ? operators.find(trace.deviceDetails[i].externalId) : operators.end();
    if (found != operators.end())
      captured.push_back({EventIndex(trace.deviceBegin.value + i), found->second});
  }
  return captured;
}

} // namespace

EventIndex OperatorTree::captureOf(EventIndex deviceEvent) const {
  const auto found = std::ranges::lower_bound(captured, deviceEvent, {}, &Captured::event);
  return found != captured.end() && found->event == deviceEvent ? found->op : EventIndex();
}

EventIndex OperatorTree::workOf(const RankTrace& trace, EventIndex deviceEvent) const {
  const EventIndex capture = captureOf(deviceEvent);
  return capture.valid() ? capture : owners[deviceEvent.value - trace.deviceBegin.value];
}

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
  // Sorted by time within a thread, like the records.
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
    RowSweep sweep(trace, thread);
    for (const std::uint32_t record : found->second) {
      const TimeNs time = trace.memory[record].time;
      sweep.advance(time, [&](EventIndex event) { return isOperator(trace, names, event); });
      owners[record] = sweep.lowestUntil(sweep.rowCount(), time + 1);
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
  tree.captured = capturedEvents(trace, names);
  return tree;
}

} // namespace rankscope
