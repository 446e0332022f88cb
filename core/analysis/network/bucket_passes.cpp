// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/bucket_passes.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/operators/operator_shapes.h"
#include "core/analysis/parallel/bucket_times.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace rankscope {

namespace {

// The end of the last computation that begins before a time.
TimeNs lastComputeEnd(const IntervalSet& compute, TimeRange window) {
  const TimeRange hull = compute.hullWithin(window);
  if (hull.empty()) return window.begin;
  const auto at = compute.indexAt(hull.end - 1);
  return at ? compute.ranges()[*at].end : hull.end;
}

// The first argument that has a shape is the gradient.
std::optional<std::int64_t> gradientElements(const std::vector<TensorShape>* shapes) {
  if (shapes == nullptr) return std::nullopt;
  const auto first = std::ranges::find_if(*shapes, [](const TensorShape& shape) { return !shape.empty(); });
  return first == shapes->end() ? std::nullopt : elementsOf(*first);
}

class GroupPasses {
 public:
  explicit GroupPasses(const Analysis& analysis) : m_analysis(analysis) {
    for (const RankIndex rank : analysis.ranks()) add(rank);
  }
  BucketPasses take() { return std::move(m_found); }

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
    if (group) ++m_found.ranks[*group];
  }

  void addPass(RankIndex rank, GroupIndex group, std::span<const BucketTime> times) {
    const KeptSteps& kept = m_analysis.keptSteps();
    const std::size_t step = times.front().bucket.step;
    if (step >= kept.stepOfRank[rank.value].size()) return;
    const std::size_t number = kept.stepOfRank[rank.value][step];
    if (kept.status(rank.value, step) != StepStatus::Kept) return;
    JobPass& pass = m_found.passes[group][number];
    const bool first = pass.buckets.empty();
    if (first) pass.buckets.resize(times.size());
    if (first) takeElements(rank, group, times, pass);
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
      addGradients(times[i].gradients, job, bucket);
    }
    const StepWindow& window = m_analysis.wholeStepWindows(rank).steps[step];
    const TimeNs backward = times.front().readyAt - *times.front().ready;
    pass.backwardBegin = std::min(pass.backwardBegin, job(backward));
    pass.stepUs.push_back(static_cast<double>(window.range.length()) / 1e3);
    const TimeRange until{window.range.begin, times.back().range.end};
    const auto computeEnd =
        rankAnswer<TimeNs>(m_analysis.trace(), rank, "last computation of step " + std::to_string(step),
                           [&] { return lastComputeEnd(m_analysis.wholeActivity(rank).compute, until); });
    pass.computeEnds.push_back(job(computeEnd));
    TimeNs overlap = 0;
    for (const BucketTime& time : times)
      overlap += time.range.clippedTo({time.range.begin, std::max(time.range.begin, computeEnd)}).length();
    pass.overlaps.push_back(overlap);
  }

  // Sizes of gradients are those of the group's first pass: they are the same on all ranks and in all steps.
  void takeElements(RankIndex rank, GroupIndex group, std::span<const BucketTime> times, JobPass& pass) {
    const auto [known, isNew] = m_elements.try_emplace(group);
    if (isNew || known->second.size() != times.size()) {
      const std::string question = "gradients of step " + std::to_string(times.front().bucket.step);
      known->second = rankAnswer<std::vector<std::vector<std::int64_t>>>(
          m_analysis.trace(), rank, question, [&] { return elementsOf(rank, times); });
      known->second.resize(times.size()); // of a digest without the answer
    }
    for (std::size_t i = 0; i < times.size(); ++i) pass.buckets[i].elements = known->second[i];
  }

  [[nodiscard]] std::vector<std::vector<std::int64_t>> elementsOf(RankIndex rank,
                                                                  std::span<const BucketTime> times) const {
    std::vector<EventIndex> copies;
    for (const BucketTime& time : times)
      for (const GradientCopy& gradient : time.gradients) copies.push_back(gradient.copy);
    std::vector<std::vector<std::int64_t>> elements(times.size());
    if (copies.empty()) return elements;
    const OperatorShapes shapes(m_analysis.trace().rank(rank), std::move(copies));
    for (std::size_t i = 0; i < times.size(); ++i) {
      std::int64_t sum = 0;
      for (const GradientCopy& gradient : times[i].gradients) {
        const std::optional<std::int64_t> own = gradientElements(shapes.of(gradient.copy));
        if (!own || *own > times[i].bucket.elements - sum) break;
        elements[i].push_back(*own);
        sum += *own;
      }
      // What does not add up to the bucket is not what the bucket holds.
      if (sum != times[i].bucket.elements || elements[i].size() != times[i].gradients.size())
        elements[i].clear();
    }
    return elements;
  }

  template <class ToJob>
  static void addGradients(const std::vector<GradientCopy>& gradients, ToJob&& job, JobBucket& bucket) {
    if (gradients.size() != bucket.elements.size()) {
      bucket.elements.clear();
      bucket.gradientReady.clear();
      return;
    }
    bucket.gradientReady.resize(gradients.size(), kAllTime.begin);
    for (std::size_t i = 0; i < gradients.size(); ++i)
      bucket.gradientReady[i] = std::max(bucket.gradientReady[i], job(gradients[i].done));
  }

  const Analysis& m_analysis;
  BucketPasses m_found;
  std::map<GroupIndex, std::vector<std::vector<std::int64_t>>> m_elements; // by bucket, then gradient
};

} // namespace

BucketPasses bucketPasses(const Analysis& analysis) {
  return GroupPasses(analysis).take();
}

} // namespace rankscope
