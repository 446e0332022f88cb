// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/stragglers.h"

#include "core/analysis/collectives/connected_ranks.h"
#include "core/base/statistics.h"
#include "core/index/interval_set.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

// A straggler has the longest time in this share of at least kCertainSteps kept steps.
constexpr double kMinShareOfSteps = 0.6;
constexpr std::size_t kCertainSteps = 4;
// Of fewer than kCertainSteps, in all of them: by so many times the minimum margin, and in each by this share
// of the median margin.
constexpr std::size_t kMinSteps = 2;
constexpr double kTimesMargin = 2;
constexpr double kMinOfMiddle = 0.5;
// Minimum margin as a share of the step time. Ranks without devices share cores, so their times vary more.
constexpr double kMinMargin = 0.02;
constexpr double kMinMarginOnHost = 0.1;
constexpr double kMinDeviations = 3;
// Minimum number of steps before a late straggler became slow, and since (all of them slow).
constexpr std::size_t kStepsBefore = 2;
constexpr std::size_t kStepsSince = 3;
constexpr double kMinGrowth = 5;

void addUp(Straggler& straggler) {
  ExactSum cost;
  for (const TimeNs time : straggler.costs) cost += time;
  straggler.cost = cost;
  const auto steps = static_cast<TimeNs>(straggler.keptSteps.size());
  const TimeNs mean = cost / steps;
  // A late straggler may have no margin in half of the steps or more, so only the mean is meaningful.
  const TimeNs middle =
      straggler.becameSlow ? mean : std::clamp<TimeNs>(wholeMedian(straggler.margins), 0, straggler.cost);
  straggler.gainLow = std::min(mean, middle);
  straggler.gainHigh = std::max(mean, middle);
}

// Steps of a rank, for assigning its calls to them.
class StepsOfCalls {
 public:
  explicit StepsOfCalls(const StepWindows& steps) : m_steps(steps) {
    for (std::size_t i = 0; i < steps.steps.size(); ++i) m_byNumber.try_emplace(steps.steps[i].number, i);
  }
  // A call belongs to the step that launched it if steps are numbered, else to the step in which it begins.
  [[nodiscard]] std::optional<std::size_t> of(const CollectiveCall& call) const {
    if (call.step == CollectiveCall::kNoStep) return m_steps.indexAt(call.range.begin.ns());
    const auto found = m_byNumber.find(call.step);
    return found != m_byNumber.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  const StepWindows& m_steps;
  std::unordered_map<std::int64_t, std::size_t> m_byNumber; // the first step with each number
};

// Margins of a rank in the kept steps of all its recordings.
struct Margins {
  std::vector<std::size_t> recordings; // RankIndex values, ascending
  std::vector<TimeNs> all;
  std::size_t longest = 0; // number of steps in which no rank took longer
};

class Pacing {
 public:
  Pacing(const TraceSet& trace, const CollectiveMatch& match, const ClockAlignment& clocks, CallsByRank calls,
         std::span<const RankTimes> times, const KeptSteps& kept)
      : m_trace(trace), m_match(match), m_clocks(clocks), m_calls(calls), m_times(times), m_kept(kept),
        m_connected(connectedRanks(trace, match)) {
    m_result.ranks.resize(times.size());
  }

  [[nodiscard]] StragglerAnalysis run() {
    startSteps();
    addWaits();
    for (const auto& [capture, ranks] : ranksOfCaptures()) compare(ranks);
    judge();
    std::ranges::stable_sort(m_result.stragglers, std::greater<>(), &Straggler::cost);
    return std::move(m_result);
  }

 private:
  void startSteps() {
    for (std::size_t r = 0; r < m_times.size(); ++r) {
      const std::vector<StepWindow>& windows = m_times[r].steps->steps;
      for (std::size_t i = 0; i < windows.size(); ++i) {
        RankStep step;
        step.number = windows[i].number;
        step.range = m_clocks.of(RankIndex(r)).toJob(RankRange::of(windows[i].range));
        step.kept = m_kept.status(r, i) == StepStatus::Kept;
        step.own = windows[i].range.length() - m_times[r].exposed->coveredWithin(windows[i].range);
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
        if (instance.lastRank == p.rank && instance.skew() > 0) ++step.last;
        step.wait += p.wait;
        waits[p.rank.value][*position].push_back({call.range.begin.ns(), call.range.begin.ns() + p.wait});
      }
    }
    for (std::size_t r = 0; r < m_times.size(); ++r) {
      for (std::size_t i = 0; i < waits[r].size(); ++i)
        m_result.ranks[r].steps[i].waited =
            IntervalSet(std::move(waits[r][i])).clippedTo(m_times[r].steps->steps[i].range).totalLength();
    }
  }

  [[nodiscard]] std::map<int, std::vector<std::size_t>> ranksOfCaptures() const {
    std::map<int, std::vector<std::size_t>> captures;
    for (std::size_t r = 0; r < m_result.ranks.size(); ++r) {
      if (m_times[r].steps->areSteps()) captures[m_trace.ranks()[r].capture].push_back(r);
    }
    return captures;
  }

  using Members = std::vector<std::pair<std::size_t, std::size_t>>; // (rank, index of the step)

  void compare(const std::vector<std::size_t>& ranks) {
    if (ranks.size() < 2) return;
    std::map<std::size_t, Members> byStep; // by step of the job
    for (const std::size_t r : ranks) {
      for (std::size_t i = 0; i < m_result.ranks[r].steps.size(); ++i)
        byStep[m_kept.stepOfRank[r][i]].emplace_back(r, i);
    }
    for (const auto& [number, members] : byStep) compareIn(members);
    scoreRanks(ranks);
  }

  void compareIn(Members members) {
    // A rank without collectives cannot delay the others.
    std::erase_if(members, [&](const auto& member) {
      return m_result.ranks[member.first].steps[member.second].collectives == 0;
    });
    if (members.size() < 2) return;
    std::vector<TimeNs> own;
    std::map<RankIndex, Members> sets; // by the first of connected ranks
    for (const auto& [r, i] : members) {
      own.push_back(m_result.ranks[r].steps[i].own);
      sets[m_connected[r]].emplace_back(r, i);
    }
    const double middle = median(std::move(own));
    for (const auto& [r, i] : members) {
      RankStep& step = m_result.ranks[r].steps[i];
      if (middle > 0) step.slowdown = static_cast<double>(step.own) / middle;
    }
    for (const auto& [first, connected] : sets) compareConnected(connected);
  }

  void compareConnected(const Members& members) {
    if (members.size() < 2) return;
    std::vector<TimeNs> own;
    for (const auto& [r, i] : members) own.push_back(m_result.ranks[r].steps[i].own);
    std::ranges::partial_sort(own, own.begin() + 2, std::greater<>());
    for (const auto& [r, i] : members) {
      RankStep& step = m_result.ranks[r].steps[i];
      step.margin = step.own - (step.own == own[0] ? own[1] : own[0]);
      if (!step.kept) continue;
      Margins& margins = m_margins[m_trace.ranks()[r].rank];
      if (margins.recordings.empty() || margins.recordings.back() != r) margins.recordings.push_back(r);
      margins.all.push_back(step.margin);
      margins.longest += step.margin > 0 ? 1 : 0;
      m_keptTime += step.range.length();
      ++m_keptSteps;
    }
  }

  void scoreRanks(const std::vector<std::size_t>& ranks) {
    std::vector<double> own;
    for (const std::size_t r : ranks) {
      std::vector<TimeNs> times;
      std::vector<double> slowdowns;
      for (const RankStep& step : m_result.ranks[r].steps) {
        if (!step.kept) continue;
        times.push_back(step.own);
        slowdowns.push_back(step.slowdown);
      }
      if (times.empty()) return;
      own.push_back(median(times));
      m_result.ranks[r].slowdown = median(slowdowns);
    }
    const double mean = std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(own.size());
    double squares = 0;
    for (const double value : own) squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(own.size()));
    if (deviation <= 0) return;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      m_result.ranks[ranks[i]].zScore = (own[i] - mean) / deviation;
  }

  void judge() {
    if (m_keptSteps == 0) return;
    for (const auto& [number, margins] : m_margins) {
      const bool steady = isSteady(margins);
      for (const std::size_t r : margins.recordings) {
        const std::optional<std::size_t> since = lateSince(r);
        if (since)
          add(r, *since, true);
        else if (steady)
          add(r, 0, false);
      }
    }
  }

  // Minimum margin, relative to the mean kept step.
  [[nodiscard]] double minMarginOf(std::size_t r) const {
    const double mean = static_cast<double>(m_keptTime) / static_cast<double>(m_keptSteps);
    return mean * (m_times[r].onHost ? kMinMarginOnHost : kMinMargin);
  }

  [[nodiscard]] bool isSteady(const Margins& margins) const {
    if (margins.all.size() < kMinSteps) return false;
    const auto steps = static_cast<double>(margins.all.size());
    if (static_cast<double>(margins.longest) < kMinShareOfSteps * steps) return false;
    const std::vector<double> values(margins.all.begin(), margins.all.end());
    const double middle = median(values);
    double minimum = minMarginOf(margins.recordings.front());
    if (margins.all.size() < kCertainSteps) {
      minimum *= kTimesMargin;
      if (margins.longest < margins.all.size() || *std::ranges::min_element(values) < kMinOfMiddle * middle)
        return false;
    }
    return middle >= minimum && middle >= kMinDeviations * medianAbsoluteDeviation(values);
  }

  // Index of the first step of a recording since which a rank is slow, if it was not slow before.
  [[nodiscard]] std::optional<std::size_t> lateSince(std::size_t r) const {
    const std::vector<RankStep>& steps = m_result.ranks[r].steps;
    const double limit = minMarginOf(r);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kept) kept.push_back(i);
    }
    std::size_t since = kept.size();
    while (since > 0 && static_cast<double>(steps[kept[since - 1]].margin) >= limit) --since;
    if (since < kStepsBefore || kept.size() - since < kStepsSince) return std::nullopt;
    std::vector<double> before, after;
    for (std::size_t k = 0; k < kept.size(); ++k)
      (k < since ? before : after).push_back(static_cast<double>(steps[kept[k]].margin));
    if (std::ranges::any_of(before, [&](double margin) { return margin >= limit; })) return std::nullopt;
    if (median(std::move(after)) <= kMinGrowth * std::max(0.0, median(std::move(before))))
      return std::nullopt;
    return kept[since];
  }

  void add(std::size_t r, std::size_t since, bool becameSlow) {
    const std::vector<RankStep>& steps = m_result.ranks[r].steps;
    Straggler straggler;
    straggler.rank = RankIndex(r);
    straggler.becameSlow = becameSlow;
    std::vector<double> slowdowns;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].kept) continue;
      straggler.keptSteps.push_back(i);
      straggler.margins.push_back(steps[i].margin);
      if (i < since || steps[i].margin <= 0) continue;
      straggler.slowSteps.push_back(i);
      straggler.costs.push_back(steps[i].margin);
      slowdowns.push_back(steps[i].slowdown);
    }
    if (straggler.slowSteps.empty()) return;
    addUp(straggler);
    straggler.slowdown = median(std::move(slowdowns));
    m_result.ranks[r].straggler = true;
    m_result.stragglers.push_back(std::move(straggler));
  }

  const TraceSet& m_trace;
  const CollectiveMatch& m_match;
  const ClockAlignment& m_clocks;
  CallsByRank m_calls;
  std::span<const RankTimes> m_times;
  const KeptSteps& m_kept;
  std::vector<RankIndex> m_connected; // by RankIndex
  std::map<int, Margins> m_margins;   // by rank number
  ExactSum m_keptTime;
  std::size_t m_keptSteps = 0;
  StragglerAnalysis m_result;
};

} // namespace

std::optional<Straggler> withinWindow(const Straggler& straggler, const StepWindows& steps,
                                      RankRange window) {
  Straggler part = straggler;
  part.keptSteps.clear();
  part.margins.clear();
  part.slowSteps.clear();
  part.costs.clear();
  const auto isWithin = [&](std::size_t step) {
    return window.contains(RankTime(steps.steps[step].range.begin));
  };
  for (std::size_t i = 0; i < straggler.keptSteps.size(); ++i) {
    if (!isWithin(straggler.keptSteps[i])) continue;
    part.keptSteps.push_back(straggler.keptSteps[i]);
    part.margins.push_back(straggler.margins[i]);
  }
  for (std::size_t i = 0; i < straggler.slowSteps.size(); ++i) {
    if (!isWithin(straggler.slowSteps[i])) continue;
    part.slowSteps.push_back(straggler.slowSteps[i]);
    part.costs.push_back(straggler.costs[i]);
  }
  if (part.slowSteps.empty()) return std::nullopt;
  addUp(part);
  return part;
}

StragglerAnalysis findStragglers(const TraceSet& trace, const CollectiveMatch& match,
                                 const ClockAlignment& clocks, CallsByRank calls,
                                 std::span<const RankTimes> times, const KeptSteps& kept) {
  return Pacing(trace, match, clocks, calls, times, kept).run();
}

} // namespace rankscope
