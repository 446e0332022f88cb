// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/gap_causes.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

bool isUninformative(GapCause cause) {
  return cause == GapCause::Python || cause == GapCause::Untraced;
}

} // namespace

GapCauses::GapCauses(const RankTrace& trace, const StringTable& names)
    : m_trace(trace), m_names(names), m_host(hostThreads(trace, names)) {
  m_cursors.resize(trace.tracks.size());
}

void GapCauses::begin(std::span<const DeviceWork> byEnd) {
  m_byEnd = byEnd;
  for (const TrackIndex track : m_walked) m_cursors[track.value]->restart();
}

void GapCauses::explain(IdleGap& gap, const DeviceWork& previous, const DeviceWork& next) {
  gap.launch = m_trace.deviceDetail(next.event).launch;
  if (gap.launch.valid()) gap.thread = m_trace.trackOf(gap.launch);
  if (const std::optional<TimeRange> host = hostPart(gap)) {
    const HostReason reason = reasonOnHost(gap, *host, previous);
    gap.cause = reason.cause;
    gap.hostEvent = reason.event;
    if (reason.thread != HostThreads::kNone) {
      const HostThread& thread = m_host.threads[reason.thread];
      gap.thread = thread.operators.valid() ? thread.operators : thread.annotations;
    }
    return;
  }
  // If its launch was not recorded, it is assumed to be before the recording.
  if (gap.stream && findDependency(gap, next)) return;
  if (!gap.launch.valid()) {
    gap.cause = GapCause::NotRecorded;
    if (m_host.main == HostThreads::kNone) return;
    const HostReason reason = reasonOnThread(m_host.main, gap.range);
    if (reason.cause != GapCause::DataLoader) return;
    gap.cause = reason.cause;
    gap.hostEvent = reason.event;
    gap.thread = m_host.threads[m_host.main].annotations;
    return;
  }
  gap.cause = gap.range.length() < kLaunchLatency ? GapCause::LaunchLatency : GapCause::NotRecorded;
}

// The part of the gap in which the device waited for the host: up to the launch of the next event, if the
// launch began in the gap or extended into it and the device started soon after it.
std::optional<TimeRange> GapCauses::hostPart(const IdleGap& gap) const {
  if (!gap.launch.valid()) return std::nullopt;
  const TimeRange launch = m_trace.events.range(gap.launch);
  const TimeNs length = gap.range.length();
  if (gap.range.end - launch.end >= std::max(kLaunchLatency, length / 2)) return std::nullopt;
  if (launch.begin >= gap.range.begin)
    return TimeRange{gap.range.begin, std::clamp(launch.begin, gap.range.begin + 1,
                                                 std::max(gap.range.begin + 1, gap.range.end))};
  const TimeNs end = std::min(launch.end, gap.range.end);
  if (2 * (end - gap.range.begin) < length || length < kLaunchLatency) return std::nullopt;
  return TimeRange{gap.range.begin, end};
}

GapCauses::HostReason GapCauses::reasonOnThread(std::size_t index, TimeRange host) {
  const HostThread& thread = m_host.threads[index];
  const TimeNs length = host.length();
  if (2 * thread.loads.coveredWithin(host) >= length)
    return {GapCause::DataLoader, thread.loads.longestCallIn(m_trace, host), index};
  const TimeNs waits = thread.waits.coveredWithin(host);
  const EventIndex waiting = thread.waits.runningAt(m_trace, host.begin);
  if (2 * waits >= length)
    return {GapCause::Synchronization, thread.waits.longestCallIn(m_trace, host), index};
  if (waiting.valid() && host.end - m_trace.events.range(waiting).end <= kRestart)
    return {GapCause::Synchronization, waiting, index};
  const TimeNs allocations = thread.allocations.coveredWithin(host);
  const TimeNs work = thread.work.coveredWithin(host);
  const TimeNs python = std::min(thread.inPython.coveredWithin(host), length - work);
  // Among equal times, the first cause in this order wins.
  const std::array<std::pair<GapCause, TimeNs>, 5> shares{
      {{GapCause::Synchronization, waits},
       {GapCause::MemoryAllocation, allocations},
       {GapCause::Python, python},
       {GapCause::HostOperators, work - waits - allocations},
       {GapCause::Untraced, length - work - python}}};
  const auto maximum = std::max_element(shares.begin(), shares.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  switch (maximum->first) {
  case GapCause::Synchronization:
    return {maximum->first, thread.waits.longestCallIn(m_trace, host), index};
  case GapCause::MemoryAllocation:
    return {maximum->first, thread.allocations.longestCallIn(m_trace, host), index};
  case GapCause::Python:
    return {maximum->first, innermostOf(thread.python, host), index};
  case GapCause::HostOperators:
    return {maximum->first, innermostOf(thread.operators, host), index};
  default:
    break;
  }
  EventIndex annotation = innermostOf(thread.annotations, host);
  if (annotation.valid() && phaseOf(m_names[m_trace.events.name[annotation]]) == Phase::Step) annotation = {};
  return {GapCause::Untraced, annotation, index};
}

// The activity of the thread that launched the next event explains why it did not launch earlier. If that
// thread had not started yet (such as autograd's thread before the backward pass), use the thread of the
// previous launch, then the main thread.
GapCauses::HostReason GapCauses::reasonOnHost(const IdleGap& gap, TimeRange host,
                                              const DeviceWork& previous) {
  const std::size_t launcher = threadOf(gap.launch);
  HostReason best = reasonOnThread(launcher, host);
  if (!isUninformative(best.cause)) return best;
  const EventIndex before = m_trace.deviceDetail(previous.event).launch;
  const std::size_t earlier = before.valid() ? threadOf(before) : m_host.main;
  for (const std::size_t thread : {earlier, earlier == m_host.main ? HostThreads::kNone : m_host.main}) {
    if (thread == HostThreads::kNone || thread == launcher) continue;
    const HostReason reason = reasonOnThread(thread, host);
    if (!isUninformative(reason.cause)) return reason;
    if (best.cause == GapCause::Untraced && (reason.cause == GapCause::Python || !best.event.valid()))
      best = reason;
  }
  return best;
}

// Work on another stream of the device that ended last before the end of the gap, within kEventLatency.
bool GapCauses::findDependency(IdleGap& gap, const DeviceWork& next) const {
  auto at = std::upper_bound(m_byEnd.begin(), m_byEnd.end(), gap.range.end,
                             [](TimeNs t, const DeviceWork& work) { return t < work.range.end; });
  const TimeNs earliest = std::max(gap.range.begin, gap.range.end - kEventLatency);
  while (at != m_byEnd.begin() && std::prev(at)->range.end > earliest) {
    --at;
    if (at->stream == next.stream) continue;
    const bool collective = m_trace.events.kind[at->event] == EventKind::Collective;
    gap.cause = collective ? GapCause::CollectiveWait : GapCause::Dependency;
    gap.waitedFor = at->event;
    return true;
  }
  return false;
}

std::size_t GapCauses::threadOf(EventIndex call) const {
  return m_host.ofTrack[m_trace.trackOf(call).value];
}

// The innermost event in the track's first kMaxLevels rows that covers at least half of the range; else the
// longest outermost one.
EventIndex GapCauses::innermostOf(TrackIndex track, TimeRange host) {
  if (!track.valid()) return {};
  RowCursors& cursors = cursorsOf(track);
  if (cursors.rowCount() == 0) return {};
  const EventIndex first = cursors.lastBeginningBy(0, host.begin);
  const TimeNs middle = host.begin + host.length() / 2;
  EventIndex innermost;
  for (std::uint32_t row = 0; row < cursors.rowCount(); ++row) {
    const EventIndex event = cursors.lastBeginningBy(row, middle);
    if (!event.valid()) continue;
    const TimeNs inside = m_trace.events.range(event).clippedTo(host).length();
    if (2 * inside >= host.length()) innermost = event;
  }
  if (innermost.valid()) return innermost;
  const EventIndex last = cursors.lastBeginningBy(0, host.end - 1);
  if (!last.valid()) return {};
  std::size_t from = first.valid() ? first.value : cursors.row(0).firstEvent.value;
  if (first.valid() && m_trace.events.range(first).end <= host.begin) ++from;
  if (from > last.value) return {};
  return EventIndex(
      m_trace.pyramid.longestIn(m_trace.events.duration.span(), from, last.value + std::size_t{1}));
}

RowCursors& GapCauses::cursorsOf(TrackIndex track) {
  std::optional<RowCursors>& cursors = m_cursors[track.value];
  if (!cursors) {
    cursors.emplace(m_trace, m_trace.tracks[track.value], RankTrace::kMaxLevels);
    m_walked.push_back(track);
  }
  return *cursors;
}

} // namespace rankscope
