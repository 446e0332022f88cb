// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/pipeline_gains.h"

#include "core/analysis/parallel/dimension_times.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

using StepKey = std::pair<int, std::size_t>; // capture, and place in wholeStepWindows

// Windows of a step: as recorded, and with other durations.
struct Windows {
  double base = 0;
  double asNext = 0;
  double balanced = 0;
};

// One pipeline in its kept steps.
class ReplayedSteps {
 public:
  ReplayedSteps(const Analysis& analysis, const Pipeline& pipeline)
      : m_analysis(analysis), m_pipeline(pipeline) {
    std::set<std::size_t> steps;
    for (const PipelineRank& of : pipeline.ranks) {
      for (const PipelineAction& action : of.actions) {
        if (isComputeAction(action.kind) && isKeptInScope(analysis, of.rank, action.step))
          steps.insert(action.step);
      }
    }
    for (const std::size_t step : steps) addStep(step);
    for (const Step& step : m_steps) {
      if (const auto least = leastTransfer(step.orders, step.times))
        m_transfer = std::min(m_transfer.value_or(*least), *least);
    }
    m_work.resize(pipeline.ranks.size());
    m_workOfKind.resize(pipeline.ranks.size());
    m_beside.resize(pipeline.ranks.size());
    for (Step& step : m_steps) {
      step.own = ownDurations(step.orders, step.times, m_transfer.value_or(0));
      step.late = lateTransfers(step);
      for (std::size_t r = 0; r < step.own.size(); ++r) {
        for (std::size_t i = 0; i < step.own[r].size(); ++i) {
          const auto time = static_cast<double>(step.own[r][i] - step.late[r][i]);
          m_work[r] += time;
          m_workOfKind[r][step.orders[r][i].kind] += time;
        }
        m_beside[r] += beside(r, step);
      }
    }
  }

  [[nodiscard]] bool isWhole() const {
    return !m_steps.empty() && m_pipeline.ranks.size() > 1 &&
           static_cast<std::int64_t>(m_pipeline.ranks.size()) >= m_pipeline.rankCount;
  }
  [[nodiscard]] std::size_t placeOf(RankIndex rank) const {
    const auto at = std::ranges::find(m_pipeline.ranks, rank, &PipelineRank::rank);
    return static_cast<std::size_t>(at - m_pipeline.ranks.begin());
  }
  [[nodiscard]] RankIndex rankAt(std::size_t place) const { return m_pipeline.ranks[place].rank; }
  [[nodiscard]] std::size_t nextOf(std::size_t place) const {
    std::size_t next = place == 0 ? 1 : 0;
    for (std::size_t r = 0; r < m_work.size(); ++r) {
      if (r != place && m_work[r] > m_work[next]) next = r;
    }
    return next;
  }

  // asked: the rank that takes less; the number of ranks for none.
  void addWindows(std::size_t asked, std::map<StepKey, Windows>& windows) const {
    const std::size_t ranks = m_work.size();
    ByRankAndKind asNext(ranks);
    ByRankAndKind balanced(ranks);
    double shorter = 0; // beside the actions
    if (asked < ranks) {
      asNext[asked] = factorsAsOf(nextOf(asked), asked);
      double sum = 0;
      for (const double work : m_work) sum += work;
      for (std::size_t r = 0; r < ranks; ++r) {
        for (const auto& [kind, work] : m_workOfKind[r])
          balanced[r][kind] = m_work[r] > 0 ? sum / static_cast<double>(ranks) / m_work[r] : 1;
      }
      double others = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        if (r != asked) others = std::max(others, m_beside[r]);
      }
      shorter = std::max(0.0, m_beside[asked] - others) / static_cast<double>(m_steps.size());
    }
    for (const Step& step : m_steps) {
      Windows& of = windows[{m_analysis.trace().rank(rankAt(0)).capture, step.place}];
      const double base = replayed(step, {});
      of.base = std::max(of.base, base);
      of.asNext = std::max(of.asNext, asked < ranks ? replayed(step, asNext) - shorter : base);
      of.balanced = std::max(of.balanced, asked < ranks ? replayed(step, balanced) : base);
    }
  }

 private:
  struct Step {
    std::size_t place = 0;
    std::vector<ActionOrder> orders;
    std::vector<std::vector<TimeRange>> times; // on the job's clock
    std::vector<std::vector<TimeNs>> waits;    // for a receive, before the action
    std::vector<std::vector<TimeNs>> own;
    std::vector<std::vector<TimeNs>> late; // of it, what a transfer took longer than at best
  };

  // Work, or how much longer actions take; what is not in it takes as long as it took.
  using ByRankAndKind = std::vector<std::map<ActionKind, double>>;

  // For the actions of a rank to take as long as those of the next one, each kind by itself where both have
  // the same kinds.
  [[nodiscard]] std::map<ActionKind, double> factorsAsOf(std::size_t next, std::size_t rank) const {
    std::map<ActionKind, double> factors;
    if (m_work[rank] <= m_work[next]) return factors;
    const std::map<ActionKind, double>& wanted = m_workOfKind[next];
    bool each = true;
    for (const auto& [kind, work] : m_workOfKind[rank]) {
      const auto of = wanted.find(kind);
      each = each && work > 0 && of != wanted.end() && of->second > 0;
    }
    for (const auto& [kind, work] : m_workOfKind[rank])
      factors[kind] = each ? wanted.at(kind) / work : m_work[next] / m_work[rank];
    return factors;
  }

  void addStep(std::size_t place) {
    Step step{place, ordersOf(m_pipeline, place), {}, {}, {}, {}};
    for (const PipelineRank& of : m_pipeline.ranks) {
      std::vector<TimeRange>& times = step.times.emplace_back();
      std::vector<TimeNs>& waits = step.waits.emplace_back();
      for (const PipelineAction& action : of.actions) {
        if (action.step != place || !isComputeAction(action.kind)) continue;
        times.push_back(m_analysis.clocks().of(of.rank).toJob(RankRange::of(action.range)).ns());
        waits.push_back(action.wait);
      }
    }
    m_steps.push_back(std::move(step));
  }

  // While a rank waits for a receive, what is late is not its own.
  static std::vector<std::vector<TimeNs>> lateTransfers(const Step& step) {
    std::vector<std::vector<TimeNs>> late = step.own;
    for (std::size_t r = 0; r < late.size(); ++r) {
      for (std::size_t i = 0; i < late[r].size(); ++i) {
        const TimeRange range = step.times[r][i];
        const TimeNs delay = std::max<TimeNs>(0, step.own[r][i] - range.length());
        const TimeNs pause = i == 0 ? delay : std::max<TimeNs>(0, range.begin - step.times[r][i - 1].end);
        late[r][i] = delay - std::clamp<TimeNs>(pause - step.waits[r][i], 0, delay);
      }
    }
    return late;
  }

  // What a rank does in a step outside of the pipeline's window: its data and its optimizer, without waiting.
  [[nodiscard]] double beside(std::size_t r, const Step& step) const {
    const RankIndex rank = rankAt(r);
    const std::vector<StepWindow>& windows = m_analysis.wholeStepWindows(rank).steps;
    if (step.place >= windows.size()) return 0;
    const TimeRange whole = windows[step.place].range;
    const TimeRange window =
        m_analysis.clocks().of(rank).fromJob(JobRange::of(hullOf(step.times))).ns().clippedTo(whole);
    const IntervalSet exposed = wholeExposedCommunication(m_analysis, rank);
    const TimeNs waits = exposed.coveredWithin(whole) - exposed.coveredWithin(window);
    return static_cast<double>(whole.length() - window.length() - waits);
  }

  [[nodiscard]] double replayed(const Step& step, const ByRankAndKind& factors) const {
    std::vector<std::vector<TimeNs>> durations = step.own;
    for (std::size_t r = 0; r < factors.size(); ++r) {
      for (std::size_t i = 0; i < durations[r].size(); ++i) {
        const auto factor = factors[r].find(step.orders[r][i].kind);
        if (factor == factors[r].end()) continue;
        const TimeNs late = step.late[r][i];
        durations[r][i] = late + rounded(static_cast<double>(step.own[r][i] - late) * factor->second);
      }
    }
    return static_cast<double>(replayOf(step.orders, durations, m_transfer.value_or(0)).window);
  }

  const Analysis& m_analysis;
  const Pipeline& m_pipeline;
  std::vector<Step> m_steps;
  std::optional<TimeNs> m_transfer; // the shortest
  std::vector<double> m_work;       // by place, over all steps
  ByRankAndKind m_workOfKind;       // the same, by kind
  std::vector<double> m_beside;     // the same
};

} // namespace

std::optional<StageGain> stageGain(const Analysis& analysis, const JobPipelines& pipelines,
                                   std::span<const RankIndex> ranks) {
  StageGain gain;
  std::map<StepKey, Windows> windows;
  bool found = false;
  for (const Pipeline& pipeline : pipelines.pipelines) {
    const ReplayedSteps steps(analysis, pipeline);
    std::size_t asked = pipeline.ranks.size();
    for (const RankIndex rank : ranks) asked = std::min(asked, steps.placeOf(rank));
    const bool isAsked = asked < pipeline.ranks.size();
    if (isAsked && !steps.isWhole()) return std::nullopt;
    if (isAsked && !found) gain.next = steps.rankAt(steps.nextOf(asked));
    found |= isAsked;
    steps.addWindows(asked, windows);
  }
  if (!found || windows.empty()) return std::nullopt;
  double asNext = 0;
  double balanced = 0;
  for (const auto& [step, of] : windows) {
    asNext += of.base - of.asNext;
    balanced += of.base - of.balanced;
  }
  const auto count = static_cast<double>(windows.size());
  gain.asNext = std::max<TimeNs>(0, rounded(asNext / count));
  gain.balanced = std::max<TimeNs>(0, rounded(balanced / count));
  return gain;
}

} // namespace rankscope
