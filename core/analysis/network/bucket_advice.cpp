// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/bucket_advice.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/kernels/contention.h"
#include "core/analysis/network/bucket_passes.h"
#include "core/analysis/network/bucket_simulation.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

constexpr int kPieces = 64;          // of a bucket whose gradients are not known
constexpr double kMostErrorPct = 10; // of the replay
constexpr double kLeastGainPct = 2;
constexpr int kStretchRounds = 16;  // each adds a power of what is lost to contention
constexpr TimeNs kSameTime = 1'000; // a bucket that begins later than this after the one before was not ready
// Latency of a group whose sizes do not tell it.
constexpr double kAlphaWithinUs = 20, kAlphaBetweenUs = 40;

// Times of kernels beside communication, and without it.
struct BesideTimes {
  TimeNs beside = 0;
  TimeNs free = 0;
};

} // namespace

template <class Archive, Described<BesideTimes> T> void describe(Archive& archive, T& times) {
  auto& [beside, free] = times;
  archive(beside, free);
}

namespace {

// How much slower kernels are beside communication, over the ranks of a job; 1 if too few can be compared.
double measuredSlowdown(const Analysis& analysis) {
  double beside = 0, free = 0;
  for (const RankIndex rank : analysis.ranks()) {
    const auto found = rankAnswer<BesideTimes>(analysis.trace(), rank, "kernels beside communication", [&] {
      const Contention of =
          contention(*analysis.trace().rank(rank).trace, analysis.wholeActivity(rank).communication);
      return BesideTimes{of.beside, of.free};
    });
    beside += static_cast<double>(found.beside);
    free += static_cast<double>(found.free);
  }
  return free > 0 ? std::max(1.0, beside / free) : 1;
}

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
    const double edge = m_curve.at(nearest.bytes).value_or(CurveTime{nearest.us, false}).us;
    const double alpha = std::min(m_alpha, edge);
    return alpha + (edge - alpha) * size / nearest.bytes;
  }
  // The latency that is assumed for sizes that were not measured; nothing where the fit has one.
  [[nodiscard]] std::optional<double> assumedAlphaUs() const {
    return m_curve.fit().model == FitModel::AlphaBeta ? std::nullopt : std::optional(m_alpha);
  }

 private:
  const TransferCurve& m_curve;
  double m_alpha;
};

// Pieces of a bucket of unknown gradients: its bytes spread evenly until it was ready.
void addPieces(std::int64_t bytes, double fromUs, double readyUs, std::vector<ReadyGradient>& to) {
  std::int64_t sent = 0;
  for (int i = 1; i <= kPieces; ++i) {
    const auto upTo = static_cast<std::int64_t>(static_cast<double>(bytes) * i / kPieces);
    if (upTo == sent) continue;
    to.push_back({upTo - sent, fromUs + (readyUs - fromUs) * i / kPieces});
    sent = upTo;
  }
}

// Gradients of a pass in the order in which they became ready; whole: each bucket as one. Times in µs since
// its begin.
std::vector<ReadyGradient> gradientsOf(const JobPass& pass, bool whole) {
  std::vector<ReadyGradient> gradients;
  TimeNs before = pass.backwardBegin;
  TimeNs lastEnd = kAllTime.begin;
  for (const JobBucket& bucket : pass.buckets) {
    // What began when the one before had ended was waiting for it.
    const bool waited = lastEnd != kAllTime.begin && bucket.begin <= lastEnd + kSameTime;
    const TimeNs ready = std::max(before, waited ? std::min(bucket.ready, bucket.begin) : bucket.begin);
    const auto us = [&](TimeNs t) { return static_cast<double>(t - pass.backwardBegin) / 1e3; };
    if (whole) {
      gradients.push_back({bucket.bytes, us(ready)});
    } else if (bucket.elements.empty()) {
      addPieces(bucket.bytes, us(before), us(ready), gradients);
    } else {
      std::int64_t all = 0, sent = 0, elements = 0;
      for (const std::int64_t own : bucket.elements) all += own;
      for (std::size_t i = 0; i < bucket.elements.size(); ++i) {
        elements += bucket.elements[i];
        // Of what is sent: a communication hook may have another number format than the gradients.
        const auto upTo = static_cast<std::int64_t>(std::llround(
            static_cast<double>(bucket.bytes) * static_cast<double>(elements) / static_cast<double>(all)));
        const TimeNs own = std::clamp(bucket.gradientReady[i], before, ready);
        gradients.push_back({upTo - sent, us(i + 1 == bucket.elements.size() ? ready : own)});
        sent = upTo;
      }
    }
    before = ready;
    lastEnd = bucket.end;
  }
  return gradients;
}

// Ends of the backward pass's computation by rank, µs since its begin, if communication beside it is as
// given: as recorded, less what its own communication cost, plus what this one costs.
std::vector<double> computeEnds(const JobPass& pass, double slowdown, const BucketSimulation* simulated) {
  // Of a time beside communication, this share is lost.
  const double lost = 1 - 1 / slowdown;
  std::vector<double> ends;
  for (std::size_t r = 0; r < pass.computeEnds.size(); ++r) {
    const double recorded = static_cast<double>(pass.computeEnds[r] - pass.backwardBegin) / 1e3;
    double end = recorded;
    if (simulated != nullptr && lost > 0) {
      const double free = recorded - lost * static_cast<double>(pass.overlaps[r]) / 1e3;
      end = free;
      for (int round = 0; round < kStretchRounds; ++round) {
        double beside = 0;
        for (const SimulatedBucket& bucket : simulated->buckets)
          beside += std::max(0.0, std::min(bucket.endUs, end) - bucket.beginUs);
        end = free + lost * beside;
      }
    }
    ends.push_back(end);
  }
  return ends;
}

double exposedOf(const std::vector<double>& computeEnds, double endUs) {
  double sum = 0;
  for (const double compute : computeEnds) sum += std::max(0.0, endUs - compute);
  return sum / static_cast<double>(computeEnds.size());
}

// What of it even the rank that ended its compute last sees; the rest is waiting for that rank.
double exposedOfLast(const std::vector<double>& computeEnds, double endUs) {
  return computeEnds.empty() ? 0 : std::max(0.0, endUs - std::ranges::max(computeEnds));
}

double medianOf(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : median(values);
}

class GroupAdvice {
 public:
  GroupAdvice(const std::map<std::size_t, JobPass>& passes, std::int64_t ranks, const TransferTimes& times,
              double slowdown)
      : m_times(times), m_slowdown(slowdown) {
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
    advice.slowdown = m_slowdown;
    advice.assumedAlphaUs = m_times.assumedAlphaUs();
    advice.coarse = std::ranges::any_of(m_passes, [](const JobPass* pass) {
      return std::ranges::any_of(pass->buckets,
                                 [](const JobBucket& bucket) { return bucket.elements.empty(); });
    });
    advice.caps.push_back(simulate(std::nullopt));
    const double error =
        advice.stepUs > 0 ? 100 * std::abs(advice.caps.front().stepUs - advice.stepUs) / advice.stepUs : 0;
    const bool proven = m_passes.size() > 1;
    if (proven) advice.replayErrorPct = error;
    if (error > kMostErrorPct) {
      advice.refused = "the replay of the recorded buckets is off by more than a tenth of the step";
      return;
    }
    for (const double cap : caps) {
      CapAdvice of = simulate(cap);
      // Against the replay of the recorded buckets: what the replay errs by is no gain or loss of a cap.
      of.gainUs = advice.caps.front().stepUs - of.stepUs;
      const double pct = advice.stepUs > 0 ? 100 * *of.gainUs / advice.stepUs : 0;
      const bool better = proven && pct > std::max(kLeastGainPct, error);
      const auto best = std::ranges::find(advice.caps, advice.best, &CapAdvice::capMb);
      if (better && (!advice.best || *of.gainUs > best->gainUs.value_or(0))) advice.best = cap;
      advice.caps.push_back(of);
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
    std::vector<double> communication, exposed, waiting, steps, buckets;
    for (const JobPass* const pass : m_passes) {
      const std::vector<ReadyGradient> gradients = gradientsOf(*pass, !cap);
      const BucketLimits limits = cap ? bucketLimits(*cap) : BucketLimits{1, 1};
      const BucketSimulation result = simulateBuckets(gradients, limits.first, limits.others, 0,
                                                      [&](std::int64_t bytes) { return m_times(bytes); });
      const std::vector<double> before = computeEnds(*pass, m_slowdown, nullptr);
      const std::vector<double> after = computeEnds(*pass, m_slowdown, &result);
      const double measured =
          exposedOf(before, static_cast<double>(pass->buckets.back().end - pass->backwardBegin) / 1e3);
      const double predicted = exposedOf(after, result.endUs);
      communication.push_back(result.communicationUs);
      exposed.push_back(predicted);
      waiting.push_back(predicted - exposedOfLast(after, result.endUs));
      steps.push_back(meanOf(pass->stepUs) - measured + predicted + meanOf(after) - meanOf(before));
      buckets.push_back(static_cast<double>(result.buckets.size()));
    }
    advice.communicationUs = medianOf(std::move(communication));
    advice.exposedUs = medianOf(std::move(exposed));
    advice.waitingUs = std::min(advice.exposedUs, medianOf(std::move(waiting)));
    advice.stepUs = medianOf(std::move(steps));
    advice.buckets = static_cast<std::int64_t>(medianOf(std::move(buckets)));
    return advice;
  }

  const TransferTimes& m_times;
  double m_slowdown;
  std::vector<const JobPass*> m_passes;
};

} // namespace

std::vector<BucketAdvice> bucketAdvice(const Analysis& analysis, const JobBandwidth& bandwidth,
                                       std::span<const double> caps) {
  std::vector<double> usual(std::begin(kBucketCaps), std::end(kBucketCaps));
  const BucketPasses passes = bucketPasses(analysis);
  const double slowdown = passes.passes.empty() ? 1 : measuredSlowdown(analysis);
  std::vector<BucketAdvice> all;
  all.reserve(passes.passes.size());
  for (const auto& [group, of] : passes.passes) {
    const auto series =
        std::ranges::find_if(bandwidth.series, [&, group = group](const BandwidthSeries& each) {
          return each.of == std::optional(group) && each.operation == CollectiveOperation::AllReduce;
        });
    BucketAdvice& advice = all.emplace_back();
    advice.group = analysis.collectives().match.groups[group.value].label();
    advice.ranks = passes.ranks.at(group);
    if (series != bandwidth.series.end()) advice.group = series->group;
    const bool known = series != bandwidth.series.end() && !series->curve.empty();
    if (!known) {
      const bool onHosts =
          series != bandwidth.series.end() &&
          std::ranges::any_of(series->sizes, [](const auto& size) { return size.untimed > 0; });
      advice.refused = onHosts ? "transfers of this group have no device time, as those of gloo"
                               : "no transfer of this group was recorded on all of its ranks";
      continue;
    }
    const TransferTimes times(*series);
    GroupAdvice(of, passes.ranks.at(group), times, slowdown)
        .fill(advice, caps.empty() ? std::span<const double>(usual) : caps);
  }
  return all;
}

} // namespace rankscope
