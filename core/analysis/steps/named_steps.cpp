// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/named_steps.h"

#include "core/analysis/steps/step_search.h"
#include "core/base/exact_sum.h"
#include "core/model/step_names.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

struct Family {
  bool numbered = false;
  std::vector<Step> steps; // in the order of the track's rows
};

std::vector<Family> familiesOf(const RankTrace& trace, const StringTable& names, const Track& track,
                               EventKind kind) {
  std::vector<Family> families;
  std::map<std::pair<std::string_view, bool>, std::size_t> placeOf; // of family and whether it is numbered
  std::unordered_map<NameId, std::optional<StepName>> known;
  for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
    if (trace.events.kind[event] != kind || !trace.events.name[event].valid()) continue;
    const NameId id = trace.events.name[event];
    auto name = known.find(id);
    if (name == known.end()) name = known.emplace(id, stepNameOf(names[id])).first;
    if (!name->second) continue;
    const bool numbered = name->second->number >= 0;
    const auto [place, added] = placeOf.try_emplace({name->second->family, numbered}, families.size());
    if (added) families.push_back({numbered, {}});
    families[place->second].steps.push_back({name->second->number, trace.events.range(event), event});
  }
  return families;
}

bool areInOrder(const Family& family) {
  for (std::size_t i = 1; i < family.steps.size(); ++i) {
    const Step& last = family.steps[i - 1];
    const Step& next = family.steps[i];
    if (next.range.begin < last.range.end || (family.numbered && next.number <= last.number)) return false;
  }
  return family.steps.size() > 1;
}

// From each mark to the next: what follows the last one may be anything.
void reachToTheNext(std::vector<Step>& marks) {
  for (std::size_t i = 1; i < marks.size(); ++i) marks[i - 1].range.end = marks[i].range.begin;
  if (!marks.empty()) marks.pop_back();
}

// First begin to last end of the device's work.
TimeRange deviceSpan(const RankTrace& trace) {
  TimeRange span;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value)
    span = span.unitedWith(trace.events.range(event));
  return span.empty() ? trace.extent : span;
}

ExactSum coverage(const Family& family, TimeRange span) {
  ExactSum covered;
  for (const Step& step : family.steps) covered += step.range.clippedTo(span).length();
  return covered;
}

bool holdsTheWork(const RankTrace& trace, const Family& family) {
  std::vector<TimeRange> ranges;
  ranges.reserve(family.steps.size());
  for (const Step& step : family.steps) ranges.push_back(step.range);
  return launchHalfOfTheWork(trace, ranges);
}

} // namespace

std::vector<Step> stepsOfNames(const RankTrace& trace, const StringTable& names) {
  const TimeRange span = deviceSpan(trace);
  Family best;
  ExactSum bestCoverage;
  const auto look = [&](TrackKind where, EventKind kind) {
    for (const Track& track : trace.tracks) {
      if (track.kind != where) continue;
      for (Family& family : familiesOf(trace, names, track, kind)) {
        std::ranges::sort(family.steps, {}, [](const Step& step) { return step.range.begin; });
        if (kind == EventKind::Instant) reachToTheNext(family.steps);
        if (!areInOrder(family)) continue;
        const ExactSum covered = coverage(family, span);
        if (2 * covered < ExactSum(span.length())) continue;
        if (!best.steps.empty() &&
            std::pair(family.numbered, covered) <= std::pair(best.numbered, bestCoverage))
          continue;
        if (!family.numbered && !holdsTheWork(trace, family)) continue;
        best = std::move(family);
        bestCoverage = covered;
      }
    }
  };
  look(TrackKind::Annotations, EventKind::Annotation);
  if (best.steps.empty()) look(TrackKind::Instants, EventKind::Instant);
  if (!best.numbered) {
    for (std::size_t i = 0; i < best.steps.size(); ++i) best.steps[i].number = static_cast<std::int64_t>(i);
  }
  return std::move(best.steps);
}

} // namespace rankscope
