// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/call_list.h"

#include <algorithm>
#include <tuple>

namespace rankscope {

namespace {

// Invalid if there is no such name.
NameId nameIdOf(const StringTable& names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[NameId(i)] == name) return NameId(i);
  }
  return {};
}

JobTime beginOf(const Analysis& analysis, EventRef call) {
  const RankTime begin(analysis.trace().rank(call.rank).trace->events.begin[call.event]);
  return analysis.clocks().of(call.rank).toJob(begin);
}

} // namespace

std::optional<std::size_t> positionOf(const Analysis& analysis, const CallList& list, EventRef call) {
  const auto keyOf = [&](EventRef of) { return std::tuple(beginOf(analysis, of), of.rank, of.event); };
  const auto found = std::ranges::lower_bound(list.calls, keyOf(call), {}, keyOf);
  if (found == list.calls.end() || *found != call) return std::nullopt;
  return static_cast<std::size_t>(found - list.calls.begin());
}

CallList callListOf(const Analysis& analysis, std::vector<EventRef> calls) {
  const TraceSet& trace = analysis.trace();
  struct Placed {
    JobTime begin;
    EventRef call;
  };
  std::vector<Placed> placed;
  std::vector<TimeNs> durations;
  placed.reserve(calls.size());
  durations.reserve(calls.size());
  for (const EventRef call : calls) {
    const EventColumns& events = trace.rank(call.rank).trace->events;
    placed.push_back({beginOf(analysis, call), call});
    durations.push_back(events.duration[call.event]);
  }
  std::ranges::sort(placed, [](const Placed& a, const Placed& b) {
    return std::tuple(a.begin, a.call.rank, a.call.event) < std::tuple(b.begin, b.call.rank, b.call.event);
  });
  CallList list;
  list.calls = std::move(calls);
  TimeNs longest = -1;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const EventRef call = placed[i].call;
    list.calls[i] = call;
    const TimeNs duration = trace.rank(call.rank).trace->events.duration[call.event];
    if (duration <= longest) continue;
    longest = duration;
    list.longest = i;
  }
  list.durations = durationBins(std::move(durations));
  return list;
}

std::vector<EventRef> deviceCalls(const Analysis& analysis, std::span<const RankIndex> ranks,
                                  std::string_view name, DeviceClass deviceClass, const CallFilter& filter,
                                  const Progress* progress) {
  std::vector<EventRef> calls;
  const NameId wanted = nameIdOf(analysis.trace().names(), name);
  if (!wanted.valid()) return calls;
  for (const RankIndex rank : ranks) {
    if (progress != nullptr && progress->cancelled()) break;
    const RankTrace& trace = *analysis.trace().rank(rank).trace;
    const TimeRange window = analysis.window(rank).ns();
    for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
      if (trace.events.name[event] != wanted) continue;
      const EventKind kind = trace.events.kind[event];
      if (!isDeviceActivity(kind) || deviceClassOf(kind) != deviceClass) continue;
      if (!window.contains(trace.events.begin[event]) || (filter && !filter(rank, event))) continue;
      calls.push_back({rank, event});
    }
  }
  return calls;
}

std::vector<EventRef> operatorCalls(const Analysis& analysis, std::span<const RankIndex> ranks,
                                    std::string_view name, const CallFilter& filter,
                                    const Progress* progress) {
  std::vector<EventRef> calls;
  const StringTable& names = analysis.trace().names();
  const NameId wanted = nameIdOf(names, name);
  if (!wanted.valid()) return calls;
  for (const RankIndex rank : ranks) {
    if (progress != nullptr && progress->cancelled()) break;
    const RankTrace& trace = *analysis.trace().rank(rank).trace;
    const TimeRange window = analysis.window(rank).ns();
    for (const Track& track : trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
        if (trace.events.name[event] != wanted || !isOperator(trace, names, event)) continue;
        if (!window.contains(trace.events.begin[event]) || (filter && !filter(rank, event))) continue;
        calls.push_back({rank, event});
      }
    }
  }
  return calls;
}

} // namespace rankscope
