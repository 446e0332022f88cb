// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/peer_sets.h"

#include "core/base/hash.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

bool isHostEdge(const GraphEdge kind) {
  return kind == GraphEdge::Host || kind == GraphEdge::Load || kind == GraphEdge::HandOff;
}

// The steps of one rank.
class RankReader {
 public:
  RankReader(const Analysis& analysis, const JobGraph& job, RankIndex rank, PeerSets& result)
      : m_trace(*analysis.trace().rank(rank).trace), m_job(job), m_part(job.part(rank)), m_result(result) {
    const KeptSteps& kept = analysis.keptSteps();
    const StepWindows& windows = analysis.wholeStepWindows(rank);
    const ClockCorrection& clock = analysis.clocks().of(rank);
    m_first = result.steps.size();
    for (std::size_t i = 0; i < windows.steps.size(); ++i) {
      m_begins.push_back(clock.toJob(RankTime(windows.steps[i].host.begin)).ns());
      PeerStep step;
      step.rank = rank;
      step.window = windowOf(job, kept.stepOfRank[rank.value][i]);
      result.steps.push_back(std::move(step));
    }
  }

  // Kernels and copies of the rank's steps.
  void readDevice() {
    if (m_begins.empty()) return;
    std::vector<std::uint64_t> kernelsOf(m_begins.size() * m_part.lanes.size()); // so far, by step and lane
    std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> alike;        // copies, by step and place
    for (const std::uint32_t index : inOrder()) {
      const GraphActivity& activity = m_job.activities[index];
      const GraphPoint launched =
          activity.launch != kNoPoint ? m_job.activities[activity.launch].begin : activity.begin;
      const std::optional<std::size_t> at = stepAt(m_job.graph.time[launched]);
      if (!at) continue;
      PeerStep& step = m_result.steps[*at];
      const std::uint64_t name = m_trace.events.name[activity.event].value;
      std::uint64_t& kernels = kernelsOf[(*at - m_first) * m_part.lanes.size() + activity.lane];
      if (activity.eventKind != EventKind::Kernel) {
        const std::uint64_t place = hashOf(std::uint64_t{activity.lane}, name, kernels);
        step.copies.push_back({hashOf(place, alike[{*at, place}]++), index});
        continue;
      }
      ++kernels;
      step.activities.push_back(index);
      step.sequence = hashOf(step.sequence, std::uint64_t{activity.lane}, name);
    }
    for (std::size_t i = m_first; i < m_first + m_begins.size(); ++i)
      std::ranges::sort(m_result.steps[i].copies, {}, &PeerCopy::key);
  }

  // Edges of a thread are taken together up to a launch, and at marks of steps. Launches of copies that most
  // peers do not have do not count. REQUIRES: what is usual is known.
  void readHost() {
    if (m_begins.empty()) return;
    const std::vector<bool> launching = launchingCalls();
    std::vector<Edges> open(m_part.lanes.size());
    std::map<std::pair<std::size_t, std::uint32_t>, std::vector<Edges>> stretches;
    for (GraphPoint point = m_part.points.begin; point < m_part.points.end; ++point) {
      const GraphActivity& activity = m_job.activityAt(point);
      if (activity.lane == kNoPoint || m_part.lanes[activity.lane].device) continue;
      Edges& edges = open[activity.lane];
      for (std::uint32_t edge = m_job.graph.firstEdge[point]; edge < m_job.graph.firstEdge[point + 1];
           ++edge) {
        const GraphEdge kind = m_job.kinds[edge];
        if (isHostEdge(kind) || (kind == GraphEdge::Own && activity.kind == GraphActivityKind::Call))
          edges.taking.push_back(edge);
        else if (kind == GraphEdge::Back || kind == GraphEdge::BackOverlap)
          edges.waiting.push_back(edge);
      }
      const bool launch = activity.kind == GraphActivityKind::Call && point == activity.begin &&
                          launching[m_job.activityOf[point] - m_part.firstActivity];
      if (!launch && activity.kind != GraphActivityKind::StepMark) continue;
      if (const auto at = stepAt(m_job.graph.time[point]))
        stretches[{*at, activity.lane}].push_back(std::move(edges));
      edges = {};
    }
    for (auto& [of, lists] : stretches) {
      PeerStep& step = m_result.steps[of.first];
      step.hostSequence = hashOf(step.hostSequence, std::uint64_t{of.second}, std::uint64_t{lists.size()});
      for (const Edges& edges : lists) addStretch(step, edges);
    }
    for (std::size_t i = m_first; i < m_first + m_begins.size(); ++i) {
      PeerStep& step = m_result.steps[i];
      step.hostSequence = hashOf(step.hostSequence, std::uint64_t{step.stretches.size()});
    }
  }

 private:
  // What a thread did up to a launch.
  struct Edges {
    std::vector<std::uint32_t> taking;
    std::vector<std::uint32_t> waiting;
  };

  // What its devices ran, without communication, stream after stream. Kernels of a stream that overlap are in
  // different rows, so the order of events is not that of time.
  [[nodiscard]] std::vector<std::uint32_t> inOrder() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < m_part.activityCount; ++i) {
      const GraphActivity& activity = m_job.activities[m_part.firstActivity + i];
      if (activity.kind == GraphActivityKind::Device && activity.eventKind != EventKind::Collective)
        order.push_back(m_part.firstActivity + i);
    }
    std::ranges::sort(order, {}, [&](std::uint32_t index) {
      return std::pair(m_job.activities[index].lane, m_job.activities[index].begin);
    });
    return order;
  }

  // By activity of the rank: the calls that end stretches.
  [[nodiscard]] std::vector<bool> launchingCalls() const {
    std::vector<bool> launching(m_part.activityCount, false);
    const auto set = [&](std::uint32_t activity, bool ends) {
      const std::uint32_t call = m_job.activities[activity].launch;
      if (call != kNoPoint) launching[call - m_part.firstActivity] = ends;
    };
    for (std::uint32_t i = 0; i < m_part.activityCount; ++i) set(m_part.firstActivity + i, true);
    for (std::size_t i = m_first; i < m_first + m_begins.size(); ++i) {
      for (const PeerCopy& copy : m_result.steps[i].copies)
        if (!copy.usual) set(copy.activity, false);
    }
    return launching;
  }

  static std::size_t windowOf(const JobGraph& job, std::size_t step) {
    const auto at = std::ranges::lower_bound(job.windows, step, {}, &JobWindow::step);
    return static_cast<std::size_t>(at - job.windows.begin());
  }

  // The step in which something was launched; nothing before the first.
  [[nodiscard]] std::optional<std::size_t> stepAt(TimeNs time) const {
    const auto after = std::ranges::upper_bound(m_begins, time);
    if (after == m_begins.begin()) return std::nullopt;
    return m_first + static_cast<std::size_t>(after - m_begins.begin()) - 1;
  }

  void addStretch(PeerStep& step, const Edges& edges) {
    HostStretch stretch;
    stretch.firstEdge = static_cast<std::uint32_t>(m_result.stretchEdges.size());
    stretch.count = static_cast<std::uint32_t>(edges.taking.size());
    stretch.waits = static_cast<std::uint32_t>(edges.waiting.size());
    for (const std::uint32_t edge : edges.taking) stretch.time += m_job.graph.lags.edges[edge];
    m_result.stretchEdges.insert(m_result.stretchEdges.end(), edges.taking.begin(), edges.taking.end());
    m_result.stretchEdges.insert(m_result.stretchEdges.end(), edges.waiting.begin(), edges.waiting.end());
    step.stretches.push_back(stretch);
  }

  const RankTrace& m_trace;
  const JobGraph& m_job;
  const RankPart& m_part;
  PeerSets& m_result;
  std::size_t m_first = 0;
  std::vector<TimeNs> m_begins; // of steps on the host
};

// Steps in groups: of one window and sequence over ranks, where there are two; else of one rank and sequence.
template <class Sequence>
std::vector<std::vector<std::size_t>> grouped(const PeerSets& sets, Sequence&& sequenceOf, bool& overSteps) {
  std::map<std::pair<std::size_t, std::uint64_t>, std::vector<std::size_t>> overRanks;
  for (std::size_t i = 0; i < sets.steps.size(); ++i)
    overRanks[{sets.steps[i].window, sequenceOf(sets.steps[i])}].push_back(i);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::size_t>> ofRank;
  std::vector<std::vector<std::size_t>> result;
  for (auto& [key, members] : overRanks) {
    if (members.size() > 1)
      result.push_back(std::move(members));
    else
      ofRank[{sets.steps[members.front()].rank.value, key.second}].push_back(members.front());
  }
  for (auto& [key, members] : ofRank) {
    if (members.size() < 2) continue;
    std::ranges::sort(members);
    overSteps = true;
    result.push_back(std::move(members));
  }
  return result;
}

void addGroups(const JobGraph& job, PeerSets& sets) {
  sets.groupOf.assign(sets.steps.size(), PeerSets::kNone);
  const auto durationOf = [&](std::uint32_t activity) {
    const GraphActivity& of = job.activities[activity];
    return job.graph.time[of.end] - job.graph.time[of.begin];
  };
  std::vector<TimeNs> values, residuals;
  for (std::vector<std::size_t>& members : grouped(
           sets, [](const PeerStep& step) { return step.sequence; }, sets.overSteps)) {
    PeerGroup group;
    const std::size_t count = sets.steps[members.front()].activities.size();
    group.medians.reserve(count);
    group.residuals.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      values.clear();
      residuals.clear();
      for (const std::size_t member : members) {
        const std::uint32_t activity = sets.steps[member].activities[i];
        values.push_back(durationOf(activity));
        residuals.push_back(residualOf(job.graph, job.graph.lags, job.activities[activity].begin));
      }
      group.medians.push_back(wholeMedian(values));
      group.residuals.push_back(wholeMedian(residuals));
    }
    for (const std::size_t member : members) sets.groupOf[member] = sets.groups.size();
    group.members = std::move(members);
    sets.groups.push_back(std::move(group));
  }
}

// What more than half of the members have.
void markUsual(PeerSets& sets) {
  for (const PeerGroup& group : sets.groups) {
    std::unordered_map<std::uint64_t, std::size_t> owners; // by key
    for (const std::size_t member : group.members)
      for (const PeerCopy& copy : sets.steps[member].copies) ++owners[copy.key];
    for (const std::size_t member : group.members)
      for (PeerCopy& copy : sets.steps[member].copies)
        copy.usual = 2 * owners[copy.key] > group.members.size();
  }
}

void addHostGroups(PeerSets& sets) {
  sets.hostGroupOf.assign(sets.steps.size(), PeerSets::kNone);
  bool hostOverSteps = false;
  std::vector<TimeNs> values;
  for (std::vector<std::size_t>& members : grouped(
           sets, [](const PeerStep& step) { return step.hostSequence; }, hostOverSteps)) {
    HostPeerGroup group;
    const std::size_t count = sets.steps[members.front()].stretches.size();
    group.medians.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      values.clear();
      for (const std::size_t member : members) values.push_back(sets.steps[member].stretches[i].time);
      group.medians.push_back(wholeMedian(values));
    }
    for (const std::size_t member : members) sets.hostGroupOf[member] = sets.hostGroups.size();
    group.members = std::move(members);
    sets.hostGroups.push_back(std::move(group));
  }
}

} // namespace

PeerSets peerSets(const Analysis& analysis, const JobGraph& job) {
  PeerSets sets;
  std::vector<RankReader> readers;
  readers.reserve(job.ranks.size());
  for (std::size_t i = 0; i < job.ranks.size(); ++i)
    readers.emplace_back(analysis, job, RankIndex(i), sets).readDevice();
  addGroups(job, sets);
  markUsual(sets);
  for (RankReader& reader : readers) reader.readHost();
  addHostGroups(sets);
  return sets;
}

} // namespace rankscope
