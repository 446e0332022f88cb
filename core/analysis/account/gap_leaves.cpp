// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/gap_leaves.h"

#include <algorithm>

namespace rankscope {

namespace {

// From the launch of a collective of objects to the wait for what it brings.
constexpr TimeNs kReadAfterLaunch = 200'000;

// Whether it makes up half of the range.
bool isHalf(TimeNs part, TimeRange range) {
  return part > 0 && 2 * part >= range.length();
}

} // namespace

void GapLeaves::Threads::add(std::size_t thread) {
  if (thread == HostThreads::kNone || count == at.size()) return;
  if (std::find(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(count), thread) ==
      at.begin() + static_cast<std::ptrdiff_t>(count))
    at[count++] = thread;
}

GapLeaves::GapLeaves(const RankTrace& trace, const StringTable& names, const StepWindows& steps,
                     const HostPhases& phases, std::vector<TimeNs> objects)
    : m_trace(trace), m_steps(steps), m_phases(phases), m_host(hostThreads(trace, names)),
      m_marks(hostMarks(trace, names, m_host)), m_objects(std::move(objects)) {
  for (const EventWait& wait : trace.waits) {
    if (wait.after.valid()) m_waitedFor.emplace_back(wait.after, wait.before);
  }
  std::ranges::sort(m_waitedFor);
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    if (trace.deviceDetail(event).launch.valid())
      m_firstLaunched = std::min(m_firstLaunched, trace.events.begin[event]);
  }
}

GapLeaves::Verdict GapLeaves::judge(const Gap& gap) const {
  if (!gap.next.valid()) return judgeEnd(gap);
  const EventIndex call = m_trace.deviceDetail(gap.next).launch;
  if (!call.valid()) return judgeWithoutLaunch(gap);
  if (gap.previous.valid() && gap.range.length() < kMinGap) return {Leaf::QueueLatency, gap.next, 0};
  const TimeRange launch = m_trace.events.range(call);
  if (gap.range.end - launch.end >= std::max(kLaunchLatency, gap.range.length() / 2))
    return judgeQueued(gap, launch);
  const std::optional<TimeRange> host = hostPart(gap.range, launch);
  return host ? judgeHost(gap, *host, call) : Verdict{Leaf::QueueLatency, gap.next, 0};
}

// Launched before the recording, as far as we can tell, or by what is not recorded.
GapLeaves::Verdict GapLeaves::judgeWithoutLaunch(const Gap& gap) const {
  if (!gap.previous.valid() || gap.range.end <= m_firstLaunched) return {Leaf::CaptureEdge, gap.next, 0};
  if (gap.range.length() < kMinGap) return {Leaf::QueueLatency, gap.next, 0};
  if (m_host.main != HostThreads::kNone) {
    const HostCalls& loads = m_host.threads[m_host.main].loads;
    if (isHalf(loads.coveredWithin(gap.range), gap.range))
      return {Leaf::HostInput, loads.longestCallIn(m_trace, gap.range), 0};
  }
  return {Leaf::QueueUnexplained, gap.next, 0};
}

GapLeaves::Verdict GapLeaves::judgeQueued(const Gap& gap, TimeRange launch) const {
  if (!gap.previous.valid()) return {Leaf::CaptureEdge, gap.next, 0};
  // No thread has waited for the device yet, and the wait that is going on ends with the gap: what it waits
  // for was launched before the recording.
  const TimeRange waiting = firstWaitAt(gap.range.begin);
  if (!waiting.empty() && launch.end <= waiting.begin &&
      std::abs(waiting.end - gap.range.end) <= kReturnFromSync)
    return {Leaf::CaptureEdge, m_marks.firstWait, 0};
  const auto found =
      std::ranges::lower_bound(m_waitedFor, gap.next, {}, &std::pair<EventIndex, EventIndex>::first);
  if (found != m_waitedFor.end() && found->first == gap.next)
    return {Leaf::QueueDependency, found->second.valid() ? found->second : gap.next, 0};
  return {Leaf::QueueUnexplained, gap.next, 0};
}

// Nothing was launched any more. What the host recorded within the last step is still its work.
GapLeaves::Verdict GapLeaves::judgeEnd(const Gap& gap) const {
  const Verdict edge{Leaf::CaptureEdge, gap.previous, 0};
  const bool known = m_steps.found == StepSource::Marked || m_steps.found == StepSource::Annotation;
  if (!known || m_host.main == HostThreads::kNone) return edge;
  const TimeRange host = gap.range.clippedTo(m_steps.hull());
  if (host.empty()) return edge;
  Threads threads;
  threads.add(m_host.main);
  if (const Found busy = busyLeaf(host, threads)) return {busy->first, busy->second, 0};
  if (const EventIndex collecting = markTaking(HostWork::GarbageCollection, host, threads);
      collecting.valid())
    return {Leaf::HostGc, collecting, 0};
  if (const Found pause = pauseLeaf(host, threads, true); pause && pause->first == Leaf::HostPython)
    return {Leaf::HostPython, gap.previous, 0};
  return edge;
}

std::optional<TimeRange> GapLeaves::hostPart(TimeRange gap, TimeRange launch) const {
  if (launch.begin >= gap.begin)
    return TimeRange{gap.begin, std::max(gap.begin + 1, std::min(launch.begin, gap.end))};
  const TimeNs end = std::min(launch.end, gap.end);
  if (gap.length() < kLaunchLatency || 2 * (end - gap.begin) < gap.length()) return std::nullopt;
  return TimeRange{gap.begin, end};
}

GapLeaves::Verdict GapLeaves::judgeHost(const Gap& gap, TimeRange host, EventIndex launch) const {
  const bool atBegin = !gap.previous.valid();
  TimeNs edgeEnd = gap.range.begin;
  if (atBegin) {
    // A device that somebody waits for at the begin of a recording runs what was launched before it.
    const TimeRange waiting =
        m_marks.firstWait.valid() ? m_trace.events.range(m_marks.firstWait).clippedTo(host) : TimeRange{};
    if (isHalf(waiting.length(), host)) edgeEnd = waiting.end;
    if (edgeEnd > gap.range.begin && gap.range.end - edgeEnd <= kReturnFromSync)
      return {Leaf::CaptureEdge, m_marks.firstWait, gap.range.end};
  }
  const TimeRange rest{edgeEnd, std::max(edgeEnd + 1, host.end)};
  const Threads threads = threadsOf(rest, launch, gap.previous);
  if (isStartUp(gap.range.begin)) {
    const EventIndex starting = startUpIn(rest, threads);
    if (starting.valid()) return {Leaf::CaptureInit, starting, edgeEnd};
  }
  Found found = busyLeaf(rest, threads);
  if (!found) found = waitingLeaf(gap.range, host, threads);
  if (!found) {
    const EventIndex collecting = markTaking(HostWork::GarbageCollection, rest, threads);
    if (collecting.valid()) found = std::pair(Leaf::HostGc, collecting);
  }
  if (!found) found = pauseLeaf(rest, threads, atBegin);
  if (!found) found = std::pair(dispatchLeaf(rest, launch), launch);
  return {found->first, found->second.valid() ? found->second : launch, edgeEnd};
}

template <class CallsOf>
EventIndex GapLeaves::halfTakenBy(TimeRange host, const Threads& threads, CallsOf&& callsOf) const {
  for (std::size_t i = 0; i < threads.count; ++i) {
    const HostCalls& calls = callsOf(threads.at[i]);
    if (isHalf(calls.coveredWithin(host), host)) return calls.longestCallIn(m_trace, host);
  }
  return {};
}

EventIndex GapLeaves::markTaking(HostWork work, TimeRange host, const Threads& threads) const {
  return halfTakenBy(host, threads,
                     [&](std::size_t thread) -> const HostCalls& { return m_marks.of(thread, work); });
}

EventIndex GapLeaves::startUpIn(TimeRange host, const Threads& threads) const {
  if (isHalf(m_marks.startUp.coveredWithin(host), host)) return m_marks.startUp.longestCallIn(m_trace, host);
  return markTaking(HostWork::Initialization, host, threads);
}

GapLeaves::Found GapLeaves::busyLeaf(TimeRange host, const Threads& threads) const {
  const EventIndex allocation = halfTakenBy(
      host, threads, [&](std::size_t t) -> const HostCalls& { return m_host.threads[t].allocations; });
  if (allocation.valid()) return std::pair(Leaf::HostAlloc, allocation);
  const EventIndex compilation = markTaking(HostWork::Compilation, host, threads);
  if (compilation.valid() && m_trace.events.duration[compilation] > kMinCompilation)
    return std::pair(Leaf::HostCompile, compilation);
  const EventIndex load =
      halfTakenBy(host, threads, [&](std::size_t t) -> const HostCalls& { return m_host.threads[t].loads; });
  if (load.valid()) return std::pair(Leaf::HostInput, load);
  for (const auto& [work, leaf] : {std::pair(HostWork::Checkpoint, Leaf::HostCheckpoint),
                                   std::pair(HostWork::Evaluation, Leaf::HostCheckpoint),
                                   std::pair(HostWork::HostCommunication, Leaf::HostComm)}) {
    const EventIndex event = markTaking(work, host, threads);
    if (event.valid()) return std::pair(leaf, event);
  }
  return std::nullopt;
}

// A call that had waited for the device ended shortly before the gap or in it: nothing was queued behind it.
// One that began when the device stood still waited for nothing, unless it took most of the time.
GapLeaves::Found GapLeaves::waitingLeaf(TimeRange gap, TimeRange host, const Threads& threads) const {
  const TimeRange before{gap.begin - kReturnFromSync, gap.begin + 1};
  for (std::size_t i = 0; i < threads.count; ++i) {
    const HostCalls& waits = m_host.threads[threads.at[i]].waits;
    EventIndex wait = waits.longestCallIn(m_trace, before);
    if (!wait.valid() && isHalf(waits.coveredWithin(host), host)) wait = waits.longestCallIn(m_trace, host);
    if (!wait.valid()) continue;
    const TimeRange waiting = m_trace.events.range(wait);
    if (waiting.end > host.end) continue;
    const HostCalls& talks = m_marks.of(threads.at[i], HostWork::HostCommunication);
    const bool forOthers =
        !waiting.empty() && (talks.coveredWithin(waiting) == waiting.length() || readsObjects(waiting));
    return std::pair(forOthers ? Leaf::HostComm : Leaf::HostSync, wait);
  }
  return std::nullopt;
}

bool GapLeaves::readsObjects(TimeRange waiting) const {
  const auto after = std::ranges::upper_bound(m_objects, waiting.begin);
  return after != m_objects.begin() && waiting.begin - *(after - 1) <= kReadAfterLaunch;
}

GapLeaves::Found GapLeaves::pauseLeaf(TimeRange host, const Threads& threads, bool atBegin) const {
  if (host.length() <= kMinPause) return std::nullopt;
  bool silent = true;
  bool inPython = false;
  for (std::size_t i = 0; i < threads.count; ++i) {
    const HostThread& thread = m_host.threads[threads.at[i]];
    const TimeNs work = thread.work.coveredWithin(host);
    const TimeNs python = thread.inPython.coveredWithin(host);
    if (isHalf(work, host)) return std::nullopt;
    silent &= work == 0 && python == 0;
    inPython |= isHalf(python, host);
  }
  // What the host did before its first recorded event is not known.
  if (atBegin && !inPython) return std::pair(Leaf::CaptureEdge, EventIndex());
  return std::pair(silent && host.length() > kSilence ? Leaf::HostDescheduled : Leaf::HostPython,
                   EventIndex());
}

Leaf GapLeaves::dispatchLeaf(TimeRange host, EventIndex call) const {
  const TimeNs launch = m_trace.events.begin[call];
  const std::size_t thread = m_host.ofTrack[m_trace.trackOf(call).value];
  const bool ofAutograd = thread != HostThreads::kNone && m_marks.isOfAutograd(thread);
  if (!ofAutograd && m_phases.optimizer.contains(launch)) return Leaf::DispatchOptimizer;
  if (m_marks.parallelModel.contains(launch) || isHalf(m_marks.parallelModel.coveredWithin(host), host))
    return Leaf::DispatchDdp;
  if (ofAutograd || m_phases.backward.contains(launch)) return Leaf::DispatchBackward;
  const bool known = !m_phases.forward.empty();
  if (known && !m_phases.forward.contains(launch) && !m_phases.loss.contains(launch))
    return Leaf::DispatchOther;
  return Leaf::DispatchForward;
}

TimeRange GapLeaves::firstWaitAt(TimeNs t) const {
  if (!m_marks.firstWait.valid()) return {};
  const TimeRange waiting = m_trace.events.range(m_marks.firstWait);
  return waiting.contains(t) ? waiting : TimeRange{};
}

GapLeaves::Threads GapLeaves::threadsOf(TimeRange host, EventIndex launch, EventIndex previous) const {
  Threads threads;
  const std::size_t launcher = m_host.ofTrack[m_trace.trackOf(launch).value];
  threads.add(launcher);
  if (launcher != HostThreads::kNone && isHalf(m_host.threads[launcher].work.coveredWithin(host), host))
    return threads;
  if (previous.valid()) {
    const EventIndex before = m_trace.deviceDetail(previous).launch;
    if (before.valid()) threads.add(m_host.ofTrack[m_trace.trackOf(before).value]);
  }
  threads.add(m_host.main);
  return threads;
}

bool GapLeaves::isStartUp(TimeNs t) const {
  return !m_steps.areSteps() || t < m_steps.steps.front().range.end;
}

} // namespace rankscope
