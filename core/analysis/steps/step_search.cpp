// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/step_search.h"

#include "core/base/exact_sum.h"
#include "core/base/hash.h"
#include "core/base/sort_runs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::uint32_t kLevelsSearched = 4; // the whole run may be one annotation, and epochs the next level

std::string withoutDigits(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      folded += c;
    else if (folded.empty() || folded.back() != '#')
      folded += '#';
  }
  return folded;
}

bool contains(std::string_view name, std::string_view word) {
  return name.find(word) != std::string_view::npos;
}

bool namesStep(std::string_view folded) {
  if (contains(folded, "micro") || contains(folded, "Micro")) return false; // a part of a step
  static constexpr std::array<std::string_view, 6> kWords{"step", "Step", "STEP", "iter", "Iter", "batch"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return contains(folded, word); });
}

// Ranges that torch itself opens, around a module or a call: several in each step.
bool isOfTorch(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kStarts{
      "FSDP::", "c10d::", "nccl:", "gloo:", "aten::", "autograd::"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

// Annotations of one level of a thread with the same name, ignoring digits.
struct AnnotationGroup {
  std::string name;
  Phase phase = Phase::None;
  ExactSum total;
  std::vector<EventIndex> events; // in time order
  bool sameName = true;           // not even digits differ

  [[nodiscard]] bool repeats() const { return events.size() > 1; }
  // A forward pass of the whole model; "blocks.3.forward" is one of a part.
  [[nodiscard]] bool mayCutSteps() const { return !isOfTorch(name) && (sameName || name.ends_with('#')); }
  // "layer 3" and "layer 4" are parts of a step; "train" and "train", or "iteration 3" and "iteration 4", are
  // not.
  [[nodiscard]] bool mayBeSteps() const { return !isOfTorch(name) && (sameName || namesStep(name)); }
  // "iteration 3": the name says so. That "train" is a step, only its work says.
  [[nodiscard]] bool areNumberedSteps() const { return !sameName && namesStep(name); }
};

std::vector<AnnotationGroup> annotationGroupsOf(const RankTrace& trace, const StringTable& names,
                                                const Row& row) {
  std::vector<AnnotationGroup> groups;
  std::unordered_map<NameId, std::size_t> byName;
  std::unordered_map<std::string, std::size_t> byFolded;
  for (EventIndex event = row.firstEvent; event < row.endEvent; ++event.value) {
    if (trace.events.kind[event] != EventKind::Annotation) continue;
    const NameId name = trace.events.name[event];
    auto at = byName.find(name);
    if (at == byName.end()) {
      const std::string folded = withoutDigits(names[name]);
      const auto annotations = byFolded.try_emplace(folded, groups.size()).first;
      if (annotations->second == groups.size())
        groups.push_back({folded, phaseOf(names[name]), 0, {}});
      else
        groups[annotations->second].sameName = false;
      at = byName.emplace(name, annotations->second).first;
    }
    groups[at->second].events.push_back(event);
    groups[at->second].total += trace.events.duration[event];
  }
  return groups;
}

bool fillsItsTime(const RankTrace& trace, const AnnotationGroup& annotations) {
  const TimeNs time =
      trace.events.range(annotations.events.back()).end - trace.events.begin[annotations.events.front()];
  return 2 * annotations.total >= time;
}

bool workOfSteps(const RankTrace& trace, const AnnotationGroup& annotations) {
  std::vector<TimeRange> ranges;
  ranges.reserve(annotations.events.size());
  for (const EventIndex event : annotations.events) ranges.push_back(trace.events.range(event));
  return launchHalfOfTheWork(trace, ranges);
}

std::vector<StepWindow> eachAsAStep(const RankTrace& trace, const AnnotationGroup& annotations) {
  std::vector<StepWindow> steps;
  for (const EventIndex event : annotations.events) {
    const TimeRange range = trace.events.range(event);
    steps.push_back({static_cast<std::int64_t>(steps.size()), range, range, event, 0});
  }
  return steps;
}

std::vector<StepWindow> between(std::span<const TimeNs> bounds) {
  std::vector<StepWindow> steps;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const TimeRange range{bounds[i], bounds[i + 1]};
    if (!range.empty()) steps.push_back({static_cast<std::int64_t>(steps.size()), range, range, {}, 0});
  }
  return steps;
}

// Steps delimited by annotations of one phase, if there are annotations for phases but not for whole steps.
std::vector<StepWindow> cutByPhases(const RankTrace& trace, const Row& row,
                                    std::span<const AnnotationGroup> groups) {
  const auto repeating = [&](Phase phase) -> const AnnotationGroup* {
    const AnnotationGroup* best = nullptr;
    for (const AnnotationGroup& annotations : groups) {
      const bool fits = annotations.phase == phase && annotations.repeats() && annotations.mayCutSteps() &&
                        !contains(annotations.name, "zero_grad");
      if (fits && (best == nullptr || annotations.total > best->total)) best = &annotations;
    }
    return best;
  };
  std::vector<TimeNs> bounds;
  if (const AnnotationGroup* const optimizer = repeating(Phase::Optimizer)) {
    bounds.push_back(trace.events.begin[row.firstEvent]);
    for (const EventIndex event : optimizer->events) bounds.push_back(trace.events.range(event).end);
  } else if (const AnnotationGroup* const forward = repeating(Phase::Forward)) {
    for (const EventIndex event : forward->events) bounds.push_back(trace.events.begin[event]);
    bounds.push_back(trace.events.range(EventIndex(row.endEvent.value - 1)).end);
  }
  return between(bounds);
}

std::vector<StepWindow> stepsOfRow(const RankTrace& trace, const StringTable& names, const Row& row) {
  const std::vector<AnnotationGroup> groups = annotationGroupsOf(trace, names, row);
  const AnnotationGroup* best = nullptr;
  const auto rank = [](const AnnotationGroup& annotations) {
    return std::pair(namesStep(annotations.name), annotations.total);
  };
  for (const AnnotationGroup& annotations : groups) {
    if (annotations.phase != Phase::None || !annotations.repeats() || !annotations.mayBeSteps() ||
        !fillsItsTime(trace, annotations))
      continue;
    if (best != nullptr && rank(annotations) <= rank(*best)) continue;
    if (annotations.areNumberedSteps() || workOfSteps(trace, annotations)) best = &annotations;
  }
  return best != nullptr ? eachAsAStep(trace, *best) : cutByPhases(trace, row, groups);
}

struct Collective {
  TimeRange range;
  std::uint64_t group;
  std::uint64_t signature;
};

Collective collectiveAt(const RankTrace& trace, EventIndex event, std::size_t track) {
  Collective collective{trace.events.range(event), track, trace.events.name[event].value};
  if (const CollectiveDetail* const detail = trace.collectiveOf(event)) {
    if (detail->groupName.valid()) collective.group = hashOf(detail->groupName.value);
    collective.signature =
        hashOf(detail->operation.value, detail->dtype.value, detail->inElements, detail->outElements);
  }
  return collective;
}

// Collectives of the group with the most collectives, sorted by begin.
std::vector<Collective> busiestGroup(const RankTrace& trace) {
  std::vector<Collective> all;
  const EventKind kind = trace.hasDeviceEvents() ? EventKind::Collective : EventKind::HostCollective;
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    if (track.kind != (kind == EventKind::Collective ? TrackKind::Stream : TrackKind::Thread)) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (trace.events.kind[event] == kind) all.push_back(collectiveAt(trace, event, t));
    }
  }
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const Collective& collective : all) ++counts[collective.group];
  std::uint64_t busiest = 0;
  std::size_t maximum = 0;
  for (const Collective& collective : all) {
    const std::size_t count = counts[collective.group];
    if (count <= maximum) continue;
    maximum = count;
    busiest = collective.group;
  }
  std::erase_if(all, [&](const Collective& collective) { return collective.group != busiest; });
  sortRuns(all, [](const Collective& a, const Collective& b) { return a.range.begin < b.range.begin; });
  return all;
}

// Index in the period after the longest pause, summed over all periods.
std::size_t offsetOfPause(std::span<const Collective> collectives, std::size_t period) {
  std::vector<ExactSum> pauses(period);
  TimeNs end = collectives.front().range.end;
  for (std::size_t i = 1; i < collectives.size(); ++i) {
    pauses[i % period] += std::max<TimeNs>(0, collectives[i].range.begin - end);
    end = std::max(end, collectives[i].range.end);
  }
  return static_cast<std::size_t>(std::max_element(pauses.begin(), pauses.end()) - pauses.begin());
}

} // namespace

bool launchHalfOfTheWork(const RankTrace& trace, std::span<const TimeRange> ranges) {
  ExactSum all;
  ExactSum inside;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const EventIndex launch = trace.deviceDetail(event).launch;
    if (!launch.valid()) continue;
    const TimeNs work = trace.events.duration[event];
    all += work;
    const TimeNs at = trace.events.begin[launch];
    const auto after = std::ranges::upper_bound(ranges, at, {}, &TimeRange::begin);
    if (after != ranges.begin() && std::prev(after)->contains(at)) inside += work;
  }
  return 2 * inside >= all;
}

std::vector<StepWindow> stepsOfAnnotations(const RankTrace& trace, const StringTable& names) {
  std::vector<StepWindow> best;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Annotations || (!best.empty() && !track.mainThread)) continue;
    for (std::uint32_t level = 0; level < std::min(track.rowCount, kLevelsSearched); ++level) {
      std::vector<StepWindow> steps = stepsOfRow(trace, names, trace.rows[track.firstRow.value + level]);
      if (steps.empty()) continue;
      best = std::move(steps);
      break;
    }
  }
  return best;
}

std::vector<StepWindow> stepsOfCollectives(const RankTrace& trace) {
  const std::vector<Collective> collectives = busiestGroup(trace);
  std::vector<std::uint64_t> signatures;
  signatures.reserve(collectives.size());
  for (const Collective& collective : collectives) signatures.push_back(collective.signature);
  // Equal collectives repeat with any period, which is not informative.
  const std::size_t period = periodOf(signatures);
  if (period < 2) return {};
  std::vector<TimeNs> bounds;
  std::size_t next = offsetOfPause(collectives, period);
  for (; next < collectives.size(); next += period) bounds.push_back(collectives[next].range.begin);
  if (next == collectives.size() && bounds.size() > 1) {
    // The last period is complete. It ends with the recording, or if that continues, with its collectives.
    const TimeNs mean = (bounds.back() - bounds.front()) / static_cast<TimeNs>(bounds.size() - 1);
    const bool endsSoon = trace.extent.end - bounds.back() <= mean + mean / 2;
    bounds.push_back(endsSoon ? trace.extent.end : collectives.back().range.end);
  }
  return between(bounds);
}

std::size_t periodOf(std::span<const std::uint64_t> sequence) {
  const std::size_t n = sequence.size();
  const auto fromEnd = [&](std::size_t i) { return sequence[n - 1 - i]; };
  // Z function of the reversed sequence: length of the common prefix with each of its suffixes.
  std::vector<std::size_t> equal(n, 0);
  std::size_t left = 0;
  std::size_t right = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (i < right) equal[i] = std::min(right - i, equal[i - left]);
    while (i + equal[i] < n && fromEnd(equal[i]) == fromEnd(i + equal[i])) ++equal[i];
    if (i + equal[i] > right) {
      left = i;
      right = i + equal[i];
    }
    if (2 * i <= n && i + equal[i] >= n - n / 10 && 2 * i <= i + equal[i]) return i;
  }
  return 0;
}

} // namespace rankscope
