// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/pipelines.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/parallel/pipeline_rebuild.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace rankscope {

namespace {

constexpr std::int64_t kMostPlaces = 1 << 12; // ranks of a pipeline; more is damage

// Kernels of a rank by when they were launched.
class LaunchedKernels {
 public:
  explicit LaunchedKernels(const RankTrace& trace) {
    for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) {
      if (trace.events.kind[e] != EventKind::Kernel) continue;
      const EventIndex launch = trace.deviceDetail(e).launch;
      if (launch.valid()) m_kernels.emplace_back(trace.events.begin[launch], trace.events.range(e));
    }
    std::ranges::sort(m_kernels, {}, [](const auto& k) { return std::pair(k.first, k.second.begin); });
  }

  [[nodiscard]] bool empty() const { return m_kernels.empty(); }
  [[nodiscard]] IntervalSet launchedIn(TimeRange host) const {
    std::vector<TimeRange> ranges;
    auto at = std::ranges::lower_bound(m_kernels, host.begin, {}, [](const auto& k) { return k.first; });
    for (; at != m_kernels.end() && at->first < host.end; ++at) ranges.push_back(at->second);
    return IntervalSet(std::move(ranges));
  }

 private:
  std::vector<std::pair<TimeNs, TimeRange>> m_kernels;
};

// What the kernels that an action launched took.
struct LaunchedWork {
  TimeNs device = 0;
  TimeRange hull; // empty without any
};

// By host range.
std::vector<LaunchedWork> launchedWork(const RankTrace& trace, const std::vector<TimeRange>& host) {
  std::vector<LaunchedWork> work;
  if (trace.deviceBegin == trace.deviceEnd) return work;
  const LaunchedKernels kernels(trace);
  work.reserve(host.size());
  for (const TimeRange range : host) {
    const IntervalSet launched = kernels.launchedIn(range);
    work.push_back({launched.totalLength(), launched.empty() ? TimeRange() : launched.hull()});
  }
  return work;
}

} // namespace

template <class Archive, Described<LaunchedWork> T> void describe(Archive& archive, T& work) {
  auto& [device, hull] = work;
  archive(device, hull);
}

namespace {

// Ranks of one capture that exchange something, directly or over others.
std::vector<std::vector<std::size_t>> connectedRanks(const Analysis& analysis,
                                                     const std::vector<PipelineHost>& hosts) {
  std::map<std::pair<int, int>, std::size_t> placeOf; // capture and rank
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    const RankEntry& entry = analysis.trace().ranks()[r];
    placeOf.emplace(std::pair(entry.capture, entry.rank), r);
  }
  std::vector<std::size_t> leader(hosts.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto leaderOf = [&](std::size_t r) {
    while (leader[r] != r) r = leader[r] = leader[leader[r]];
    return r;
  };
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    std::set<int> peers;
    for (const HostTransfer& transfer : hosts[r].transfers) peers.insert(transfer.peer);
    for (const int peer : peers) {
      const auto at = placeOf.find({analysis.trace().ranks()[r].capture, peer});
      if (at == placeOf.end()) continue;
      const std::size_t a = leaderOf(r);
      const std::size_t b = leaderOf(at->second);
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  // Labels without recorded sends: of ranks with the same stages, the first belongs to the first pipeline.
  struct Labelled {
    std::size_t first = 0; // rank
    std::set<std::int64_t> stages;
  };
  std::map<int, std::vector<Labelled>> labelled; // by capture
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    if (hosts[r].labels.empty() || !hosts[r].transfers.empty()) continue;
    std::set<std::int64_t> stages;
    for (const HostAction& action : hosts[r].labels) stages.insert(action.action.stage);
    std::vector<Labelled>& known = labelled[analysis.trace().ranks()[r].capture];
    const auto lacks = [&](const Labelled& of) {
      return std::ranges::none_of(stages, [&](std::int64_t stage) { return of.stages.contains(stage); });
    };
    auto pipeline = std::ranges::find_if(known, lacks);
    if (pipeline == known.end()) pipeline = known.insert(known.end(), {r, {}});
    pipeline->stages.insert(stages.begin(), stages.end());
    leader[leaderOf(r)] = leaderOf(pipeline->first);
  }
  std::map<std::size_t, std::vector<std::size_t>> sets;
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    if (!hosts[r].labels.empty() || !hosts[r].transfers.empty()) sets[leaderOf(r)].push_back(r);
  }
  std::vector<std::vector<std::size_t>> result;
  result.reserve(sets.size());
  for (auto& [first, ranks] : sets) result.push_back(std::move(ranks));
  return result;
}

class Builder {
 public:
  Builder(const Analysis& analysis, const std::vector<PipelineHost>& hosts, std::vector<std::size_t> members)
      : m_analysis(analysis), m_hosts(hosts), m_members(std::move(members)) {}

  [[nodiscard]] Pipeline build() {
    const bool labelled =
        std::ranges::any_of(m_members, [&](std::size_t r) { return !m_hosts[r].labels.empty(); });
    for (const std::size_t r : m_members) m_pipeline.ranks.push_back({RankIndex(r), {}, {}});
    if (labelled)
      addLabels();
    else
      addRebuilt();
    finish();
    if (labelled && std::ranges::any_of(m_members, [&](std::size_t r) { return m_hosts[r].overlapped; }))
      m_pipeline.schedule = ScheduleKind::DualPipe;
    return std::move(m_pipeline);
  }

 private:
  void addLabels() {
    const std::map<std::size_t, std::int64_t> places = placesInChain();
    for (PipelineRank& of : m_pipeline.ranks) {
      const PipelineHost& host = m_hosts[of.rank.value];
      of.actions.reserve(host.labels.size());
      for (const HostAction& label : host.labels) {
        PipelineAction action;
        action.step = label.step;
        action.kind = label.action.kind;
        action.stage = label.action.stage;
        if (action.stage == ActionLabel::kUnknown) {
          const auto place = places.find(of.rank.value);
          if (place == places.end()) continue;
          action.stage = place->second;
        }
        action.microbatch = label.action.microbatch;
        const bool works = isComputeAction(action.kind) && !label.work.empty();
        action.range = works ? label.work : label.label;
        if (works) action.wait = label.work.begin - label.label.begin;
        m_hostRange[&of].push_back(label.label);
        of.actions.push_back(action);
      }
    }
  }

  // Single-stage schedules label no stage: each rank comes after the one that sends it forward results.
  [[nodiscard]] std::map<std::size_t, std::int64_t> placesInChain() const {
    std::map<int, std::size_t> indexOf;
    std::map<std::size_t, std::size_t> next;
    std::set<std::size_t> followers;
    for (const std::size_t r : m_members) indexOf.emplace(m_analysis.trace().ranks()[r].rank, r);
    for (const std::size_t r : m_members) {
      const PipelineHost& host = m_hosts[r];
      const auto forward = std::ranges::find_if(
          host.labels, [](const HostAction& a) { return a.action.kind == ActionKind::Forward; });
      const auto backward = std::ranges::find_if(
          host.labels, [](const HostAction& a) { return a.action.kind == ActionKind::Backward; });
      if (forward == host.labels.end()) continue;
      const TimeNs end = backward == host.labels.end() ? kAllTime.end : backward->label.begin;
      const auto send = std::ranges::find_if(host.transfers, [&](const HostTransfer& transfer) {
        return transfer.send && transfer.begin >= forward->label.begin && transfer.begin < end;
      });
      if (send == host.transfers.end()) continue;
      const auto to = indexOf.find(send->peer);
      if (to == indexOf.end()) continue;
      next.emplace(r, to->second);
      followers.insert(to->second);
    }
    std::map<std::size_t, std::int64_t> places;
    for (const std::size_t r : m_members) {
      if (followers.contains(r)) continue;
      std::size_t at = r;
      for (std::int64_t place = 0; places.emplace(at, place).second; ++place) {
        const auto to = next.find(at);
        if (to == next.end()) break;
        at = to->second;
      }
    }
    return places;
  }

  void addRebuilt() {
    std::size_t steps = 0;
    for (const std::size_t r : m_members)
      steps = std::max(steps, m_analysis.wholeStepWindows(RankIndex(r)).steps.size());
    for (std::size_t step = 0; step < steps; ++step) {
      std::vector<RankWork> work;
      work.reserve(m_members.size());
      for (const std::size_t r : m_members) work.push_back(workOf(r, step));
      const std::vector<std::vector<RebuiltAction>> actions = rebuiltPipeline(work);
      for (std::size_t i = 0; i < actions.size(); ++i) addStep(i, step, actions[i]);
    }
  }

  [[nodiscard]] RankWork workOf(std::size_t rank, std::size_t step) const {
    RankWork work;
    work.rank = m_analysis.trace().ranks()[rank].rank;
    for (const HostStretchOfWork& stretch : m_hosts[rank].stretches) {
      if (stretch.step == step) work.stretches.push_back(stretch);
    }
    for (const HostTransfer& transfer : m_hosts[rank].transfers) {
      if (transfer.step == step) work.transfers.push_back(transfer);
    }
    return work;
  }

  void addStep(std::size_t place, std::size_t step, const std::vector<RebuiltAction>& actions) {
    PipelineRank& of = m_pipeline.ranks[place];
    const std::vector<HostTransfer>& transfers = m_hosts[of.rank.value].transfers;
    TimeNs before = actions.empty() ? 0 : actions.front().range.begin;
    if (const auto first = std::ranges::find(transfers, step, &HostTransfer::step); first != transfers.end())
      before = std::min(before, first->begin);
    for (const RebuiltAction& rebuilt : actions) {
      PipelineAction action;
      action.step = step;
      action.kind = rebuilt.backward ? ActionKind::Backward : ActionKind::Forward;
      action.stage = rebuilt.stage;
      action.microbatch = rebuilt.microbatch;
      action.range = rebuilt.range;
      action.rebuilt = true;
      std::vector<TimeRange> waits;
      for (const HostTransfer& transfer : transfers) {
        if (!transfer.send && transfer.done > before && transfer.begin < rebuilt.range.begin)
          waits.push_back({std::max(transfer.begin, before), std::min(transfer.done, rebuilt.range.begin)});
      }
      action.wait = IntervalSet(std::move(waits)).totalLength();
      before = rebuilt.range.end;
      m_hostRange[&of].push_back(rebuilt.range);
      of.actions.push_back(action);
    }
  }

  void finish() {
    for (PipelineRank& of : m_pipeline.ranks) {
      moveToDevice(of);
      std::set<std::int64_t> stages;
      for (const PipelineAction& action : of.actions) stages.insert(action.stage);
      of.stages.assign(stages.begin(), stages.end());
      for (PipelineAction& action : of.actions) {
        action.chunk = std::ranges::lower_bound(of.stages, action.stage) - of.stages.begin();
        if (!isComputeAction(action.kind)) continue;
        m_pipeline.stages = std::max(m_pipeline.stages, action.stage + 1);
        m_pipeline.microbatches = std::max(m_pipeline.microbatches, action.microbatch + 1);
      }
      std::ranges::stable_sort(of.actions, {},
                               [](const PipelineAction& a) { return std::pair(a.step, a.range.begin); });
    }
    std::erase_if(m_pipeline.ranks, [](const PipelineRank& of) { return of.stages.empty(); });
    std::ranges::stable_sort(m_pipeline.ranks, {}, [](const PipelineRank& of) { return of.stages.front(); });
    countRanks();
    for (std::size_t step = 0; step < 64 && m_pipeline.schedule == ScheduleKind::Unknown; ++step)
      m_pipeline.schedule = scheduleOf(placedOrders(step));
  }

  // As ordersOf, with an empty order for each rank that was not recorded: a rank's first stage is its place.
  [[nodiscard]] std::vector<ActionOrder> placedOrders(std::size_t step) const {
    std::vector<ActionOrder> orders = ordersOf(m_pipeline, step);
    const auto all = static_cast<std::size_t>(m_pipeline.rankCount);
    if (orders.size() >= all || m_pipeline.rankCount > kMostPlaces) return orders;
    std::vector<ActionOrder> placed(all);
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const auto place = static_cast<std::size_t>(m_pipeline.ranks[i].stages.front());
      if (place >= all || !placed[place].empty()) return {};
      placed[place] = std::move(orders[i]);
    }
    return placed;
  }

  // On a device, the time of an action is that of the kernels that its host work launched.
  void moveToDevice(PipelineRank& of) {
    const TraceSet& job = m_analysis.trace();
    const std::vector<TimeRange>& host = m_hostRange[&of];
    const auto work = rankAnswer<std::vector<LaunchedWork>>(job, of.rank, "kernels of pipeline actions", [&] {
      return launchedWork(*job.rank(of.rank).trace, host);
    });
    if (work.size() != host.size()) return; // without devices
    TimeNs before = kAllTime.begin;
    std::vector<TimeRange> transfers;
    for (const CollectiveCall& call : m_analysis.collectiveCalls(of.rank)) {
      if (isPointToPoint(call.operation) || call.operation == CollectiveOperation::SendRecv)
        transfers.push_back(call.range.ns());
    }
    const IntervalSet communication(std::move(transfers));
    for (std::size_t i = 0; i < of.actions.size(); ++i) {
      PipelineAction& action = of.actions[i];
      if (!isComputeAction(action.kind)) continue;
      action.device = work[i].device;
      if (work[i].hull.empty()) continue;
      action.range = work[i].hull;
      const bool first = before == kAllTime.begin;
      action.wait = first || before >= action.range.begin
                        ? 0
                        : communication.coveredWithin({before, action.range.begin});
      before = std::max(before, action.range.end);
    }
  }

  // Ranks that were not recorded still have stages: every stage of a regular pipeline is on some rank.
  void countRanks() {
    const auto recorded = static_cast<std::int64_t>(m_pipeline.ranks.size());
    std::size_t perRank = 1;
    for (const PipelineRank& of : m_pipeline.ranks) perRank = std::max(perRank, of.stages.size());
    const auto of = static_cast<std::int64_t>(perRank);
    m_pipeline.rankCount = std::max(recorded, (m_pipeline.stages + of - 1) / of);
    for (const PipelineRank& rank : m_pipeline.ranks)
      m_pipeline.rankCount = std::max(m_pipeline.rankCount, m_hosts[rank.rank.value].groupRanks);
    if (m_pipeline.rankCount > recorded && m_pipeline.rankCount <= kMostPlaces)
      m_pipeline.stages = std::max(m_pipeline.stages, m_pipeline.rankCount * of);
  }

  const Analysis& m_analysis;
  const std::vector<PipelineHost>& m_hosts;
  std::vector<std::size_t> m_members;
  Pipeline m_pipeline;
  std::map<const PipelineRank*, std::vector<TimeRange>> m_hostRange; // of the actions of a rank
};

} // namespace

std::vector<ActionOrder> ordersOf(const Pipeline& pipeline, std::size_t step) {
  std::vector<ActionOrder> orders;
  orders.reserve(pipeline.ranks.size());
  for (const PipelineRank& of : pipeline.ranks) {
    ActionOrder& order = orders.emplace_back();
    for (const PipelineAction& action : of.actions) {
      if (action.step == step && isComputeAction(action.kind))
        order.push_back({action.kind, action.stage, action.microbatch});
    }
  }
  return orders;
}

JobPipelines jobPipelines(const Analysis& analysis, const std::vector<PipelineHost>& hosts) {
  JobPipelines result;
  for (std::vector<std::size_t>& members : connectedRanks(analysis, hosts)) {
    Pipeline pipeline = Builder(analysis, hosts, std::move(members)).build();
    // Chunks of DualPipe do not say their stage.
    const bool known =
        pipeline.stages > 1 || pipeline.rankCount > 1 || pipeline.schedule == ScheduleKind::DualPipe;
    if (!pipeline.ranks.empty() && known) result.pipelines.push_back(std::move(pipeline));
  }
  return result;
}

} // namespace rankscope
