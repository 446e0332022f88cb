// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/bucket_advice.h"

#include "core/analysis/network/bucket_simulation.h"
#include "core/analysis/parallel/bucket_times.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace rankscope {

namespace {

constexpr int kPieces = 64;          // of a bucket whose gradients are not known
constexpr double kMostErrorPct = 10; // of the replay
constexpr double kLeastGainPct = 2;
constexpr TimeNs kSameTime = 1'000; // a bucket that begins later than this after the one before was not ready
// Latency of a group whose sizes do not tell it.
constexpr double kAlphaWithinUs = 20, kAlphaBetweenUs = 40;

// A bucket over all ranks, on the job's clock.
struct JobBucket {
  std::int64_t bytes = 0;
  TimeNs ready = kAllTime.begin, begin = kAllTime.begin, end = kAllTime.begin;
  int ranks = 0;
};

struct JobPass {
  TimeNs backwardBegin = kAllTime.end;
  std::vector<JobBucket> buckets;
  std::vector<TimeNs> computeEnds; // by rank: end of the last kernel that began before the last bucket's end
  std::vector<double> stepUs;      // by rank
  bool whole = true;               // all ranks have the same buckets
};

// The end of the last computation that begins before a time.
TimeNs lastComputeEnd(const IntervalSet& compute, TimeRange window) {
  const TimeRange hull = compute.hullWithin(window);
  if (hull.empty()) return window.begin;
  const auto at = compute.indexAt(hull.end - 1);
  return at ? compute.ranges()[*at].end : hull.end;
}

class GroupPasses {
 public:
  explicit GroupPasses(const Analysis& analysis) : m_analysis(analysis) {
    for (const RankIndex rank : analysis.ranks()) add(rank);
  }
  [[nodiscard]] const std::map<GroupIndex, std::map<std::size_t, JobPass>>& passes() const {
    return m_passes;
  }
  [[nodiscard]] std::int64_t ranks(GroupIndex group) const {
    const auto found = m_ranks.find(group);
    return found == m_ranks.end() ? 0 : found->second;
  }

 private:
  void add(RankIndex rank) {
    const std::vector<BucketTime> times = bucketTimes(m_analysis, rank);
    std::optional<GroupIndex> group;
    std::size_t from = 0;
    while (from < times.size()) {
      std::size_t to = from;
      while (to < times.size() && times[to].bucket.step == times[from].bucket.step) ++to;
      const InstanceIndex instance =
          m_analysis.collectives().match.instanceOfCall[rank.value][times[from].bucket.call];
      if (instance.valid()) {
        group = m_analysis.collectives().match.instance(instance).group;
        addPass(rank, *group, std::span(times).subspan(from, to - from));
      }
      from = to;
    }
    if (group) ++m_ranks[*group];
  }

  void addPass(RankIndex rank, GroupIndex group, std::span<const BucketTime> times) {
    const KeptSteps& kept = m_analysis.keptSteps();
    const std::size_t step = times.front().bucket.step;
    if (step >= kept.stepOfRank[rank.value].size()) return;
    const std::size_t number = kept.stepOfRank[rank.value][step];
    if (!kept.steps[number].kept()) return;
    JobPass& pass = m_passes[group][number];
    const bool first = pass.buckets.empty();
    if (first) pass.buckets.resize(times.size());
    const bool known = std::ranges::all_of(
        times, [](const BucketTime& time) { return time.bucket.bytes && time.ready && time.backward > 0; });
    if (!known || pass.buckets.size() != times.size()) {
      pass.whole = false;
      return;
    }
    const ClockCorrection& clock = m_analysis.clocks().of(rank);
    const auto job = [&](TimeNs t) { return clock.toJob(RankTime(t)).ns(); };
    for (std::size_t i = 0; i < times.size(); ++i) {
      JobBucket& bucket = pass.buckets[i];
      if (bucket.ranks > 0 && bucket.bytes != *times[i].bucket.bytes) pass.whole = false;
      bucket.bytes = *times[i].bucket.bytes;
      bucket.ready = std::max(bucket.ready, job(times[i].readyAt));
      bucket.begin = std::max(bucket.begin, job(times[i].range.begin));
      bucket.end = std::max(bucket.end, job(times[i].range.end));
      ++bucket.ranks;
    }
    const StepWindow& window = m_analysis.wholeStepWindows(rank).steps[step];
    const TimeNs backward = times.front().readyAt - *times.front().ready;
    pass.backwardBegin = std::min(pass.backwardBegin, job(backward));
    pass.stepUs.push_back(static_cast<double>(window.range.length()) / 1e3);
    const TimeRange until{window.range.begin, times.back().range.end};
    pass.computeEnds.push_back(job(lastComputeEnd(m_analysis.wholeActivity(rank).compute, until)));
  }

  const Analysis& m_analysis;
  std::map<GroupIndex, std::map<std::size_t, JobPass>> m_passes; // by place in the kept steps
  std::map<GroupIndex, std::int64_t> m_ranks;
};

// Time of a transfer by size: by the curve of the group inside the measured range, beyond it by its fit. A
// fit without a latency would make small buckets free: then a usual latency is taken.
class TransferTimes {
 public:
  explicit TransferTimes(const BandwidthSeries& series)
      : m_curve(series.curve), m_alpha(series.between.value_or(false) ? kAlphaBetweenUs : kAlphaWithinUs) {}

  [[nodiscard]] double operator()(std::int64_t bytes) const {
    const auto size = static_cast<double>(bytes);
    const CurvePoint& least = m_curve.points().front();
    const CurvePoint& most = m_curve.points().back();
    const bool inside = size >= least.bytes && size <= most.bytes;
    if (inside || m_curve.fit().model == FitModel::AlphaBeta)
      if (const auto time = m_curve.at(size)) return time->us;
    const CurvePoint& nearest = size < least.bytes ? least : most;
    const double alpha = std::min(m_alpha, nearest.us);
    return alpha + (nearest.us - alpha) * size / nearest.bytes;
  }

 private:
  const TransferCurve& m_curve;
  double m_alpha;
};

// Gradients of a pass: each bucket's bytes spread evenly until it was ready. Times in µs since its begin.
std::vector<ReadyGradient> gradientsOf(const JobPass& pass, bool whole) {
  std::vector<ReadyGradient> gradients;
  gradients.reserve(pass.buckets.size() * (whole ? 1 : kPieces));
  TimeNs before = pass.backwardBegin;
  TimeNs lastEnd = kAllTime.begin;
  for (const JobBucket& bucket : pass.buckets) {
    // What began when the one before had ended was waiting for it.
    const bool waited = lastEnd != kAllTime.begin && bucket.begin <= lastEnd + kSameTime;
    const TimeNs ready = std::max(before, waited ? std::min(bucket.ready, bucket.begin) : bucket.begin);
    const auto us = [&](TimeNs t) { return static_cast<double>(t - pass.backwardBegin) / 1e3; };
    if (whole) {
      gradients.push_back({bucket.bytes, us(ready)});
    } else {
      std::int64_t sent = 0;
      for (int i = 1; i <= kPieces; ++i) {
        const auto upTo = static_cast<std::int64_t>(static_cast<double>(bucket.bytes) * i / kPieces);
        if (upTo == sent) continue;
        gradients.push_back({upTo - sent, us(before) + (us(ready) - us(before)) * i / kPieces});
        sent = upTo;
      }
    }
    before = ready;
    lastEnd = bucket.end;
  }
  return gradients;
}

double exposedOf(const JobPass& pass, double endUs) {
  double sum = 0;
  for (const TimeNs compute : pass.computeEnds)
    sum += std::max(0.0, endUs - static_cast<double>(compute - pass.backwardBegin) / 1e3);
  return sum / static_cast<double>(pass.computeEnds.size());
}

double medianOf(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : median(values);
}

class GroupAdvice {
 public:
  GroupAdvice(const std::map<std::size_t, JobPass>& passes, std::int64_t ranks, const TransferTimes& times)
      : m_times(times) {
    for (const auto& [number, pass] : passes) {
      const bool whole =
          pass.whole && !pass.buckets.empty() && static_cast<std::int64_t>(pass.computeEnds.size()) == ranks;
      if (whole) m_passes.push_back(&pass);
    }
  }

  void fill(BucketAdvice& advice, std::span<const double> caps) const {
    advice.steps = static_cast<std::int64_t>(m_passes.size());
    if (m_passes.empty()) {
      advice.refused = "no step has the same buckets on all ranks, with their backward pass";
      return;
    }
    std::vector<double> steps;
    steps.reserve(m_passes.size());
    for (const JobPass* const pass : m_passes) steps.push_back(meanOf(pass->stepUs));
    advice.stepUs = medianOf(std::move(steps));
    advice.coarse = true;
    advice.caps.push_back(simulate(std::nullopt));
    advice.replayErrorPct =
        advice.stepUs > 0 ? 100 * std::abs(advice.caps.front().stepUs - advice.stepUs) / advice.stepUs : 0;
    if (advice.replayErrorPct > kMostErrorPct) {
      advice.refused = "the replay of the recorded buckets is off by more than a tenth of the step";
      return;
    }
    for (const double cap : caps) {
      CapAdvice of = simulate(cap);
      of.gainUs = advice.stepUs - of.stepUs;
      const double pct = advice.stepUs > 0 ? 100 * *of.gainUs / advice.stepUs : 0;
      const bool better = pct > std::max(kLeastGainPct, advice.replayErrorPct);
      const auto best = std::ranges::find(advice.caps, advice.best, &CapAdvice::capMb);
      if (better && (!advice.best || *of.gainUs > best->gainUs.value_or(0))) advice.best = cap;
      advice.caps.push_back(std::move(of));
    }
  }

 private:
  static double meanOf(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }

  [[nodiscard]] CapAdvice simulate(std::optional<double> cap) const {
    CapAdvice advice;
    advice.capMb = cap;
    std::vector<double> communication, exposed, steps, buckets;
    for (const JobPass* const pass : m_passes) {
      const std::vector<ReadyGradient> gradients = gradientsOf(*pass, !cap);
      const BucketLimits limits = cap ? bucketLimits(*cap) : BucketLimits{1, 1};
      const BucketSimulation result = simulateBuckets(gradients, limits.first, limits.others, 0,
                                                      [&](std::int64_t bytes) { return m_times(bytes); });
      const double measured =
          exposedOf(*pass, static_cast<double>(pass->buckets.back().end - pass->backwardBegin) / 1e3);
      const double predicted = exposedOf(*pass, result.endUs);
      communication.push_back(result.communicationUs);
      exposed.push_back(predicted);
      steps.push_back(meanOf(pass->stepUs) - measured + predicted);
      buckets.push_back(static_cast<double>(result.buckets.size()));
    }
    advice.communicationUs = medianOf(std::move(communication));
    advice.exposedUs = medianOf(std::move(exposed));
    advice.stepUs = medianOf(std::move(steps));
    advice.buckets = static_cast<std::int64_t>(medianOf(std::move(buckets)));
    return advice;
  }

  const TransferTimes& m_times;
  std::vector<const JobPass*> m_passes;
};

} // namespace

std::vector<BucketAdvice> bucketAdvice(const Analysis& analysis, const JobBandwidth& bandwidth,
                                       std::span<const double> caps) {
  std::vector<double> usual(std::begin(kBucketCaps), std::end(kBucketCaps));
  const GroupPasses passes(analysis);
  std::vector<BucketAdvice> all;
  all.reserve(passes.passes().size());
  for (const auto& [group, of] : passes.passes()) {
    const auto series =
        std::ranges::find_if(bandwidth.series, [&, group = group](const BandwidthSeries& each) {
          return each.of == std::optional(group) && each.operation == CollectiveOperation::AllReduce;
        });
    BucketAdvice& advice = all.emplace_back();
    advice.group = analysis.collectives().match.groups[group.value].label();
    advice.ranks = passes.ranks(group);
    if (series != bandwidth.series.end()) advice.group = series->group;
    const bool known = series != bandwidth.series.end() && !series->curve.empty();
    if (!known) {
      advice.refused = "no transfer of this group was recorded on all of its ranks";
      continue;
    }
    const TransferTimes times(*series);
    GroupAdvice(of, passes.ranks(group), times)
        .fill(advice, caps.empty() ? std::span<const double>(usual) : caps);
  }
  return all;
}

} // namespace rankscope
