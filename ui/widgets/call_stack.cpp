// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/call_stack.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace rankscope::ui {
namespace {

std::optional<int> numberIn(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool isOfAThread(TrackKind kind) {
  return kind == TrackKind::Annotations || kind == TrackKind::Thread || kind == TrackKind::Python;
}

} // namespace

std::optional<SourcePlace> sourcePlaceOf(std::string_view name) {
  const auto close = name.find("): ");
  const auto open = close == std::string_view::npos ? close : name.rfind('(', close);
  if (open != std::string_view::npos && open > 0) {
    const auto line = numberIn(name.substr(open + 1, close - open - 1));
    const std::string_view file = name.substr(0, open);
    // "<built-in method ...>" and "<string>" are in no file.
    if (line && file.front() != '<') return SourcePlace{std::string(file), *line};
  }
  constexpr std::string_view kFile = "File \"";
  if (const auto at = name.find(kFile); at != std::string_view::npos) {
    const auto begin = at + kFile.size();
    const auto end = name.find('"', begin);
    constexpr std::string_view kLine = "\", line ";
    if (end == std::string_view::npos || name.substr(end, kLine.size()) != kLine) return std::nullopt;
    const std::string_view rest = name.substr(end + kLine.size());
    const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (const auto line = numberIn(rest.substr(0, digits)))
      return SourcePlace{std::string(name.substr(begin, end - begin)), *line};
  }
  return std::nullopt;
}

std::vector<StackFrame> callStackOf(const TraceSet& traces, EventRef ref) {
  const RankTrace& trace = *traces.rank(ref.rank).trace;
  EventIndex base = ref.event;
  if (trace.isDeviceEvent(base)) {
    base = trace.deviceDetail(base).launch;
    if (!base.valid()) return {};
  }
  const Track& own = trace.tracks[trace.trackOf(base).value];
  const TimeNs begin = trace.events.begin[base];
  std::vector<EventIndex> around;
  for (const Track& track : trace.tracks) {
    if (!isOfAThread(track.kind) || track.process != own.process || track.thread != own.thread) continue;
    for (std::uint32_t i = 0; i < track.rowCount; ++i) {
      const EventIndex event = trace.lastBeginningBy(RowIndex(track.firstRow.value + i), begin);
      if (event.valid() && event != ref.event && trace.events.range(event).contains(begin))
        around.push_back(event);
    }
  }
  // An event with the same begin and an earlier end is nested.
  const TimeRange range = trace.events.range(base);
  std::erase_if(around, [&](EventIndex event) {
    return event != base && trace.events.range(event).end < range.end && trace.events.begin[event] == begin;
  });
  std::ranges::sort(around, [&](EventIndex a, EventIndex b) {
    return std::tuple(trace.events.begin[a], -trace.events.duration[a], a) >
           std::tuple(trace.events.begin[b], -trace.events.duration[b], b);
  });
  std::vector<StackFrame> frames;
  for (const EventIndex event : around) {
    const bool python = trace.events.kind[event] == EventKind::Python;
    frames.push_back(
        {{ref.rank, event}, python ? sourcePlaceOf(traces.names()[trace.events.name[event]]) : std::nullopt});
  }
  return frames;
}

bool hasPythonStacks(const RankTrace& trace) {
  return std::ranges::any_of(trace.tracks,
                             [](const Track& track) { return track.kind == TrackKind::Python; });
}

} // namespace rankscope::ui
