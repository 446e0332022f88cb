// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/ddp_buckets.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/base/exact_sum.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace rankscope {

namespace {

bool runsDdp(const RankTrace& trace, const StringTable& names) {
  constexpr std::string_view kForward = "DistributedDataParallel.forward";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[NameId(i)] != kForward) continue;
    for (const Track& track : trace.tracks) {
      if (track.kind != TrackKind::Thread && track.kind != TrackKind::Annotations) continue;
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
        if (trace.events.name[event] == NameId(i)) return true;
      }
    }
  }
  return false;
}

// Counts and flags are no gradients.
bool isGradientFormat(std::string_view dtype) {
  constexpr std::array<std::string_view, 4> kWords{"loat", "alf", "ouble", "fp"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return dtype.find(word) != dtype.npos; });
}

// When the host asked for it; its own begin where that was not recorded.
TimeNs launchOf(const RankTrace& trace, EventIndex event) {
  if (!trace.isDeviceEvent(event)) return trace.events.begin[event];
  const EventIndex launch = trace.deviceDetail(event).launch;
  return launch.valid() ? trace.events.begin[launch] : trace.events.begin[event];
}

struct Candidate {
  std::size_t call;
  std::size_t step;
  TimeNs launch;
  GroupIndex group;
};

std::vector<Candidate> candidates(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const StringTable& names = analysis.trace().names();
  const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
  const StepWindows& steps = analysis.wholeStepWindows(rank);
  const IntervalSet& backward = analysis.wholePhases(rank).backward;
  const CollectiveMatch& match = analysis.collectives().match;
  std::vector<Candidate> found;
  found.reserve(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CollectiveCall& call = calls[i];
    if (call.operation != CollectiveOperation::AllReduce || call.inElements <= 0 || !call.dtype.valid() ||
        !isGradientFormat(names[call.dtype]))
      continue;
    const TimeNs launch = launchOf(trace, call.event);
    if (!backward.empty() && !backward.contains(launch)) continue;
    std::size_t step = 0;
    if (steps.areSteps()) {
      const auto of = std::ranges::find_if(
          steps.steps, [&](const StepWindow& window) { return window.host.contains(launch); });
      if (of == steps.steps.end()) continue;
      step = static_cast<std::size_t>(of - steps.steps.begin());
    }
    const CollectiveInstance* const instance = match.instanceAt(rank, call.event);
    found.push_back({i, step, launch, instance == nullptr ? GroupIndex() : instance->group});
  }
  return found;
}

// The group known as data-parallel, else the one with the most elements.
GroupIndex gradientGroup(const Analysis& analysis, RankIndex rank, const std::vector<Candidate>& found) {
  const std::vector<JobGroup>& groups = analysis.collectives().match.groups;
  std::map<GroupIndex, ExactSum> elements;
  for (const Candidate& candidate : found) {
    const std::int64_t in = analysis.collectiveCalls(rank)[candidate.call].inElements;
    elements[candidate.group] += in;
  }
  const auto rankOf = [&](const std::pair<const GroupIndex, ExactSum>& of) {
    const bool isData = of.first.valid() && groups[of.first.value].dimension == ParallelDimension::Data;
    return std::pair(isData, static_cast<std::int64_t>(of.second));
  };
  const auto most = std::ranges::max_element(elements, {}, rankOf);
  return most == elements.end() ? GroupIndex() : most->first;
}

} // namespace

bool isOf(const Analysis& analysis, RankIndex rank, const DdpBucket& bucket) {
  return bucket.call < analysis.collectiveCalls(rank).size() &&
         bucket.step < analysis.wholeStepWindows(rank).steps.size();
}

bool usesDdp(const TraceSet& trace, RankIndex rank) {
  return rankAnswer<bool>(trace, rank, "use of DistributedDataParallel",
                          [&] { return runsDdp(*trace.rank(rank).trace, trace.names()); });
}

namespace {

std::vector<DdpBucket> bucketsFromEvents(const Analysis& analysis, RankIndex rank) {
  if (!usesDdp(analysis.trace(), rank)) return {};
  std::vector<Candidate> found = candidates(analysis, rank);
  const GroupIndex group = gradientGroup(analysis, rank, found);
  std::erase_if(found, [&](const Candidate& candidate) { return candidate.group != group; });
  std::ranges::stable_sort(found, {}, [](const Candidate& c) { return std::pair(c.step, c.launch); });
  const StringTable& names = analysis.trace().names();
  std::vector<DdpBucket> buckets;
  buckets.reserve(found.size());
  for (const Candidate& candidate : found) {
    const CollectiveCall& call = analysis.collectiveCalls(rank)[candidate.call];
    DdpBucket bucket;
    bucket.call = candidate.call;
    bucket.step = candidate.step;
    bucket.index = buckets.empty() || buckets.back().step != candidate.step ? 0 : buckets.back().index + 1;
    bucket.elements = call.inElements;
    bucket.bytes = messageBytes(call.operation, call.inElements, call.outElements, call.parties->groupSize,
                                names[call.dtype]);
    buckets.push_back(bucket);
  }
  return buckets;
}

} // namespace

std::vector<DdpBucket> ddpBuckets(const Analysis& analysis, RankIndex rank) {
  return rankAnswer<std::vector<DdpBucket>>(
      analysis.trace(), rank, "calls of buckets", [&] { return bucketsFromEvents(analysis, rank); },
      [&](const std::vector<DdpBucket>& buckets) {
        return std::ranges::all_of(buckets, [&](const DdpBucket& of) { return isOf(analysis, rank, of); });
      });
}

std::optional<std::int64_t> parametersOf(const std::vector<DdpBucket>& buckets) {
  std::map<std::size_t, std::pair<std::size_t, ExactSum>> steps; // buckets and elements
  for (const DdpBucket& bucket : buckets) {
    auto& [count, elements] = steps[bucket.step];
    ++count;
    elements += bucket.elements;
  }
  const auto most = std::ranges::max_element(steps, {}, [](const auto& step) { return step.second.first; });
  if (most == steps.end()) return std::nullopt;
  return static_cast<std::int64_t>(most->second.second);
}

} // namespace rankscope
