// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/bucket_times.h"

#include "core/analysis/digest/rank_answers.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

struct Copy {
  EventIndex event;
  TimeNs asked = 0; // on the host
  TimeNs done = 0;  // on the device, where it has one
  bool onDevice = false;
};

bool isBucketCopy(std::string_view name) {
  return name.starts_with("torch::distributed::reducer::mul_out") ||
         name.starts_with("torch::distributed::reducer::copy");
}

// Copies of gradients into buckets, by when they were asked for.
std::vector<Copy> bucketCopies(const RankTrace& trace, const StringTable& names) {
  std::vector<bool> isCopy(names.size(), false);
  bool any = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    isCopy[i] = isBucketCopy(names[NameId(i)]);
    any |= isCopy[i];
  }
  std::vector<Copy> copies;
  if (!any) return copies;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread) continue;
    for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
      const NameId name = trace.events.name[e];
      if (name.valid() && isCopy[name.value])
        copies.push_back({e, trace.events.begin[e], trace.events.range(e).end, false});
    }
  }
  std::ranges::sort(copies, {}, [](const Copy& copy) { return std::pair(copy.asked, copy.done); });
  for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) {
    const EventIndex launch = trace.deviceDetail(e).launch;
    if (!launch.valid()) continue;
    const TimeNs at = trace.events.begin[launch];
    auto copy = std::ranges::upper_bound(copies, at, {}, &Copy::asked);
    if (copy == copies.begin()) continue;
    --copy;
    // The end of the host operator before the kernel is known to belong to it.
    const EventIndex parent = trace.parentOf(launch);
    if (!parent.valid() || !isCopy[trace.events.name[parent].value]) continue;
    copy->done = std::max(copy->done, trace.events.range(e).end);
    copy->onDevice = true;
  }
  return copies;
}

TimeNs launchTime(const RankTrace& trace, EventIndex event) {
  if (!trace.isDeviceEvent(event)) return trace.events.begin[event];
  const EventIndex launch = trace.deviceDetail(event).launch;
  return launch.valid() ? trace.events.begin[launch] : trace.events.begin[event];
}

} // namespace

template <class Archive, Described<GradientCopy> T> void describe(Archive& archive, T& gradient) {
  auto& [copy, done] = gradient;
  archive(copy, done);
}
template <class Archive, Described<CallParts> T> void describe(Archive& archive, T& parts) {
  auto& [wait, transfer] = parts;
  archive(wait, transfer);
}
template <class Archive, Described<BucketTime> T> void describe(Archive& archive, T& of) {
  auto& [bucket, range, ready, readyAt, copied, backward, parts, exposed, exposedTransfer, gradients] = of;
  archive(bucket, range, ready, readyAt, copied, backward, parts, exposed, exposedTransfer, gradients);
}

std::optional<double> overlapEfficiencyPct(std::span<const BucketTime> buckets) {
  if (buckets.size() < 2) return std::nullopt;
  double exposed = 0;
  double transfer = 0;
  for (const BucketTime& of : buckets) {
    if (!of.parts) return std::nullopt;
    exposed += static_cast<double>(of.exposedTransfer);
    transfer += static_cast<double>(of.parts->transfer);
  }
  const auto last = static_cast<double>(buckets.back().parts->transfer);
  if (transfer <= last) return std::nullopt;
  return 100 * std::clamp(1 - (exposed - last) / (transfer - last), 0.0, 1.0);
}

namespace {

std::vector<BucketTime> timesFromEvents(const Analysis& analysis, RankIndex rank) {
  const std::vector<DdpBucket> buckets = ddpBuckets(analysis, rank);
  if (buckets.empty()) return {};
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const std::vector<Copy> copies = bucketCopies(trace, analysis.trace().names());
  const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
  const StepWindows& steps = analysis.wholeStepWindows(rank);
  const IntervalSet& backward = analysis.wholePhases(rank).backward;
  const IntervalSet exposed = wholeExposedCommunication(analysis, rank);
  std::vector<BucketTime> times;
  times.reserve(buckets.size());
  TimeNs launchBefore = kAllTime.begin;
  for (const DdpBucket& bucket : buckets) {
    const TimeNs launch = launchTime(trace, calls[bucket.call].event);
    const TimeNs from = std::exchange(launchBefore, launch);
    if (!isInScope(analysis, rank, bucket.step)) continue;
    BucketTime time;
    time.bucket = bucket;
    time.range = calls[bucket.call].range.ns();
    time.readyAt = launch;
    const auto after = std::ranges::upper_bound(copies, launch, {}, &Copy::asked);
    if (after != copies.begin() && std::prev(after)->asked >= from) {
      time.readyAt = std::prev(after)->done;
      time.copied = std::prev(after)->onDevice || trace.deviceBegin == trace.deviceEnd;
      const auto first = std::ranges::lower_bound(copies.begin(), after, from, {}, &Copy::asked);
      for (auto copy = first; copy != after; ++copy) time.gradients.push_back({copy->event, copy->done});
    }
    const TimeRange pass = backward.hullWithin(steps.steps[bucket.step].host);
    if (!pass.empty()) {
      time.ready = std::max<TimeNs>(time.readyAt - pass.begin, 0);
      time.backward = pass.length();
    }
    time.parts = callParts(analysis, rank, bucket.call);
    time.exposed = exposed.coveredWithin(time.range);
    if (time.parts)
      time.exposedTransfer = exposed.coveredWithin({time.range.begin + time.parts->wait, time.range.end});
    times.push_back(std::move(time));
  }
  return times;
}

} // namespace

std::vector<BucketTime> bucketTimes(const Analysis& analysis, RankIndex rank) {
  return rankAnswer<std::vector<BucketTime>>(
      analysis.trace(), rank, "buckets of gradients", [&] { return timesFromEvents(analysis, rank); },
      [&](const std::vector<BucketTime>& times) {
        return std::ranges::all_of(times,
                                   [&](const BucketTime& of) { return isOf(analysis, rank, of.bucket); });
      });
}

} // namespace rankscope
