// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/communication_leaves.h"

#include "core/analysis/account/call_facts.h"
#include "core/analysis/activity/idle_gap.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

// A collective with more computation beside it is no tail.
bool isMostlyExposed(const DeviceActivity& activity, TimeRange range) {
  return 5 * activity.compute.coveredWithin(range) < range.length();
}

// Where its first recorded rank is in a collective.
std::optional<std::size_t> stepOf(const Analysis& analysis, const CollectiveInstance& instance) {
  const Participant& p = analysis.collectives().match.of(instance).front();
  const CollectiveCall& call = analysis.collectiveCalls(p.rank)[p.call];
  return analysis.wholeStepWindows(p.rank).indexAt(call.range.begin.ns());
}

// How far apart the ranks of a group begin its collectives in a capture.
class GroupSkews {
 public:
  GroupSkews(std::size_t first, TimeNs skew) : m_first(first), m_firstSkew(skew) {}

  void add(std::optional<std::size_t> step, std::size_t instance, TimeNs skew) {
    if (instance == m_first) {
      m_firstStep = step;
      return;
    }
    if (step == m_firstStep) {
      m_besideFirst.push_back(skew);
      return;
    }
    TimeNs& largest = m_largest[step];
    largest = std::max(largest, skew);
  }

  [[nodiscard]] std::size_t first() const { return m_first; }
  // Whether ranks came to the first so much further apart than to others that it shows when their recordings
  // began. A rank that is late in each step is so once in the step: steps are compared, where there are
  // others.
  [[nodiscard]] bool isOfStart() const {
    std::vector<TimeNs> others = m_besideFirst;
    if (!m_largest.empty()) {
      others.clear();
      for (const auto& [step, largest] : m_largest) others.push_back(largest);
    }
    return others.empty() || m_firstSkew > kTimesUsual * wholeMedian(std::move(others));
  }

 private:
  static constexpr TimeNs kTimesUsual = 3;
  std::size_t m_first;
  TimeNs m_firstSkew;
  std::optional<std::size_t> m_firstStep;
  std::vector<TimeNs> m_besideFirst;                      // of the others in the first one's step
  std::map<std::optional<std::size_t>, TimeNs> m_largest; // by other step
};

} // namespace

FirstOfGroups firstOfGroups(const Analysis& analysis) {
  const CollectiveMatch& match = analysis.collectives().match;
  FirstOfGroups first(match.instances.size());
  std::map<std::pair<GroupIndex, int>, GroupSkews> groups; // by group and capture
  for (std::size_t i = 0; i < match.instances.size(); ++i) {
    const CollectiveInstance& instance = match.instances[i];
    if (!instance.matched()) continue;
    const int capture = analysis.trace().rank(match.of(instance).front().rank).capture;
    const auto group = groups.try_emplace({instance.group, capture}, i, instance.skew()).first;
    group->second.add(stepOf(analysis, instance), i, instance.skew());
  }
  for (const auto& [key, skews] : groups) first[skews.first()] = skews.isOfStart() ? 1 : 0;
  return first;
}

CommunicationFacts communicationFacts(const Analysis& analysis) {
  return {firstOfGroups(analysis), transferExcesses(analysis)};
}

CommunicationLeaves::CommunicationLeaves(const Analysis& analysis, RankIndex rank,
                                         const CommunicationFacts& facts)
    : m_analysis(analysis), m_rank(rank), m_facts(facts) {
  findTails();
}

CommunicationLeaves::Verdict CommunicationLeaves::judge(EventIndex event) const {
  Verdict verdict;
  verdict.unlaunched = missedComputation(event);
  if (std::ranges::binary_search(m_tails, event)) verdict.rest = Leaf::CommTail;
  const std::optional<CallFacts> call =
      callFacts(m_analysis, m_rank, m_facts.first, m_facts.transfers, event);
  if (!call) return verdict;
  if (verdict.rest != Leaf::CommTail) {
    verdict.slowLink = call->slowLink;
    verdict.fragmented = call->fragmented;
  }
  if (!call->matched) return verdict;
  const RankTrace& trace = *m_analysis.trace().rank(m_rank).trace;
  verdict.arrival = trace.events.begin[event] + call->wait;
  if (call->first) verdict.wait = Leaf::WaitStart;
  return verdict;
}

// Parameters that are gathered are there all the time: the gather could have run beside what was computed
// since the one before. It began late for its launch where the devices had run dry by then.
TimeNs CommunicationLeaves::missedComputation(EventIndex event) const {
  const RankTrace& trace = *m_analysis.trace().rank(m_rank).trace;
  if (!trace.isDeviceEvent(event)) return 0;
  const EventIndex launch = trace.deviceDetail(event).launch;
  const TimeNs begin = trace.events.begin[event];
  if (!launch.valid() || begin - trace.events.range(launch).end >= kLaunchLatency) return 0;
  const DeviceActivity& activity = m_analysis.wholeActivity(m_rank);
  if (activity.busy.coveredWithin({begin - kMinGap, begin}) > 0 || !gathers(event)) return 0;
  const StepWindows& steps = m_analysis.wholeStepWindows(m_rank);
  const auto step = steps.indexAt(begin);
  if (!step) return 0;
  TimeNs ready = steps.steps[*step].range.begin;
  const EventIndex before = trace.lastBeginningBy(trace.rowOf(event), begin - 1);
  if (before.valid()) ready = std::max(ready, trace.events.range(before).end);
  return activity.compute.coveredWithin({ready, begin});
}

bool CommunicationLeaves::gathers(EventIndex event) const {
  const std::optional<CallFacts> call =
      callFacts(m_analysis, m_rank, m_facts.first, m_facts.transfers, event);
  return call && call->gathers;
}

// Of data-parallel steps: the last gradients to be reduced once the backward pass is over, and what is
// gathered before anything computes. Nothing is left in the step that could hide them.
void CommunicationLeaves::findTails() {
  const StepWindows& steps = m_analysis.wholeStepWindows(m_rank);
  if (steps.found != StepSource::Marked && steps.found != StepSource::Annotation) return;
  const DeviceActivity& activity = m_analysis.wholeActivity(m_rank);
  if (activity.communication.empty()) return;
  const std::vector<TimeNs> backwardEnd = backwardEnds();
  std::vector<EventIndex> last(steps.steps.size());
  std::vector<TimeNs> lastBegin(steps.steps.size(), kAllTime.begin);
  std::vector<bool> gathered(steps.steps.size());
  for (const CollectiveCall& call : m_analysis.collectiveCalls(m_rank)) {
    const TimeRange range = call.range.ns();
    const auto step = steps.indexAt(range.begin);
    if (!step || backwardEnd[*step] == kAllTime.begin || !isMostlyExposed(activity, range)) continue;
    const bool reduces = call.operation == CollectiveOperation::AllReduce ||
                         call.operation == CollectiveOperation::ReduceScatter;
    if (reduces && range.begin >= backwardEnd[*step] && range.begin >= lastBegin[*step]) {
      last[*step] = call.event;
      lastBegin[*step] = range.begin;
    }
    if (call.operation != CollectiveOperation::AllGather || gathered[*step]) continue;
    gathered[*step] = true;
    if (activity.compute.coveredWithin({steps.steps[*step].range.begin, range.begin}) == 0)
      m_tails.push_back(call.event);
  }
  for (const EventIndex event : last) {
    if (event.valid()) m_tails.push_back(event);
  }
  std::ranges::sort(m_tails);
}

// By step, the end of the last compute kernel that the backward pass launched; kAllTime.begin where there is
// none.
std::vector<TimeNs> CommunicationLeaves::backwardEnds() const {
  const StepWindows& steps = m_analysis.wholeStepWindows(m_rank);
  std::vector<TimeNs> ends(steps.steps.size(), kAllTime.begin);
  const IntervalSet& backward = m_analysis.wholePhases(m_rank).backward;
  if (backward.empty()) return ends;
  const RankTrace& trace = *m_analysis.trace().rank(m_rank).trace;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    if (trace.events.kind[event] != EventKind::Kernel) continue;
    const EventIndex launch = trace.deviceDetail(event).launch;
    if (!launch.valid()) continue;
    const TimeRange range = trace.events.range(event);
    const auto step = steps.indexAt(range.begin);
    if (step && range.end > ends[*step] && backward.contains(trace.events.begin[launch]))
      ends[*step] = range.end;
  }
  return ends;
}

} // namespace rankscope
