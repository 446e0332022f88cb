// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/stragglers.h"

#include "core/base/statistics.h"
#include "core/index/interval_set.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

// A late straggler was healthy for this many steps and slow for as many after them.
constexpr std::size_t kLateSteps = 2;
// A step that costs less than this share of the typical slow one is not slow for the same reason.
constexpr double kMinSlowShare = 0.3;

TimeNs sumOf(const std::vector<TimeNs>& times) {
  ExactSum sum;
  for (const TimeNs time : times) sum += time;
  return sum;
}

// steps: how many were looked at.
void addUp(Straggler& straggler, std::size_t steps) {
  straggler.cost = sumOf(straggler.costs);
  straggler.exposedCost = sumOf(straggler.exposedCosts);
  straggler.costPerStep =
      straggler.cost / static_cast<TimeNs>(straggler.becameSlow ? straggler.slowSteps.size() : steps);
}

// The steps of a rank as its calls know them.
class StepsOfCalls {
 public:
  explicit StepsOfCalls(const StepWindows& steps) : m_steps(steps) {
    for (std::size_t i = 0; i < steps.steps.size(); ++i) m_byNumber.try_emplace(steps.steps[i].number, i);
  }
  // A call belongs to the step that launched it where steps are numbered, else to the one in which it began.
  [[nodiscard]] std::optional<std::size_t> of(const CollectiveCall& call) const {
    if (call.step == CollectiveCall::kNoStep) return m_steps.indexAt(call.range.begin.ns());
    const auto found = m_byNumber.find(call.step);
    return found != m_byNumber.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  const StepWindows& m_steps;
  std::unordered_map<std::int64_t, std::size_t> m_byNumber; // the first of each
};

class Pacing {
 public:
  Pacing(const TraceSet& trace, const CollectiveMatch& match, const ClockAlignment& clocks, CallsByRank calls,
         std::span<const RankTimes> times)
      : m_trace(trace), m_match(match), m_clocks(clocks), m_calls(calls), m_times(times) {
    m_result.ranks.resize(times.size());
  }

  [[nodiscard]] StragglerAnalysis run() {
    startSteps();
    addWaits();
    for (const auto& [capture, ranks] : ranksOfCaptures()) judge(ranks);
    std::ranges::stable_sort(m_result.stragglers, std::greater<>(), &Straggler::cost);
    return std::move(m_result);
  }

 private:
  void startSteps() {
    for (std::size_t r = 0; r < m_times.size(); ++r) {
      for (std::size_t i = 0; i < m_times[r].steps->steps.size(); ++i) {
        RankStep step;
        step.number = m_times[r].steps->steps[i].number;
        step.range = m_clocks.of(RankIndex(r)).toJob(RankRange::of(m_times[r].steps->steps[i].range));
        m_result.ranks[r].steps.push_back(step);
      }
    }
  }

  void addWaits() {
    std::vector<std::vector<std::vector<TimeRange>>> waits(m_times.size());
    std::vector<StepsOfCalls> steps;
    for (std::size_t r = 0; r < m_times.size(); ++r) {
      waits[r].resize(m_times[r].steps->steps.size());
      steps.emplace_back(*m_times[r].steps);
    }
    for (const CollectiveInstance& instance : m_match.instances) {
      if (!instance.matched()) continue;
      for (const Participant& p : m_match.of(instance)) {
        const CollectiveCall& call = (*m_calls[p.rank.value])[p.call];
        const auto position = steps[p.rank.value].of(call);
        if (!position) continue;
        RankStep& step = m_result.ranks[p.rank.value].steps[*position];
        ++step.collectives;
        const TimeNs skew = instance.skew();
        step.skew += skew;
        if (instance.lastRank == p.rank && skew > 0) {
          ++step.last;
          step.skewWhenLast += skew;
        }
        step.wait += p.wait;
        waits[p.rank.value][*position].push_back({call.range.begin.ns(), call.range.begin.ns() + p.wait});
      }
    }
    for (std::size_t r = 0; r < m_times.size(); ++r) {
      for (std::size_t i = 0; i < waits[r].size(); ++i) {
        RankStep& step = m_result.ranks[r].steps[i];
        const IntervalSet waited =
            IntervalSet(std::move(waits[r][i])).clippedTo(m_times[r].steps->steps[i].range);
        step.waited = waited.totalLength();
        step.exposedWait = step.waited - commonLength(waited, *m_times[r].compute);
        step.own = step.range.length() - step.waited;
      }
    }
  }

  [[nodiscard]] std::map<int, std::vector<std::size_t>> ranksOfCaptures() const {
    std::map<int, std::vector<std::size_t>> captures;
    for (std::size_t r = 0; r < m_result.ranks.size(); ++r) {
      if (m_times[r].steps->areSteps()) captures[m_trace.ranks()[r].capture].push_back(r);
    }
    return captures;
  }

  void judge(const std::vector<std::size_t>& ranks) {
    if (ranks.size() < 2) return;
    std::map<std::int64_t, std::vector<std::pair<std::size_t, std::size_t>>> byStep; // (rank, position)
    for (const std::size_t r : ranks) {
      for (std::size_t i = 0; i < m_result.ranks[r].steps.size(); ++i)
        byStep[m_result.ranks[r].steps[i].number].emplace_back(r, i);
    }
    for (const auto& [number, members] : byStep) {
      std::vector<TimeNs> own;
      for (const auto& [r, i] : members) own.push_back(m_result.ranks[r].steps[i].own);
      const double middle = median(own);
      for (const auto& [r, i] : members) {
        RankStep& step = m_result.ranks[r].steps[i];
        if (middle > 0) step.slowdown = static_cast<double>(step.own) / middle;
      }
    }
    scoreRanks(ranks);
    for (const std::size_t r : ranks) judgeRank(r, byStep);
  }

  void scoreRanks(const std::vector<std::size_t>& ranks) {
    std::vector<double> own;
    for (const std::size_t r : ranks) {
      std::vector<TimeNs> times;
      std::vector<double> slowdowns;
      for (const RankStep& step : m_result.ranks[r].steps) {
        times.push_back(step.own);
        slowdowns.push_back(step.slowdown);
      }
      if (times.empty()) return;
      own.push_back(median(times));
      m_result.ranks[r].slowdown = median(slowdowns);
    }
    double sum = 0, squares = 0;
    for (const double value : own) sum += value;
    const double mean = sum / static_cast<double>(own.size());
    for (const double value : own) squares += (value - mean) * (value - mean);
    const double spread = std::sqrt(squares / static_cast<double>(own.size()));
    if (spread <= 0) return;
    for (std::size_t i = 0; i < ranks.size(); ++i) m_result.ranks[ranks[i]].zScore = (own[i] - mean) / spread;
  }

  using Members = std::vector<std::pair<std::size_t, std::size_t>>; // (rank, position of the step)
  using StepsByNumber = std::map<std::int64_t, Members>;

  // In this step: it was last where most of the time was lost, and nobody waited less. Collectives that all
  // begin at one time, queued behind one that was late, are not informative.
  [[nodiscard]] bool slowIn(std::size_t r, std::size_t i, const StepsByNumber& byStep) const {
    const RankStep& step = m_result.ranks[r].steps[i];
    if (step.skew == 0 || step.skewWhenLast <= step.skew / 2 || step.slowdown <= kStragglerSlowdown)
      return false;
    return std::ranges::all_of(byStep.at(step.number), [&](const auto& member) {
      const RankStep& other = m_result.ranks[member.first].steps[member.second];
      return other.collectives == 0 || other.wait >= step.wait;
    });
  }

  // The steps in which the rank was slow, without those in which it was slow by chance: in every step
  // somebody is last, and costs the others next to nothing.
  [[nodiscard]] std::vector<std::size_t> slowStepsOf(std::size_t r, const StepsByNumber& byStep) const {
    const std::vector<RankStep>& steps = m_result.ranks[r].steps;
    std::vector<std::size_t> slow;
    std::vector<TimeNs> costs;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!slowIn(r, i, byStep)) continue;
      slow.push_back(i);
      costs.push_back(medianOther(r, byStep.at(steps[i].number), &RankStep::wait));
    }
    if (slow.empty()) return slow;
    const double typical = median(costs);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < slow.size(); ++i) {
      if (static_cast<double>(costs[i]) >= kMinSlowShare * typical) slow[kept++] = slow[i];
    }
    slow.resize(kept);
    return slow;
  }

  void judgeRank(std::size_t r, const StepsByNumber& byStep) {
    const std::vector<RankStep>& steps = m_result.ranks[r].steps;
    Straggler straggler;
    straggler.rank = RankIndex(r);
    straggler.slowSteps = slowStepsOf(r, byStep);
    const std::size_t slow = straggler.slowSteps.size();
    if (slow == 0) return;
    // From some step on nearly always, and before it not.
    const std::size_t since = straggler.slowSteps.front();
    const bool sinceThenMostly = slow >= kLateSteps && 4 * slow >= 3 * (steps.size() - since);
    straggler.becameSlow = since >= kLateSteps && sinceThenMostly;
    const bool maxSteps = 2 * slow > steps.size();
    if (!maxSteps && !straggler.becameSlow) return;
    std::vector<double> slowdowns;
    for (const std::size_t i : straggler.slowSteps) {
      const Members& members = byStep.at(steps[i].number);
      straggler.costs.push_back(medianOther(r, members, &RankStep::wait));
      straggler.exposedCosts.push_back(medianOther(r, members, &RankStep::exposedWait));
      slowdowns.push_back(steps[i].slowdown);
    }
    addUp(straggler, m_times[r].steps->steps.size());
    straggler.slowdown = median(slowdowns);
    m_result.ranks[r].straggler = true;
    m_result.stragglers.push_back(std::move(straggler));
  }

  // What the median other rank waited in a step.
  template <class Figure>
  [[nodiscard]] TimeNs medianOther(std::size_t r, const Members& members, Figure RankStep::*figure) const {
    std::vector<TimeNs> waits;
    for (const auto& [other, position] : members) {
      if (other != r) waits.push_back(m_result.ranks[other].steps[position].*figure);
    }
    return waits.empty() ? 0 : std::llround(median(waits));
  }

  const TraceSet& m_trace;
  const CollectiveMatch& m_match;
  const ClockAlignment& m_clocks;
  CallsByRank m_calls;
  std::span<const RankTimes> m_times;
  StragglerAnalysis m_result;
};

} // namespace

std::optional<Straggler> withinWindow(const Straggler& straggler, const StepWindows& steps,
                                      RankRange window) {
  Straggler part = straggler;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < straggler.slowSteps.size(); ++i) {
    if (!window.contains(RankTime(steps.steps[straggler.slowSteps[i]].range.begin))) continue;
    part.slowSteps[kept] = straggler.slowSteps[i];
    part.costs[kept] = straggler.costs[i];
    part.exposedCosts[kept++] = straggler.exposedCosts[i];
  }
  if (kept == 0) return std::nullopt;
  part.slowSteps.resize(kept);
  part.costs.resize(kept);
  part.exposedCosts.resize(kept);
  addUp(part, stepsWithin(steps, window.ns()).steps.size());
  return part;
}

StragglerAnalysis findStragglers(const TraceSet& trace, const CollectiveMatch& match,
                                 const ClockAlignment& clocks, CallsByRank calls,
                                 std::span<const RankTimes> times) {
  return Pacing(trace, match, clocks, calls, times).run();
}

} // namespace rankscope
