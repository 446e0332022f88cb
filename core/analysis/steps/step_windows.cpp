// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/step_windows.h"

#include "core/analysis/steps/step_search.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace rankscope {

namespace {

bool byHostBegin(const StepWindow& a, const StepWindow& b) {
  return a.host.begin != b.host.begin ? a.host.begin < b.host.begin : a.host.end > b.host.end;
}

bool isOnMainThread(const RankTrace& trace, EventIndex event) {
  return trace.tracks[trace.trackOf(event).value].mainThread;
}

// Merges the marks of a step by several threads: uses the main thread's, else the longest.
std::vector<StepWindow> oncePerNumber(const RankTrace& trace, std::span<const Step> marked) {
  std::vector<StepWindow> steps;
  std::unordered_map<NameId, std::size_t> latest;
  for (const Step& step : marked) {
    const auto [at, isNew] = latest.try_emplace(trace.events.name[step.event], steps.size());
    if (!isNew) {
      StepWindow& same = steps[at->second];
      if (same.host.overlaps(step.range) || same.host.begin == step.range.begin) {
        const bool onMain = isOnMainThread(trace, step.event);
        const bool sameOnMain = isOnMainThread(trace, same.event);
        if (onMain != sameOnMain ? onMain : step.range.length() > same.host.length()) {
          same.host = step.range;
          same.event = step.event;
        }
        continue;
      }
      at->second = steps.size();
    }
    steps.push_back({step.number, step.range, step.range, step.event, 0});
  }
  std::stable_sort(steps.begin(), steps.end(), byHostBegin);
  return steps;
}

// Device work launched in each step, and device work launched in none.
class LaunchedWork {
 public:
  LaunchedWork(const RankTrace& trace, std::vector<StepWindow>& steps)
      : m_trace(trace), m_steps(steps),
        m_device(steps.size(), {std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::min()}) {
    for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) add(event);
  }

  [[nodiscard]] bool any() const {
    return std::any_of(m_steps.begin(), m_steps.end(),
                       [](const StepWindow& s) { return s.deviceEvents > 0; });
  }
  [[nodiscard]] TimeNs endOf(std::size_t step) const { return m_device[step].end; }
  // When the device finished the work launched before the first step.
  [[nodiscard]] TimeNs endOfEarlierWork() const {
    TimeNs latest = std::numeric_limits<TimeNs>::min();
    if (m_steps.front().deviceEvents == 0) return latest;
    for (const TimeNs end : m_unmatchedEnds) {
      if (end <= m_device.front().begin) latest = std::max(latest, end);
    }
    return latest;
  }

 private:
  void add(EventIndex event) {
    const TimeRange range = m_trace.events.range(event);
    const EventIndex launch = m_trace.deviceDetail(event).launch;
    if (!launch.valid() || !isLaunchedInStep(m_trace.events.range(launch))) {
      m_unmatchedEnds.push_back(range.end);
      return;
    }
    TimeRange& device = m_device[m_at];
    device = {std::min(device.begin, range.begin), std::max(device.end, range.end)};
    ++m_steps[m_at].deviceEvents;
  }
  // Moves to the step of the launch. Launches of a stream are in order, so it is mostly the previous one.
  bool isLaunchedInStep(TimeRange call) {
    const auto begins = [&](std::size_t at) { return m_steps[at].host.begin <= call.begin; };
    if (!begins(m_at) || (m_at + 1 < m_steps.size() && begins(m_at + 1))) {
      const auto after =
          std::upper_bound(m_steps.begin(), m_steps.end(), call.begin,
                           [](TimeNs t, const StepWindow& step) { return t < step.host.begin; });
      if (after == m_steps.begin()) return false;
      m_at = static_cast<std::size_t>(after - m_steps.begin()) - 1;
    }
    return call.end <= m_steps[m_at].host.end;
  }

  const RankTrace& m_trace;
  std::vector<StepWindow>& m_steps;
  std::vector<TimeRange> m_device; // first begin to last end
  std::vector<TimeNs> m_unmatchedEnds;
  std::size_t m_at = 0;
};

void extendByDeviceWork(const RankTrace& trace, std::vector<StepWindow>& steps, StepRules rules) {
  if (steps.empty()) return;
  const LaunchedWork work(trace, steps);
  TimeNs previousEnd = steps.front().host.begin;
  if (work.any()) previousEnd = std::max(previousEnd, work.endOfEarlierWork());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    StepWindow& step = steps[i];
    step.range.begin = std::max(previousEnd, step.host.begin);
    step.range.end = step.deviceEvents > 0 ? std::max(step.host.end, work.endOf(i)) : step.host.end;
    step.range.end = std::max(step.range.end, step.range.begin);
    previousEnd = step.range.end;
  }
  if (!rules.dropTail || steps.size() < 2 || !work.any()) return;
  while (steps.back().deviceEvents == 0) steps.pop_back();
  if (steps.size() < 2) return;
  const auto last = static_cast<double>(steps.back().deviceEvents);
  if (last < 0.8 * static_cast<double>(steps[steps.size() - 2].deviceEvents)) steps.pop_back();
}

StepWindows allSteps(const RankTrace& trace, const StringTable& names, std::span<const Step> marked,
                     StepRules rules) {
  StepWindows result{StepSource::Marked, oncePerNumber(trace, marked)};
  if (result.steps.empty()) result = {StepSource::Annotation, stepsOfAnnotations(trace, names)};
  if (result.steps.empty()) {
    result = {StepSource::Collectives, stepsOfCollectives(trace)};
    if (!result.steps.empty()) return result;
    result = {StepSource::Whole, {}};
    if (!trace.extent.empty()) result.steps.push_back({0, trace.extent, trace.extent, {}, 0});
    return result;
  }
  extendByDeviceWork(trace, result.steps, rules);
  return result;
}

} // namespace

StepWindows stepWindows(const RankTrace& trace, const StringTable& names, std::span<const Step> marked,
                        TimeRange window, StepRules rules) {
  return stepsWithin(allSteps(trace, names, marked, rules), window);
}

StepWindows stepsWithin(const StepWindows& steps, TimeRange window) {
  StepWindows within{steps.found, {}};
  std::copy_if(steps.steps.begin(), steps.steps.end(), std::back_inserter(within.steps),
               [&](const StepWindow& step) { return window.contains(step.range.begin); });
  return within;
}

} // namespace rankscope
