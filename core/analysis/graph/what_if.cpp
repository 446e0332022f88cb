// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/what_if.h"

#include "core/analysis/job/cut_ranks.h"
#include "core/analysis/job/recording_advice.h"
#include "core/base/exact_sum.h"
#include "core/base/parallel_for.h"
#include "core/base/statistics.h"
#include "core/model/trace_pages.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace rankscope {

namespace {

// Of all replays that are made at the same time.
constexpr std::size_t kReplayBytes = std::size_t{1} << 30;

constexpr double kGoodPct = 2;
constexpr double kRoughPct = 5;
constexpr double kIntervalPct = 10;
constexpr double kMaxUnmatchedPct = 10;
constexpr double kMinLaunchedPct = 90;

double percentOf(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

// Lengths of the windows when they end at these points.
std::vector<double> windowLengths(const JobGraph& job, const std::vector<std::vector<GraphPoint>>& ends,
                                  std::span<const TimeNs> times, const std::vector<std::size_t>& windows) {
  std::vector<double> lengths;
  lengths.reserve(windows.size());
  const auto endOf = [&](std::size_t window) {
    TimeNs end = kAllTime.begin;
    for (const GraphPoint point : ends[window]) end = std::max(end, times[point]);
    return end;
  };
  for (const std::size_t window : windows) {
    const TimeNs begin =
        job.windows[window].firstOfCapture ? job.windows[window].range.begin : endOf(window - 1);
    lengths.push_back(static_cast<double>(std::max<TimeNs>(0, endOf(window) - begin)));
  }
  return lengths;
}

} // namespace

double ReplayError::worstPct() const {
  return std::max(std::abs(errorPct), unexplainedPct);
}

ReplayTrust trustOf(const ReplayError& error) {
  const double worst = error.worstPct();
  if (worst > kIntervalPct || error.unmatchedPct > kMaxUnmatchedPct || error.launchedPct < kMinLaunchedPct)
    return ReplayTrust::Refused;
  if (worst > kRoughPct) return ReplayTrust::IntervalOnly;
  return worst > kGoodPct ? ReplayTrust::Rough : ReplayTrust::Good;
}

WhatIf::WhatIf(const Analysis& analysis, IdleSource idle, unsigned threadCount, const Progress* progress)
    : m_analysis(analysis), m_idleSource(std::move(idle)), m_threads(threadCount),
      m_job(jobGraph(analysis, threadCount, progress)), m_kept(m_job.keptWindows()) {}

const JobPath& WhatIf::path() const {
  return m_path.get([&] { return jobPath(m_analysis, m_job, m_threads); });
}

const PeerSets& WhatIf::peers() const {
  return m_peers.get([&] { return peerSets(m_analysis, m_job); });
}

double WhatIf::base() const {
  double sum = 0;
  for (const std::size_t window : m_kept) sum += static_cast<double>(m_job.windows[window].range.length());
  return m_kept.empty() ? 0 : sum / static_cast<double>(m_kept.size());
}

double WhatIf::stepTime() const {
  const KeptSteps& steps = m_analysis.keptSteps();
  struct Sum {
    ExactSum time;
    std::int64_t ranks = 0;
  };
  std::map<std::size_t, Sum> sums; // by step of the job
  for (const std::size_t window : m_kept) sums[m_job.windows[window].step];
  for (const RankIndex rank : wholeRanks(m_analysis)) {
    const std::vector<StepWindow>& windows = m_analysis.wholeStepWindows(rank).steps;
    const std::vector<std::size_t>& places = steps.stepOfRank[rank.value];
    for (std::size_t i = 0; i < std::min(windows.size(), places.size()); ++i) {
      const auto of = sums.find(places[i]);
      if (of == sums.end()) continue;
      of->second.time += windows[i].range.length();
      ++of->second.ranks;
    }
  }
  double total = 0, count = 0;
  for (const auto& [place, sum] : sums) {
    if (sum.ranks == 0) continue;
    total += static_cast<double>(sum.time) / static_cast<double>(sum.ranks);
    ++count;
  }
  return count > 0 ? total / count : 0;
}

double WhatIf::meanWindow(const GraphLags& lags) const {
  const std::vector<TimeNs> times = replayedTimes(m_job.graph, lags);
  double sum = 0;
  for (const std::size_t window : m_kept) sum += static_cast<double>(m_job.windowAt(times, window).length());
  return m_kept.empty() ? 0 : sum / static_cast<double>(m_kept.size());
}

bool WhatIf::isInKeptWindow(TimeNs time) const {
  return std::ranges::any_of(m_kept,
                             [&](std::size_t window) { return m_job.windows[window].range.contains(time); });
}

const ReplayError& WhatIf::error() const {
  return bare().error;
}

// The times themselves are not kept: they take 8 bytes a point.
const WhatIf::Bare& WhatIf::bare() const {
  return m_bare.get([&] {
    Bare made;
    ReplayError& error = made.error;
    const std::vector<TimeNs> times = replayedTimes(m_job.graph, m_job.graph.lags, Residuals::LeftOut);
    double replayed = 0, onPath = 0, unexplained = 0, unmatched = 0;
    for (const std::size_t window : m_kept)
      replayed += static_cast<double>(m_job.windowAt(times, window).length());
    if (!m_kept.empty()) made.base = replayed / static_cast<double>(m_kept.size());
    const double recorded = base() * static_cast<double>(m_kept.size());
    error.errorPct = percentOf(replayed - recorded, recorded);
    for (const WindowPath& window : path().windows) {
      if (std::ranges::find(m_kept, window.window) == m_kept.end()) continue;
      const CategoryTimes categories = categoryTimes(window.segments);
      onPath += static_cast<double>(categories.total());
      unexplained += static_cast<double>(categories[PathCategory::Unexplained]);
      unmatched += static_cast<double>(categories[PathCategory::CommunicationUnmatched]);
    }
    error.unexplainedPct = percentOf(unexplained, onPath);
    error.unmatchedPct = percentOf(unmatched, onPath);
    std::vector<TimeNs> distances;
    for (const GraphActivity& activity : m_job.activities) {
      if (activity.kind == GraphActivityKind::Device)
        distances.push_back(std::abs(times[activity.begin] - m_job.graph.time[activity.begin]));
    }
    if (!distances.empty()) {
      error.kernelBeginP50 = percentile(distances, 50);
      error.kernelBeginP99 = percentile(distances, 99);
    }
    addLaunchedShare(error);
    return made;
  });
}

void WhatIf::addLaunchedShare(ReplayError& error) const {
  double device = 0, launched = 0;
  for (const GraphActivity& activity : m_job.activities) {
    // What was launched before the recording is not of these steps.
    if (activity.kind != GraphActivityKind::Device || !isInKeptWindow(m_job.graph.time[activity.begin]))
      continue;
    const auto duration =
        static_cast<double>(m_job.graph.time[activity.end] - m_job.graph.time[activity.begin]);
    device += duration;
    if (activity.launch != kNoPoint) launched += duration;
  }
  if (device > 0) error.launchedPct = percentOf(launched, device);
}

std::string WhatIf::refusal() const {
  if (m_kept.empty()) return "no step was recorded";
  const ReplayError& of = error();
  if (of.launchedPct < kMinLaunchedPct)
    return fmt::format("{:.0f} % of device time has no recorded launch; record with {}", 100 - of.launchedPct,
                       recordedByNsight(m_analysis.trace())
                           ? optionFor(Recordable::Device, m_analysis.trace())
                           : "ProfilerActivity.CPU too");
  if (of.unmatchedPct > kMaxUnmatchedPct)
    return fmt::format(
        "{:.0f} % of the critical path is communication whose {}", of.unmatchedPct,
        std::ranges::any_of(m_analysis.collectives().match.groups, &JobGroup::mayBeSeveral)
            ? "process group was not recorded, so that its other participants are not known; record "
              "with a backend that names it, as NCCL does"
            : "other participants were not recorded; record all ranks");
  if (of.worstPct() > kIntervalPct)
    return fmt::format("{:.1f} % of the critical path is not explained; record cuda_sync events "
                       "(enable_cuda_sync_events)",
                       of.worstPct());
  return {};
}

WhatIfAnswer WhatIf::answer(const Scenario& scenario, bool withPath) const {
  WhatIfAnswer answer;
  answer.scenario = scenario;
  answer.base = base();
  answer.refused = refusal();
  const ScenarioEdits edit = edits();
  if (answer.refused.empty()) answer.refused = edit.refusal(scenario);
  if (!answer.refused.empty()) return answer;
  const GraphLags lags = edit.edited(scenario);
  const std::vector<std::vector<GraphPoint>> ends = edit.windowEnds(scenario);
  // One after the other: two replays at once would take twice as much memory.
  answer.predictedLow =
      meanOf(windowLengths(m_job, ends, replayedTimes(m_job.graph, lags, Residuals::LeftOut), m_kept));
  const std::vector<TimeNs> times = replayedTimes(m_job.graph, lags);
  answer.windowTimes = windowLengths(m_job, ends, times, m_kept);
  answer.predicted = meanOf(answer.windowTimes);
  answer.gain = answer.base - answer.predicted;
  const double bareGain = bare().base - answer.predictedLow;
  const double most = std::min(answer.base, stepTime());
  answer.gainLow = std::clamp(std::min(answer.gain, bareGain), 0.0, most);
  answer.gainHigh = std::clamp(std::max(answer.gain, bareGain), 0.0, most);
  addMarks(answer);
  if (withPath) addNext(lags, times, answer);
  giveBackPages(m_analysis.trace());
  return answer;
}

void WhatIf::addMarks(WhatIfAnswer& answer) const {
  const bool overRanks = std::ranges::any_of(answer.scenario.parts, [](const ScenarioPart& part) {
    return part.kind == ScenarioKind::NoStragglers || part.kind == ScenarioKind::RankAsPeers ||
           part.kind == ScenarioKind::AllButAsPeers;
  });
  if (overRanks && peers().overSteps)
    answer.marks.emplace_back("ranks without peers are compared with their own other steps");
  if (std::ranges::any_of(m_job.joins, &GraphJoin::partial))
    answer.marks.emplace_back("a rank that was not recorded may have been the last to begin a collective");
  if (std::ranges::any_of(m_job.joins, &GraphJoin::uncertain))
    answer.marks.emplace_back("some collectives are matched by their order or time only");
}

void WhatIf::addNext(const GraphLags& lags, std::span<const TimeNs> times, WhatIfAnswer& answer) const {
  CategoryTimes categories;
  std::vector<TimeNs> ofRank(m_job.ranks.size(), 0);
  double clock = 0;
  for (const std::size_t window : m_kept) {
    const WindowPath path = criticalPath(m_analysis, m_job, lags, times, window);
    for (const PathSegment& segment : path.segments) {
      categories.of[static_cast<std::size_t>(segment.category)] += segment.duration();
      ofRank[segment.rank.value] += segment.duration();
      if (segment.category != PathCategory::Transfer) continue;
      clock += static_cast<double>(m_analysis.clocks().ranks[segment.rank.value].residual.value_or(0));
    }
  }
  answer.clock = clock / static_cast<double>(m_kept.size());
  const auto largest = std::ranges::max_element(categories.of);
  if (*largest > 0) answer.nextCategory = static_cast<PathCategory>(largest - categories.of.begin());
  if (!ofRank.empty())
    answer.nextRank = RankIndex(static_cast<std::size_t>(std::ranges::max_element(ofRank) - ofRank.begin()));
}

std::vector<WhatIfAnswer> WhatIf::answers(std::span<const Scenario> scenarios) const {
  std::vector<WhatIfAnswer> result(scenarios.size());
  static_cast<void>(error());
  static_cast<void>(peers());
  const bool ofGaps = std::ranges::any_of(scenarios, [](const Scenario& scenario) {
    return std::ranges::find(scenario.parts, ScenarioKind::NoGap, &ScenarioPart::kind) !=
           scenario.parts.end();
  });
  if (ofGaps && refusal().empty()) static_cast<void>(idle());
  parallelFor(scenarios.size(), replaysAtOnce(), [&](std::size_t i) { result[i] = answer(scenarios[i]); });
  return result;
}

// Each takes a time for every point and a lag for every edge; of a large job too much for every thread.
unsigned WhatIf::replaysAtOnce() const {
  const std::size_t bytes = sizeof(TimeNs) * (m_job.graph.points() + m_job.graph.edges());
  const std::size_t fitting = std::max<std::size_t>(1, kReplayBytes / std::max<std::size_t>(1, bytes));
  return static_cast<unsigned>(std::min<std::size_t>(std::max(1U, m_threads), fitting));
}

} // namespace rankscope
