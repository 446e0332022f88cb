// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/pipeline_stages.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/base/exact_sum.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr double kOverlapping = 1.05; // sum of durations over the time they cover

struct Sums {
  ExactSum warmup, steady, cooldown, busy;
  std::map<std::int64_t, ExactSum> work; // by stage
};

class StageTimer {
 public:
  StageTimer(const Analysis& analysis, const Pipeline& pipeline)
      : m_analysis(analysis), m_pipeline(pipeline), m_sums(pipeline.ranks.size()),
        m_bubbles(pipeline.ranks.size(), 0), m_replayed(pipeline.ranks.size(), 0) {}

  [[nodiscard]] PipelineTimes times() {
    std::set<std::size_t> steps;
    for (const PipelineRank& of : m_pipeline.ranks) {
      for (const PipelineAction& action : of.actions) {
        if (isComputeAction(action.kind) && isKept(of.rank, action.step)) steps.insert(action.step);
      }
    }
    collectDurations(steps);
    for (const std::size_t step : steps) addStep(step);
    return finished();
  }

 private:
  [[nodiscard]] bool isKept(RankIndex rank, std::size_t step) const {
    const std::vector<RankIndex>& ranks = m_analysis.ranks();
    return std::ranges::binary_search(ranks, rank) && isKeptInScope(m_analysis, rank, step);
  }

  [[nodiscard]] JobRange onJobClock(RankIndex rank, TimeRange range) const {
    return m_analysis.clocks().of(rank).toJob(RankRange::of(range));
  }

  static TimeNs workOf(const PipelineAction& action) {
    return action.device >= 0 ? action.device : action.range.length();
  }

  // Medians by stage and kind, so that single outliers do not count as imbalance.
  void collectDurations(const std::set<std::size_t>& steps) {
    std::map<std::pair<std::int64_t, ActionKind>, std::vector<std::int64_t>> all;
    for (const PipelineRank& of : m_pipeline.ranks) {
      for (const PipelineAction& action : of.actions) {
        if (isComputeAction(action.kind) && steps.contains(action.step))
          all[{action.stage, action.kind}].push_back(workOf(action));
      }
    }
    std::map<ActionKind, std::pair<ExactSum, std::int64_t>> sums;
    for (auto& [key, durations] : all) {
      const TimeNs duration = m_durations[key] = wholeMedian(std::move(durations));
      sums[key.second].first += duration;
      ++sums[key.second].second;
    }
    for (const auto& [kind, sum] : sums) m_equal[kind] = sum.first / sum.second;
  }

  // Whether actions of a rank run at the same time: overlapped chunks, whose durations do not add up.
  [[nodiscard]] bool overlaps(std::size_t step) const {
    return std::ranges::any_of(m_pipeline.ranks, [&](const PipelineRank& of) {
      ExactSum lengths;
      for (const PipelineAction& action : of.actions) {
        if (action.step == step && isComputeAction(action.kind)) lengths += action.range.length();
      }
      const auto covered = static_cast<double>(busyOf(of, step).totalLength());
      return static_cast<double>(lengths) > kOverlapping * covered;
    });
  }

  void addStep(std::size_t step) {
    JobRange window;
    bool any = false;
    for (const PipelineRank& of : m_pipeline.ranks) {
      for (const PipelineAction& action : of.actions) {
        if (action.step != step || !isComputeAction(action.kind)) continue;
        const JobRange range = onJobClock(of.rank, action.range);
        window = any ? JobRange{std::min(window.begin, range.begin), std::max(window.end, range.end)} : range;
        any = true;
      }
    }
    if (!any || window.length() <= 0) return;
    ++m_steps;
    m_window += window.length();
    for (std::size_t r = 0; r < m_pipeline.ranks.size(); ++r) addRank(r, step, window);
    replay(step);
  }

  [[nodiscard]] IntervalSet busyOf(const PipelineRank& of, std::size_t step) const {
    std::vector<TimeRange> ranges;
    for (const PipelineAction& action : of.actions) {
      if (action.step == step && isComputeAction(action.kind))
        ranges.push_back(onJobClock(of.rank, action.range).ns());
    }
    return IntervalSet(std::move(ranges));
  }

  void addRank(std::size_t r, std::size_t step, JobRange window) {
    const PipelineRank& of = m_pipeline.ranks[r];
    const IntervalSet actions = busyOf(of, step);
    Sums& sums = m_sums[r];
    TimeNs busy = actions.coveredWithin(window.ns());
    if (hasDeviceEvents(m_analysis.trace(), of.rank))
      busy = rankAnswer<TimeNs>(m_analysis.trace(), of.rank,
                                "computation in the pipeline, step " + std::to_string(step), [&] {
                                  return m_analysis.wholeActivity(of.rank).compute.coveredWithin(
                                      m_analysis.clocks().of(of.rank).fromJob(window).ns());
                                });
    sums.busy += busy;
    for (const PipelineAction& action : of.actions) {
      if (action.step == step && isComputeAction(action.kind)) sums.work[action.stage] += workOf(action);
    }
    const TimeRange own = actions.empty() ? TimeRange{window.begin.ns(), window.begin.ns()} : actions.hull();
    const TimeNs before = std::max<TimeNs>(own.begin - window.begin.ns(), 0);
    const TimeNs after = std::max<TimeNs>(window.end.ns() - own.end, 0);
    const TimeNs idle = std::max<TimeNs>(window.length() - busy, 0);
    sums.warmup += std::min(before, idle);
    sums.cooldown += std::min(after, idle - std::min(before, idle));
    sums.steady += std::max<TimeNs>(idle - before - after, 0);
    m_bubbles[r] += static_cast<double>(idle) / static_cast<double>(window.length());
  }

  void replay(std::size_t step) {
    const std::vector<ActionOrder> orders = ordersOf(m_pipeline, step);
    if (static_cast<std::int64_t>(orders.size()) < m_pipeline.rankCount) return; // stages are missing
    if (m_pipeline.schedule == ScheduleKind::DualPipe || overlaps(step)) return;
    const ReplayedPipeline replayed = replayedPipeline(orders, [&](const PlannedAction& action) {
      const auto known = m_durations.find({action.stage, action.kind});
      return known == m_durations.end() ? TimeNs{0} : known->second;
    });
    if (replayed.window <= 0) return;
    ++m_replays;
    m_replayWindow += replayed.window;
    for (std::size_t r = 0; r < replayed.bubbles.size(); ++r) m_replayed[r] += replayed.bubbles[r];
    const ReplayedPipeline equal =
        replayedPipeline(orders, [&](const PlannedAction& action) { return m_equal.at(action.kind); });
    for (const double bubble : equal.bubbles) m_equalBubbles += bubble;
  }

  // Of schedules without a formula: the recorded order with equal stages. DualPipe's bubble lies before and
  // after its pairs of chunks, which alone have labels.
  [[nodiscard]] std::optional<double> ideal() const {
    if (m_pipeline.schedule == ScheduleKind::DualPipe) return 0.0;
    const auto formula = idealBubble(m_pipeline.schedule, m_pipeline.rankCount, m_pipeline.stagesPerRank(),
                                     m_pipeline.microbatches, meanTimes());
    if (formula || m_replays == 0 || m_pipeline.schedule == ScheduleKind::Unknown) return formula;
    return m_equalBubbles / static_cast<double>(m_replays * m_pipeline.ranks.size());
  }

  [[nodiscard]] StageTimes meanTimes() const {
    StageTimes times;
    std::map<ActionKind, std::pair<double, int>> sums;
    for (const auto& [key, duration] : m_durations) {
      sums[key.second].first += static_cast<double>(duration);
      ++sums[key.second].second;
    }
    const auto mean = [&](ActionKind kind) {
      const auto of = sums.find(kind);
      return of == sums.end() ? 0.0 : of->second.first / of->second.second;
    };
    times.forward = mean(ActionKind::Forward);
    times.inputGradient = std::max(mean(ActionKind::InputGradient), mean(ActionKind::Backward));
    times.weightGradient = mean(ActionKind::WeightGradient);
    return times;
  }

  [[nodiscard]] PipelineTimes finished() const {
    PipelineTimes times;
    times.steps = m_steps;
    if (m_steps == 0) return times;
    const auto n = static_cast<std::int64_t>(m_steps);
    times.window = m_window / n;
    if (const auto share = ideal()) times.idealPct = 100 * *share;
    double bubbles = 0;
    double replays = 0;
    for (std::size_t r = 0; r < m_pipeline.ranks.size(); ++r) {
      const Sums& sums = m_sums[r];
      const double bubble = 100 * m_bubbles[r] / static_cast<double>(n);
      bubbles += bubble;
      StageTime time{m_pipeline.ranks[r].rank,
                     0,
                     sums.warmup / n,
                     sums.steady / n,
                     sums.cooldown / n,
                     sums.busy / n,
                     0,
                     bubble,
                     {}};
      if (m_replays > 0) time.replayPct = 100 * m_replayed[r] / static_cast<double>(m_replays);
      replays += time.replayPct.value_or(0);
      for (const std::int64_t stage : m_pipeline.ranks[r].stages) {
        time.stage = stage;
        const auto work = sums.work.find(stage);
        time.work = work == sums.work.end() ? 0 : work->second / n;
        times.stages.push_back(time);
      }
    }
    const auto ranks = static_cast<double>(m_pipeline.ranks.size());
    times.bubblePct = bubbles / ranks;
    if (m_replays > 0) {
      times.replayPct = replays / ranks;
      times.replayWindow = m_replayWindow / static_cast<std::int64_t>(m_replays);
    }
    times.durations = m_durations;
    balance(times);
    return times;
  }

  void balance(PipelineTimes& times) const {
    double sum = 0;
    double most = 0;
    for (const Sums& of : m_sums) {
      sum += static_cast<double>(of.busy);
      most = std::max(most, static_cast<double>(of.busy));
    }
    if (most > 0) times.balancedGainPct = 100 * (1 - sum / (static_cast<double>(m_sums.size()) * most));
    for (std::size_t i = 0; i < times.stages.size(); ++i) {
      if (!times.slowest || times.stages[i].work > times.stages[*times.slowest].work) times.slowest = i;
    }
  }

  const Analysis& m_analysis;
  const Pipeline& m_pipeline;
  std::vector<Sums> m_sums; // by rank of the pipeline
  std::vector<double> m_bubbles;
  std::vector<double> m_replayed;
  std::map<std::pair<std::int64_t, ActionKind>, TimeNs> m_durations;
  std::map<ActionKind, TimeNs> m_equal; // mean over stages
  double m_equalBubbles = 0;            // sum over ranks and replays
  ExactSum m_window;
  ExactSum m_replayWindow;
  std::size_t m_steps = 0;
  std::size_t m_replays = 0;
};

} // namespace

PipelineTimes pipelineTimes(const Analysis& analysis, const Pipeline& pipeline) {
  return StageTimer(analysis, pipeline).times();
}

} // namespace rankscope
