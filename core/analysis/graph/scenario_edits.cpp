// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/scenario_edits.h"

#include "core/analysis/collectives/transfer_fit.h"
#include "core/analysis/graph/lag_edits.h"
#include "core/analysis/graph/peer_edits.h"
#include "core/analysis/job/recording_advice.h"
#include "core/analysis/kernels/contention.h"
#include "core/base/statistics.h"
#include "core/base/whole_number.h"
#include "core/model/trace_pages.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace rankscope {

namespace {

// Of communication calls; with more of it a link cannot be judged.
constexpr double kMaxUnmatched = 0.1;

} // namespace

template <class Visit> void ScenarioEdits::forEachJoinEdge(Visit&& visit) const {
  for (const GraphJoin& join : m_job.joins) {
    if (join.dissolved) continue;
    for (const std::uint32_t activity : m_job.participants(join)) {
      const GraphPoint end = m_job.activities[activity].end;
      for (std::uint32_t edge = m_job.graph.firstEdge[end]; edge < m_job.graph.firstEdge[end + 1]; ++edge) {
        if (m_job.kinds[edge] == GraphEdge::Join) visit(join, m_job.activities[activity], edge);
      }
    }
  }
}

std::vector<RankIndex> ScenarioEdits::ranksOf(const ScenarioPart& part) const {
  std::vector<RankIndex> found;
  std::optional<int> number = part.rank;
  if (!number) {
    const StragglerAnalysis& stragglers = m_analysis.stragglers();
    std::optional<double> slowest;
    for (std::size_t i = 0; i < stragglers.ranks.size(); ++i) {
      const std::optional<double> slowdown = stragglers.ranks[i].slowdown;
      if (!slowdown || (slowest && *slowdown <= *slowest)) continue;
      slowest = slowdown;
      number = m_analysis.trace().ranks()[i].rank;
    }
  }
  if (!number) return found;
  for (std::size_t i = 0; i < m_analysis.trace().ranks().size(); ++i) {
    if (m_analysis.trace().ranks()[i].rank == *number) found.emplace_back(i);
  }
  return found;
}

ScenarioEdits::RankSet ScenarioEdits::setOf(const ScenarioPart& part, bool complement) const {
  RankSet ranks(m_job.ranks.size(), complement);
  for (const RankIndex rank : ranksOf(part)) ranks[rank.value] = !complement;
  return ranks;
}

std::string ScenarioEdits::unmatched(const Scenario& scenario) const {
  for (const ScenarioPart& part : scenario.parts) {
    if (std::string what = unmatchedOf(part); !what.empty()) return what;
  }
  return {};
}

std::string ScenarioEdits::unmatchedOf(const ScenarioPart& part) const {
  const auto& ranks = m_analysis.trace().ranks();
  if (part.rank && std::ranges::find(ranks, *part.rank, &RankEntry::rank) == ranks.end())
    return fmt::format("rank {} was not recorded", *part.rank);
  if (part.text.empty()) return {};
  if (part.kind == ScenarioKind::Kernel &&
      std::ranges::none_of(m_job.activities,
                           [&](const GraphActivity& activity) { return isScaled(part, activity); }))
    return fmt::format("no activity of a device matches '{}'", part.text);
  if (part.kind == ScenarioKind::Link && std::ranges::none_of(m_job.joins, [&](const GraphJoin& join) {
        return !join.dissolved && isOfLink(join, part.text);
      }))
    return fmt::format("no collective belongs to '{}'", part.text);
  return {};
}

std::string ScenarioEdits::refusal(const Scenario& scenario) const {
  if (std::string what = unmatched(scenario); !what.empty()) return what;
  for (const ScenarioPart& part : scenario.parts) {
    if (std::string why = refusalOf(part); !why.empty()) return why;
  }
  return {};
}

std::string ScenarioEdits::refusalOf(const ScenarioPart& part) const {
  switch (part.kind) {
  case ScenarioKind::NoStragglers:
  case ScenarioKind::RankAsPeers:
  case ScenarioKind::WithoutRank:
  case ScenarioKind::AllButAsPeers:
    break;
  case ScenarioKind::Link:
  case ScenarioKind::TransferZero:
    return linkRefusal(part);
  case ScenarioKind::NoContention:
  case ScenarioKind::Kernel:
  case ScenarioKind::ZeroHost: // the host of a job without devices computes
    return deviceRefusal(std::nullopt);
  case ScenarioKind::PerfectOverlap:
  case ScenarioKind::Host:
  case ScenarioKind::NoSync:
  case ScenarioKind::CopiesOverlapped:
    return {};
  case ScenarioKind::NoGap:
    return deviceRefusal(part.rank);
  }
  std::set<int> numbers;
  for (const RankEntry& entry : m_analysis.trace().ranks()) numbers.insert(entry.rank);
  if (numbers.size() < 2) return "one rank was recorded; record all ranks of the job";
  if (part.kind == ScenarioKind::NoStragglers) return {};
  return ranksOf(part).empty() ? "no rank is slower than others in steps that can be compared" : "";
}

// Without devices there are neither idle gaps nor kernels.
std::string ScenarioEdits::deviceRefusal(std::optional<int> rank) const {
  for (const RankEntry& entry : m_analysis.trace().ranks()) {
    if ((!rank || entry.rank == *rank) && entry.trace->hasDeviceEvents()) return {};
  }
  return "no device activity was recorded; if the job ran on a GPU, record with " +
         optionFor(Recordable::Device, m_analysis.trace());
}

std::string ScenarioEdits::linkRefusal(const ScenarioPart& part) const {
  for (const GraphJoin& join : m_job.joins) {
    if (join.dissolved || !isOfLink(join, part.text)) continue;
    if (join.partial)
      return "a member of a process group was not recorded, so transfers hold waiting for it; record all "
             "ranks";
  }
  ExactSum all, unmatched;
  for (const GraphActivity& activity : m_job.activities) {
    if (activity.kind != GraphActivityKind::HostCollective && activity.eventKind != EventKind::Collective)
      continue;
    const TimeNs duration = m_job.graph.time[activity.end] - m_job.graph.time[activity.begin];
    all += duration;
    const bool joined = activity.join != kNoPoint && !m_job.joins[activity.join].dissolved;
    if (!joined) unmatched += duration;
  }
  if (static_cast<double>(unmatched) > kMaxUnmatched * static_cast<double>(all))
    return "collectives without their other participants hold waiting; record all ranks";
  if (all == 0) return "no communication was recorded";
  return {};
}

bool ScenarioEdits::spansHosts(const GraphJoin& join) const {
  std::set<std::string_view> hosts;
  for (const std::uint32_t activity : m_job.participants(join))
    hosts.insert(m_analysis.trace().rank(m_job.activities[activity].rank).host);
  return hosts.size() > 1;
}

bool ScenarioEdits::isOfLink(const GraphJoin& join, std::string_view group) const {
  if (group.empty()) return true;
  if (group == "intra") return !spansHosts(join);
  if (group == "inter") return spansHosts(join);
  const JobGroup& of = m_analysis.collectives().match.groups[join.group.value];
  return of.label() == group || of.name == group;
}

GraphLags ScenarioEdits::edited(const Scenario& scenario) const {
  GraphLags lags = m_job.graph.lags;
  for (const ScenarioPart& part : scenario.parts) apply(part, lags);
  moveWithEnds(lags);
  return lags;
}

// Edges from the begin of an activity to what began, or returned, shortly before its end: that is as far
// before the end when the activity takes more or less time.
void ScenarioEdits::moveWithEnds(GraphLags& lags) const {
  for (std::uint32_t edge = 0; edge < m_job.kinds.size(); ++edge) {
    const GraphEdge kind = m_job.kinds[edge];
    if (kind != GraphEdge::Overlap && kind != GraphEdge::BackOverlap && kind != GraphEdge::Resource) continue;
    const GraphPoint source = m_job.graph.source[edge];
    const GraphActivity& activity = m_job.activityAt(source);
    TimeNs& lag = lags.edges[edge];
    if (activity.begin != source || activity.end == source || activity.end == kNoPoint || lag == kRemovedEdge)
      continue;
    lag = std::max(lag + durationChange(m_job, activity, lags), std::min<TimeNs>(lag, 0));
  }
}

std::vector<std::vector<GraphPoint>> ScenarioEdits::windowEnds(const Scenario& scenario) const {
  std::vector<std::vector<GraphPoint>> ends;
  RankSet out(m_job.ranks.size(), false);
  for (const ScenarioPart& part : scenario.parts) {
    if (part.kind != ScenarioKind::WithoutRank) continue;
    for (const RankIndex rank : ranksOf(part)) out[rank.value] = true;
  }
  ends.reserve(m_job.windows.size());
  for (const JobWindow& window : m_job.windows) {
    std::vector<GraphPoint>& of = ends.emplace_back();
    for (const GraphPoint end : window.ends) {
      if (!out[m_job.activityAt(end).rank.value]) of.push_back(end);
    }
    if (of.empty()) of = window.ends;
  }
  return ends;
}

void ScenarioEdits::apply(const ScenarioPart& part, GraphLags& lags) const {
  switch (part.kind) {
  case ScenarioKind::NoStragglers:
    return equalize(RankSet(m_job.ranks.size(), true), false, lags);
  case ScenarioKind::RankAsPeers:
    return equalize(setOf(part, false), true, lags);
  case ScenarioKind::AllButAsPeers:
    return equalize(setOf(part, true), false, lags);
  case ScenarioKind::WithoutRank:
    return removeRank(setOf(part, false), lags);
  case ScenarioKind::Kernel:
    return scaleKernels(part, lags);
  case ScenarioKind::Link:
    return scaleLinks(part, lags);
  case ScenarioKind::TransferZero:
    return forEachJoinEdge(
        [&](const GraphJoin&, const GraphActivity&, std::uint32_t edge) { lags.edges[edge] = 0; });
  case ScenarioKind::NoContention:
    return removeContention(lags);
  case ScenarioKind::ZeroHost:
    return scaleHost(0, lags);
  case ScenarioKind::Host:
    return scaleHost(part.factor, lags);
  case ScenarioKind::NoGap:
    return removeGaps(part, lags);
  case ScenarioKind::PerfectOverlap:
  case ScenarioKind::NoSync:
  case ScenarioKind::CopiesOverlapped:
    return removeEdges(part.kind, lags);
  }
}

void ScenarioEdits::equalize(const RankSet& ranks, bool amongOthers, GraphLags& lags) const {
  PeerEdits(m_job, m_peers).equalize(ranks, amongOthers, lags);
  equalizeTransfers(ranks, lags);
}

void ScenarioEdits::equalizeTransfers(const RankSet& ranks, GraphLags& lags) const {
  std::vector<TimeNs> least(m_job.joins.size(), kAllTime.end);
  const auto indexOf = [&](const GraphJoin& join) {
    return static_cast<std::size_t>(&join - m_job.joins.data());
  };
  forEachJoinEdge([&](const GraphJoin& join, const GraphActivity&, std::uint32_t edge) {
    TimeNs& of = least[indexOf(join)];
    of = std::min(of, m_job.graph.lags.edges[edge]);
  });
  forEachJoinEdge([&](const GraphJoin& join, const GraphActivity& activity, std::uint32_t edge) {
    if (ranks[activity.rank.value]) lags.edges[edge] = least[indexOf(join)];
  });
}

void ScenarioEdits::removeRank(const RankSet& ranks, GraphLags& lags) const {
  for (const GraphJoin& join : m_job.joins) {
    const std::uint32_t first = m_job.graph.firstEdge[join.point];
    std::uint32_t left = 0;
    for (std::uint32_t edge = first; edge < m_job.graph.firstEdge[join.point + 1]; ++edge)
      left += !ranks[m_job.activityAt(m_job.graph.source[edge]).rank.value];
    for (std::uint32_t edge = first; left > 0 && edge < m_job.graph.firstEdge[join.point + 1]; ++edge) {
      if (ranks[m_job.activityAt(m_job.graph.source[edge]).rank.value]) lags.edges[edge] = kRemovedEdge;
    }
  }
}

bool ScenarioEdits::isScaled(const ScenarioPart& part, const GraphActivity& activity) {
  if (activity.kind != GraphActivityKind::Device) return false;
  return part.selects ? part.selects(activity.rank, activity.event) : activity.eventKind == EventKind::Kernel;
}

void ScenarioEdits::scaleKernels(const ScenarioPart& part, GraphLags& lags) const {
  for (const GraphActivity& activity : m_job.activities) {
    if (!isScaled(part, activity)) continue;
    for (std::uint32_t edge = m_job.graph.firstEdge[activity.end];
         edge < m_job.graph.firstEdge[activity.end + 1]; ++edge) {
      if (m_job.kinds[edge] == GraphEdge::Own || m_job.kinds[edge] == GraphEdge::Join)
        lags.edges[edge] = scaled(lags.edges[edge], part.factor);
    }
  }
}

// What it costs to begin a transfer stays: the latency of a fit, else the least transfer of an operation.
void ScenarioEdits::scaleLinks(const ScenarioPart& part, GraphLags& lags) const {
  struct Samples {
    std::vector<TransferPoint> points;
    TimeNs least = kAllTime.end;
  };
  const CollectiveMatch& match = m_analysis.collectives().match;
  std::map<std::pair<std::uint32_t, CollectiveOperation>, Samples> samples;
  forEachJoinEdge([&](const GraphJoin& join, const GraphActivity&, std::uint32_t edge) {
    Samples& of = samples[{join.group.value, join.operation}];
    of.least = std::min(of.least, m_job.graph.lags.edges[edge]);
  });
  for (const GraphJoin& join : m_job.joins) {
    const CollectiveInstance& instance = match.instance(join.instance);
    if (instance.bytes)
      samples[{join.group.value, join.operation}].points.push_back({*instance.bytes, instance.transfer});
  }
  std::map<std::pair<std::uint32_t, CollectiveOperation>, TimeNs> latencies;
  for (const auto& [key, of] : samples) {
    const std::optional<TransferFit> fit = transferFit(of.points);
    latencies[key] = fit ? fit->latency : of.least;
  }
  forEachJoinEdge([&](const GraphJoin& join, const GraphActivity&, std::uint32_t edge) {
    if (!isOfLink(join, part.text)) return;
    const TimeNs latency = latencies[{join.group.value, join.operation}];
    TimeNs& lag = lags.edges[edge];
    if (lag > latency) lag = latency + scaled(lag - latency, 1 / part.factor);
  });
}

void ScenarioEdits::removeContention(GraphLags& lags) const {
  for (const RankPart& part : m_job.ranks) {
    const Contention found = contention(*m_analysis.trace().rank(part.rank).trace,
                                        m_analysis.wholeActivity(part.rank).communication);
    std::map<EventIndex, TimeNs> free;
    for (const ContendedKernel& kernel : found.kernels) free[kernel.kernel] = kernel.free;
    for (std::uint32_t i = 0; i < part.activityCount && !free.empty(); ++i) {
      const std::uint32_t index = part.firstActivity + i;
      const auto at = free.find(m_job.activities[index].event);
      if (m_job.activities[index].kind != GraphActivityKind::Device || at == free.end()) continue;
      setDuration(m_job, index, std::min(recordedDuration(m_job, index), at->second), lags);
    }
    giveBackPages(*m_analysis.trace().rank(part.rank).trace);
  }
}

void ScenarioEdits::scaleHost(double factor, GraphLags& lags) const {
  for (GraphPoint point = 0; point < m_job.graph.points(); ++point) {
    const GraphActivity& activity = m_job.activityAt(point);
    for (std::uint32_t edge = m_job.graph.firstEdge[point]; edge < m_job.graph.firstEdge[point + 1]; ++edge) {
      const GraphEdge kind = m_job.kinds[edge];
      const bool host = kind == GraphEdge::Host || kind == GraphEdge::HandOff || kind == GraphEdge::Awaited ||
                        (kind == GraphEdge::Own && activity.kind == GraphActivityKind::Call);
      if (host) lags.edges[edge] = scaled(lags.edges[edge], factor);
    }
  }
}

void ScenarioEdits::removeGaps(const ScenarioPart& of, GraphLags& lags) const {
  const IdleTimes& idle = m_idle();
  for (const RankPart& part : m_job.ranks) {
    if (of.rank && m_analysis.trace().rank(part.rank).rank != *of.rank) continue;
    const ClockCorrection& clock = m_analysis.clocks().of(part.rank);
    for (const IdleTime& time : idle[part.rank.value]) {
      if (!isUnder(time.leaf, of.text)) continue;
      // What would pass anyway stays at its begin.
      TimeRange range = time.range;
      range.begin = range.end - time.avoidable;
      if (!range.empty()) removeGap(part.rank, clock.toJob(RankRange::of(range)).ns(), lags);
    }
  }
}

// Along what the activity that ended the gap waited for, back to the gap's begin.
void ScenarioEdits::removeGap(RankIndex rank, TimeRange gap, GraphLags& lags) const {
  const RankPart& part = m_job.part(rank);
  const MaxPlusGraph& graph = m_job.graph;
  const auto first = graph.time.begin() + part.points.begin;
  const auto last = graph.time.begin() + part.points.end;
  GraphPoint point = kNoPoint;
  for (auto at = std::lower_bound(first, last, gap.end); at != last && *at == gap.end; ++at) {
    const auto candidate = static_cast<GraphPoint>(at - graph.time.begin());
    const GraphActivity& activity = m_job.activityAt(candidate);
    const bool begins = activity.kind == GraphActivityKind::Device && activity.begin == candidate;
    if (begins || (point == kNoPoint && activity.kind == GraphActivityKind::StepMark)) point = candidate;
    if (begins) break;
  }
  while (point != kNoPoint && graph.time[point] > gap.begin) {
    if (const TimeNs residual = residualOf(graph, lags, point); residual > 0)
      setResidual(m_job, point, 0, lags);
    const std::uint32_t edge = bindingEdge(graph, graph.lags, graph.time, point);
    if (edge == kNoPoint) return;
    const GraphEdge kind = m_job.kinds[edge];
    const GraphPoint source = graph.source[edge];
    const bool device = m_job.activityAt(point).kind == GraphActivityKind::Device;
    if (kind == GraphEdge::Join || kind == GraphEdge::Arrival || (kind == GraphEdge::Own && device)) return;
    if (kind != GraphEdge::Launch && kind != GraphEdge::Stream) {
      const TimeRange own{graph.time[source], graph.time[point]};
      lags.edges[edge] = graph.lags.edges[edge] - own.clippedTo(gap).length();
    }
    point = source;
  }
}

void ScenarioEdits::removeEdges(ScenarioKind scenario, GraphLags& lags) const {
  for (GraphPoint point = 0; point < m_job.graph.points(); ++point) {
    const GraphActivity& target = m_job.activityAt(point);
    for (std::uint32_t edge = m_job.graph.firstEdge[point]; edge < m_job.graph.firstEdge[point + 1]; ++edge) {
      const GraphEdge kind = m_job.kinds[edge];
      const GraphActivity& source = m_job.activityAt(m_job.graph.source[edge]);
      const bool back = kind == GraphEdge::Back || kind == GraphEdge::BackOverlap;
      const bool sameStream = kind == GraphEdge::Stream || kind == GraphEdge::Overlap;
      const bool waits =
          kind == GraphEdge::Event || kind == GraphEdge::InferredEvent || kind == GraphEdge::Resource;
      const bool compute = target.eventKind == EventKind::Kernel;
      bool removed = false;
      if (scenario == ScenarioKind::NoSync)
        removed = back;
      else if (scenario == ScenarioKind::CopiesOverlapped)
        removed = sameStream && compute &&
                  (source.eventKind == EventKind::Copy || source.eventKind == EventKind::Set);
      else
        removed = kind == GraphEdge::Awaited ||
                  (source.eventKind == EventKind::Collective && (waits || back || (sameStream && compute)));
      if (removed) lags.edges[edge] = kRemovedEdge;
    }
  }
}

} // namespace rankscope
