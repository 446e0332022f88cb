// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/slowdown.h"

#include "core/base/parallel_for.h"
#include "core/base/statistics.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace rankscope {

namespace {

constexpr double kWorstShare = 0.03;
// Of more ranks the hosts are compared first.
constexpr std::size_t kMaxRanks = 64;
constexpr std::size_t kWorstHosts = 4;

GraphLags bare(GraphLags lags) {
  std::ranges::fill(lags.residuals, 0);
  return lags;
}

double timeWith(const SlowdownInput& input, const GraphLags& lags) {
  return input.meanStep(replayedTimes(input.graph, lags));
}

template <class Belongs>
double timeWhere(const SlowdownInput& input, GraphLags lags, const GraphLags& other, Belongs&& belongs) {
  for (const SlowdownItem& item : input.items) {
    if (belongs(item)) lags.edges[item.edge] = other.edges[item.edge];
  }
  return timeWith(input, lags);
}

// What part of the loss goes when these are made ideal.
template <class Belongs>
std::optional<double> explainedBy(const SlowdownInput& input, const SlowdownResult& result,
                                  Belongs&& belongs) {
  if (result.recorded <= result.ideal) return std::nullopt;
  const double better = timeWhere(input, input.recorded, input.ideal, belongs);
  return (result.recorded - better) / (result.recorded - result.ideal);
}

} // namespace

std::size_t worstRankCount(std::size_t ranks) {
  return static_cast<std::size_t>(std::ceil(kWorstShare * static_cast<double>(ranks)));
}

namespace {

std::vector<bool> worstWorkersOf(const SlowdownInput& input, const SlowdownResult& result) {
  std::vector<std::size_t> workers(std::size_t{input.dps} * input.stages);
  std::iota(workers.begin(), workers.end(), std::size_t{0});
  const auto slowness = [&](std::size_t worker) {
    return std::min(result.ofDp[worker / input.stages], result.ofStage[worker % input.stages]);
  };
  std::ranges::stable_sort(workers, [&](std::size_t a, std::size_t b) { return slowness(a) > slowness(b); });
  const std::size_t count = worstRankCount(workers.size());
  std::vector<bool> worst(workers.size(), false);
  for (std::size_t i = 0; i < count; ++i) worst[workers[i]] = true;
  return worst;
}

} // namespace

void setIdealByType(SlowdownInput& input, const std::vector<bool>& medianOfType) {
  std::vector<std::vector<TimeNs>> values(input.types);
  for (const SlowdownItem& item : input.items) values[item.type].push_back(input.recorded.edges[item.edge]);
  std::vector<TimeNs> ideal(input.types, 0);
  for (std::uint32_t type = 0; type < input.types; ++type) {
    if (values[type].empty()) continue;
    if (medianOfType[type]) {
      ideal[type] = wholeMedian(std::move(values[type]));
      continue;
    }
    double sum = 0;
    for (const TimeNs value : values[type]) sum += static_cast<double>(value);
    ideal[type] = rounded(sum / static_cast<double>(values[type].size()));
  }
  input.ideal = input.recorded;
  for (const SlowdownItem& item : input.items) input.ideal.edges[item.edge] = ideal[item.type];
}

SlowdownResult slowdownOf(const SlowdownInput& input, bool parts, unsigned threadCount) {
  SlowdownResult result;
  result.recorded = timeWith(input, input.recorded);
  result.ideal = timeWith(input, input.ideal);
  if (result.ideal > 0) result.job = result.recorded / result.ideal;
  if (!parts || result.ideal <= 0) return result;
  result.ofType.assign(input.types, 1);
  result.ofDp.assign(input.dps, 1);
  result.ofStage.assign(input.stages, 1);
  const std::size_t count = std::size_t{input.types} + input.dps + input.stages;
  parallelFor(count, threadCount, [&](std::size_t i) {
    const auto slowdown = [&](auto&& belongs) {
      return timeWhere(input, input.ideal, input.recorded, belongs) / result.ideal;
    };
    if (i < input.types) {
      result.ofType[i] = slowdown([&](const SlowdownItem& item) { return item.type == i; });
    } else if (i < std::size_t{input.types} + input.dps) {
      const std::size_t dp = i - input.types;
      result.ofDp[dp] = slowdown([&](const SlowdownItem& item) { return item.dp == dp; });
    } else {
      const std::size_t stage = i - input.types - input.dps;
      result.ofStage[stage] = slowdown([&](const SlowdownItem& item) { return item.stage == stage; });
    }
  });
  const std::vector<bool> worst = worstWorkersOf(input, result);
  result.worstWorkers = explainedBy(input, result, [&](const SlowdownItem& item) {
    return worst[std::size_t{item.dp} * input.stages + item.stage];
  });
  if (input.stages > 1)
    result.lastStage =
        explainedBy(input, result, [&](const SlowdownItem& item) { return item.stage == input.stages - 1; });
  return result;
}

namespace {

std::string_view phaseName(Phase phase) {
  switch (phase) {
  case Phase::Forward:
    return "forward";
  case Phase::Loss:
    return "loss";
  case Phase::Backward:
    return "backward";
  case Phase::Optimizer:
    return "optimizer";
  default:
    return "other";
  }
}

// The edges of a job that take time, by type.
class JobItems {
 public:
  explicit JobItems(const WhatIf& whatIf) : m_whatIf(whatIf), m_job(whatIf.graph()) {}

  void addTo(SlowdownInput& input) {
    for (GraphPoint point = 0; point < m_job.graph.points(); ++point) {
      for (std::uint32_t edge = m_job.graph.firstEdge[point]; edge < m_job.graph.firstEdge[point + 1];
           ++edge) {
        const std::string type = typeOf(point, edge);
        if (type.empty()) continue;
        const auto [known, added] = m_types.try_emplace(type, static_cast<std::uint32_t>(m_names.size()));
        if (added) m_names.push_back(type);
        input.items.push_back({edge, known->second, m_job.activityAt(point).rank.value, 0});
      }
    }
    input.types = static_cast<std::uint32_t>(m_names.size());
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }

 private:
  // "forward compute", "AllReduce", "host backward", "dataloader"; empty of an edge that is no work.
  std::string typeOf(GraphPoint point, std::uint32_t edge) {
    const GraphActivity& activity = m_job.activityAt(point);
    switch (m_job.kinds[edge]) {
    case GraphEdge::Join:
      return std::string(operationText(m_job.joins[activity.join].operation));
    case GraphEdge::Load:
      return "dataloader";
    case GraphEdge::Host:
    case GraphEdge::HandOff:
      return "host " + std::string(phaseName(phaseAt(activity.rank, point)));
    case GraphEdge::Own:
      break;
    default:
      return {};
    }
    if (activity.kind == GraphActivityKind::Call)
      return "host " + std::string(phaseName(phaseAt(activity.rank, point)));
    if (activity.eventKind == EventKind::Collective || activity.kind != GraphActivityKind::Device) return {};
    const GraphPoint launched =
        activity.launch != kNoPoint ? m_job.activities[activity.launch].begin : activity.begin;
    std::string type(phaseName(phaseAt(activity.rank, launched)));
    type += activity.eventKind == EventKind::Kernel ? " compute" : " copy";
    return type;
  }

  [[nodiscard]] Phase phaseAt(RankIndex rank, GraphPoint point) const {
    const Analysis& analysis = m_whatIf.analysis();
    const TimeNs time = analysis.clocks().of(rank).fromJob(JobTime(m_job.graph.time[point])).ns();
    const HostPhases& phases = analysis.wholePhases(rank);
    for (const Phase phase : {Phase::Backward, Phase::Optimizer, Phase::Loss, Phase::Forward}) {
      if (phases.of(phase).contains(time)) return phase;
    }
    return Phase::None;
  }

  const WhatIf& m_whatIf;
  const JobGraph& m_job;
  std::map<std::string, std::uint32_t> m_types;
  std::vector<std::string> m_names;
};

std::vector<double> windowTimes(const WhatIf& whatIf, std::span<const TimeNs> times) {
  std::vector<double> lengths;
  lengths.reserve(whatIf.keptWindows().size());
  for (const std::size_t window : whatIf.keptWindows())
    lengths.push_back(static_cast<double>(whatIf.graph().windowAt(times, window).length()));
  return lengths;
}

std::string keyOfStep(const WhatIf& whatIf, std::size_t window) {
  const std::optional<std::int64_t> number = stepNumberOf(whatIf.analysis(), whatIf.graph().windows[window]);
  return number ? std::to_string(*number) : std::string();
}

// Ranks whose own times are put back one by one: all, or of many those of the slowest hosts.
std::vector<RankIndex> ranksToJudge(const WhatIf& whatIf, const SlowdownInput& input, double ideal,
                                    unsigned threadCount) {
  const std::vector<RankEntry>& entries = whatIf.analysis().trace().ranks();
  std::vector<RankIndex> ranks;
  ranks.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) ranks.emplace_back(i);
  if (entries.size() <= kMaxRanks) return ranks;
  std::map<std::string_view, double> slowdown;
  std::vector<std::string_view> hosts;
  for (const RankEntry& entry : entries) {
    if (slowdown.try_emplace(entry.host, 1).second) hosts.push_back(entry.host);
  }
  std::vector<double> times(hosts.size());
  parallelFor(hosts.size(), threadCount, [&](std::size_t i) {
    times[i] = timeWhere(input, input.ideal, input.recorded,
                         [&](const SlowdownItem& item) { return entries[item.dp].host == hosts[i]; });
  });
  for (std::size_t i = 0; i < hosts.size(); ++i) slowdown[hosts[i]] = times[i] / ideal;
  std::ranges::stable_sort(hosts,
                           [&](std::string_view a, std::string_view b) { return slowdown[a] > slowdown[b]; });
  hosts.resize(std::min(hosts.size(), kWorstHosts));
  std::erase_if(ranks, [&](RankIndex rank) {
    return std::ranges::find(hosts, entries[rank.value].host) == hosts.end();
  });
  return ranks;
}

// Makes the rows of one job, from the whole to its parts.
class JobSlowdowns {
 public:
  JobSlowdowns(const WhatIf& whatIf, bool asPublished, std::span<const RankCoordinates> coordinates,
               unsigned threadCount)
      : m_whatIf(whatIf), m_coordinates(coordinates), m_threads(threadCount), m_items(whatIf),
        m_input(whatIf.graph().graph), m_entries(whatIf.analysis().trace().ranks()) {
    m_input.recorded = bare(whatIf.graph().graph.lags);
    m_input.meanStep = [&whatIf](std::span<const TimeNs> times) {
      return meanOf(windowTimes(whatIf, times));
    };
    m_items.addTo(m_input);
    m_input.ideal = bare(whatIf.edits().edited(*scenarioFromText("no_stragglers")));
    if (!asPublished) return;
    std::vector<bool> medians(m_input.types, false);
    for (std::uint32_t type = 0; type < m_input.types; ++type)
      medians[type] = collectiveOperationOf(m_items.names()[type]) != CollectiveOperation::Unknown;
    setIdealByType(m_input, medians);
  }

  JobSlowdown made() {
    m_whole = slowdownOf(m_input, false, m_threads);
    m_result.rows.push_back({"job", "", m_whole.job, std::nullopt});
    m_ideal = windowTimes(m_whatIf, replayedTimes(m_input.graph, m_input.ideal));
    addSteps();
    m_result.ofRankAndStep.assign(m_entries.size(), std::vector<double>(m_ideal.size(), 1));
    if (m_whole.job < kMinSlowdown) return std::move(m_result);
    addRanks();
    addLayout();
    addTypes();
    addCulprits();
    return std::move(m_result);
  }

 private:
  void add(std::string by, std::string key, double slowdown) {
    m_result.rows.push_back({std::move(by), std::move(key), slowdown, std::nullopt});
  }

  void addSteps() {
    const std::vector<double> recorded =
        windowTimes(m_whatIf, replayedTimes(m_input.graph, m_input.recorded));
    const std::vector<std::size_t>& kept = m_whatIf.keptWindows();
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (m_ideal[i] > 0) add("step", keyOfStep(m_whatIf, kept[i]), recorded[i] / m_ideal[i]);
    }
  }

  void addRanks() {
    m_order = ranksToJudge(m_whatIf, m_input, m_whole.ideal, m_threads);
    std::vector<double> ofRank(m_entries.size(), 1);
    parallelFor(m_order.size(), m_threads, [&](std::size_t i) {
      GraphLags lags = m_input.ideal;
      for (const SlowdownItem& item : m_input.items) {
        if (item.dp == m_order[i].value) lags.edges[item.edge] = m_input.recorded.edges[item.edge];
      }
      const std::vector<double> times = windowTimes(m_whatIf, replayedTimes(m_input.graph, lags));
      ofRank[m_order[i].value] = meanOf(times) / m_whole.ideal;
      for (std::size_t step = 0; step < times.size(); ++step) {
        if (m_ideal[step] > 0) m_result.ofRankAndStep[m_order[i].value][step] = times[step] / m_ideal[step];
      }
    });
    std::ranges::stable_sort(m_order,
                             [&](RankIndex a, RankIndex b) { return ofRank[a.value] > ofRank[b.value]; });
    for (const RankIndex rank : m_order)
      add("rank", std::to_string(m_entries[rank.value].rank), ofRank[rank.value]);
  }

  // The slowdown of the items of each part: those for which partOf(item) is its number.
  template <class PartOf> std::vector<double> ofParts(std::size_t parts, PartOf&& partOf) {
    std::vector<double> slowdowns(parts, 1);
    parallelFor(parts, m_threads, [&](std::size_t part) {
      slowdowns[part] = timeWhere(m_input, m_input.ideal, m_input.recorded,
                                  [&](const SlowdownItem& item) { return partOf(item) == part; }) /
                        m_whole.ideal;
    });
    return slowdowns;
  }

  void addLayout() {
    if (m_coordinates.size() != m_entries.size()) return;
    std::uint32_t dps = 0;
    for (const RankCoordinates& at : m_coordinates) {
      dps = std::max(dps, at.dp + 1);
      m_stages = std::max(m_stages, at.stage + 1);
    }
    const std::vector<double> ofDp =
        ofParts(dps, [&](const SlowdownItem& item) { return m_coordinates[item.dp].dp; });
    const std::vector<double> ofStage =
        ofParts(m_stages, [&](const SlowdownItem& item) { return m_coordinates[item.dp].stage; });
    for (std::size_t dp = 0; dp < dps; ++dp) add("dp", std::to_string(dp), ofDp[dp]);
    for (std::size_t stage = 0; stage < m_stages; ++stage)
      add("stage", std::to_string(stage), ofStage[stage]);
    m_result.ofStageAndDp.assign(m_stages, std::vector<double>(dps, 1));
    for (std::size_t dp = 0; dp < dps; ++dp) {
      for (std::size_t stage = 0; stage < m_stages; ++stage) {
        const double worker = std::min(ofDp[dp], ofStage[stage]);
        m_result.ofStageAndDp[stage][dp] = worker;
        add("worker", fmt::format("{},{}", dp, stage), worker);
      }
    }
  }

  void addTypes() {
    const std::vector<double> ofType =
        ofParts(m_input.types, [](const SlowdownItem& item) { return item.type; });
    std::vector<std::uint32_t> types(m_input.types);
    std::iota(types.begin(), types.end(), 0U);
    std::ranges::stable_sort(types, [&](std::uint32_t a, std::uint32_t b) { return ofType[a] > ofType[b]; });
    for (const std::uint32_t type : types) add("type", m_items.names()[type], ofType[type]);
  }

  void addCulprits() {
    const std::size_t worst = std::min(worstRankCount(m_entries.size()), m_order.size());
    const auto end = m_order.begin() + static_cast<std::ptrdiff_t>(worst);
    const std::optional<double> ofWorst = explainedBy(m_input, m_whole, [&](const SlowdownItem& item) {
      return std::find(m_order.begin(), end, RankIndex(item.dp)) != end;
    });
    m_result.rows.push_back({"worst_workers", "", std::nullopt, ofWorst});
    if (m_stages < 2) return;
    const std::optional<double> ofLast = explainedBy(m_input, m_whole, [&](const SlowdownItem& item) {
      return m_coordinates[item.dp].stage + 1 == m_stages;
    });
    m_result.rows.push_back({"last_stage", "", std::nullopt, ofLast});
  }

  const WhatIf& m_whatIf;
  std::span<const RankCoordinates> m_coordinates;
  unsigned m_threads;
  JobItems m_items;
  SlowdownInput m_input; // its items have the rank in place of the data-parallel rank
  const std::vector<RankEntry>& m_entries;
  SlowdownResult m_whole;
  std::vector<double> m_ideal;    // by kept window
  std::vector<RankIndex> m_order; // that were judged, the slowest first
  std::uint32_t m_stages = 1;
  JobSlowdown m_result;
};

} // namespace

JobSlowdown jobSlowdown(const WhatIf& whatIf, bool asPublished, std::span<const RankCoordinates> coordinates,
                        unsigned threadCount) {
  JobSlowdown result;
  result.refused = whatIf.refusal();
  if (result.refused.empty()) result.refused = whatIf.edits().refusal(*scenarioFromText("no_stragglers"));
  if (!result.refused.empty()) return result;
  return JobSlowdowns(whatIf, asPublished, coordinates, threadCount).made();
}

} // namespace rankscope
