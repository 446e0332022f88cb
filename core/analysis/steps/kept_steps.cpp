// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/kept_steps.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>

namespace rankscope {

namespace {

constexpr double kWarmUpPct = 115;   // percent of the median of the other steps
constexpr std::size_t kMinSteps = 3; // minimum number of steps to judge the first one

// Classification of one step of the job by its ranks.
struct Votes {
  std::array<std::int64_t, 4> kinds{}; // by StepKind
  std::size_t place = 0; // maximum index on any rank: ranks that began late lack the first steps
  std::int64_t cut = 0;
};

class StepUnion {
 public:
  explicit StepUnion(std::span<const RankSteps> ranks) {
    m_kept.stepOfRank.reserve(ranks.size());
    for (const RankSteps& rank : ranks) add(rank);
    putInOrder();
  }

  KeptSteps decide(bool all) {
    if (all) {
      for (JobStep& step : m_kept.steps) step.status = StepStatus::Kept;
    } else {
      for (std::size_t first = 0, end = 0; first < m_kept.steps.size(); first = end) {
        while (end < m_kept.steps.size() && m_kept.steps[end].capture == m_kept.steps[first].capture) ++end;
        judge(std::span(m_kept.steps).subspan(first, end - first));
      }
    }
    return std::move(m_kept);
  }

 private:
  using Key = std::tuple<int, std::int64_t, std::size_t>; // capture, number, occurrence

  void add(const RankSteps& rank) {
    const std::vector<StepKind> kinds = stepKinds(rank.steps);
    const std::vector<bool> cut = cutSteps(rank.steps, kinds);
    std::map<std::int64_t, std::size_t> occurrences;
    std::vector<std::size_t>& places = m_kept.stepOfRank.emplace_back();
    for (std::size_t i = 0; i < rank.steps.size(); ++i) {
      const StepFacts& step = rank.steps[i];
      const std::size_t occurrence = occurrences[step.number]++;
      const auto [at, isNew] =
          m_known.try_emplace({rank.capture, step.number, occurrence}, m_kept.steps.size());
      if (isNew) {
        m_kept.steps.push_back({rank.capture, step.number, occurrence});
        m_votes.push_back({.place = i});
      }
      JobStep& of = m_kept.steps[at->second];
      of.total += step.duration;
      ++of.ranks;
      Votes& votes = m_votes[at->second];
      ++votes.kinds[static_cast<std::size_t>(kinds[i])];
      votes.place = std::max(votes.place, i);
      votes.cut += cut[i] ? 1 : 0;
      places.push_back(at->second);
    }
  }

  // A step truncated by the end (or begin) of the recording has less device work than similar steps.
  static std::vector<bool> cutSteps(const std::vector<StepFacts>& steps, const std::vector<StepKind>& kinds) {
    std::vector<bool> cut(steps.size());
    if (steps.size() < kMinSteps) return cut;
    for (const std::size_t edge : {std::size_t{0}, steps.size() - 1}) {
      std::vector<std::int64_t> others;
      for (std::size_t i = 1; i + 1 < steps.size(); ++i) {
        if (kinds[i] == kinds[edge]) others.push_back(steps[i].deviceEvents);
      }
      if (others.empty()) continue;
      cut[edge] = lacksWork(steps[edge], wholeMedian(std::move(others)));
    }
    return cut;
  }

  void putInOrder() {
    std::vector<std::size_t> order(m_kept.steps.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::tuple(m_kept.steps[i].capture, m_votes[i].place, m_kept.steps[i].number);
    });
    std::vector<std::size_t> placeOf(order.size());
    std::vector<JobStep> steps;
    for (std::size_t place = 0; place < order.size(); ++place) {
      JobStep& step = steps.emplace_back(m_kept.steps[order[place]]);
      const Votes& votes = m_votes[order[place]];
      // The kind on most ranks; the first kind if several are equal.
      step.kind = static_cast<StepKind>(std::ranges::max_element(votes.kinds) - votes.kinds.begin());
      if (2 * votes.cut >= step.ranks) step.status = StepStatus::Cut;
      placeOf[order[place]] = place;
    }
    m_kept.steps = std::move(steps);
    for (std::vector<std::size_t>& places : m_kept.stepOfRank) {
      for (std::size_t& place : places) place = placeOf[place];
    }
  }

  // Judges the steps of one recording.
  static void judge(std::span<JobStep> steps) {
    const auto trains = [](const JobStep& step) {
      return step.kind == StepKind::Training || step.kind == StepKind::Accumulation;
    };
    if (std::ranges::any_of(steps, trains)) {
      for (JobStep& step : steps) {
        if (!trains(step)) step.status = StepStatus::OtherKind;
      }
    }
    JobStep& first = steps.front();
    if (steps.size() < kMinSteps || !first.kept()) return;
    std::vector<double> others;
    for (const JobStep& step : steps.subspan(1)) {
      if (step.kept() && step.kind == first.kind) others.push_back(step.time());
    }
    if (!others.empty() && 100 * first.time() > kWarmUpPct * median(std::move(others)))
      first.status = StepStatus::WarmUp;
  }

  KeptSteps m_kept;
  std::vector<Votes> m_votes; // by step, in order of first appearance
  std::map<Key, std::size_t> m_known;
};

} // namespace

void leaveOutTwice(std::span<const std::vector<StepWindow>* const> windows,
                   std::span<const std::vector<std::size_t>> recordings, KeptSteps& kept) {
  std::vector<std::int64_t> repeated(kept.steps.size()); // by step: on how many ranks
  for (const std::vector<std::size_t>& ofRank : recordings) {
    if (ofRank.size() < 2) continue;
    std::vector<TimeRange> earlier; // steps of captures before, by begin
    for (const std::size_t recording : ofRank) {
      const std::vector<StepWindow>& own = *windows[recording];
      const std::vector<std::size_t>& places = kept.stepOfRank[recording];
      for (std::size_t i = 0; i < std::min(own.size(), places.size()); ++i) {
        const TimeNs middle = own[i].range.begin + own[i].range.length() / 2;
        const auto after = std::ranges::upper_bound(earlier, middle, {}, &TimeRange::begin);
        if (after != earlier.begin() && std::prev(after)->contains(middle)) ++repeated[places[i]];
      }
      for (const StepWindow& step : own) earlier.push_back(step.range);
      std::ranges::sort(earlier, {}, &TimeRange::begin);
    }
  }
  for (std::size_t i = 0; i < repeated.size(); ++i)
    if (repeated[i] > 0 && repeated[i] >= kept.steps[i].ranks) kept.steps[i].status = StepStatus::Twice;
}

std::string_view stepStatusText(StepStatus status) {
  switch (status) {
  case StepStatus::WarmUp:
    return "first step of its recording, longer than 1.15 times the median of the others";
  case StepStatus::OtherKind:
    return "evaluation or checkpoint among training steps";
  case StepStatus::Cut:
    return "cut by the recording";
  case StepStatus::Twice:
    return "recorded by both profilers, counted in the other capture";
  case StepStatus::Kept:
    break;
  }
  return "kept";
}

std::size_t KeptSteps::keptCount() const {
  return static_cast<std::size_t>(std::ranges::count_if(steps, &JobStep::kept));
}

double KeptSteps::meanTime() const {
  double sum = 0;
  for (const JobStep& step : steps) sum += step.kept() ? step.time() : 0;
  const std::size_t count = keptCount();
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

bool lacksWork(const StepFacts& step, std::int64_t wholeDeviceEvents) {
  return 10 * step.deviceEvents < 8 * wholeDeviceEvents;
}

StepStatus KeptSteps::status(std::size_t rank, std::size_t step) const {
  const bool cut = rank < cutOfRank.size() && step < cutOfRank[rank].size() && cutOfRank[rank][step];
  return cut ? StepStatus::Cut : steps[stepOfRank[rank][step]].status;
}

std::vector<StepStatus> KeptSteps::statusOf(std::size_t rank, std::span<const StepWindow> all,
                                            std::span<const StepWindow> asked) const {
  std::vector<StepStatus> found(asked.size(), StepStatus::Kept);
  std::size_t at = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    while (at < all.size() && all[at].range != asked[i].range) ++at;
    if (at >= stepOfRank[rank].size()) break;
    found[i] = status(rank, at++);
  }
  return found;
}

KeptSteps keptSteps(std::span<const RankSteps> ranks, bool all) {
  return StepUnion(ranks).decide(all);
}

} // namespace rankscope
