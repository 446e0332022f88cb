// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/group_dimensions.h"

#include "core/analysis/parallel/context_rings.h"
#include "core/analysis/parallel/ddp_buckets.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

constexpr std::string_view kRing = "sends around a ring between attention";
constexpr std::int64_t kFewElements = 64; // an average of losses or norms, not of gradients

// Elements of large reductions of a rank in one group, by where they were issued. Gradients are reduced in
// and after backward. Tensor parallelism reduces as much in forward.
struct GroupTraffic {
  double allReduceForward = 0;
  double allReduceBackward = 0;
  double scatterForward = 0;
  double scatterBackward = 0;

  [[nodiscard]] bool reducesInForward() const {
    return allReduceForward > 0 && 4 * allReduceForward >= allReduceBackward;
  }
  [[nodiscard]] bool scattersInForward() const {
    return scatterForward > 0 && 4 * scatterForward >= scatterBackward;
  }
};

struct Evidence {
  RankDimension dimension = RankDimension::Unknown;
  std::string_view text;
};

bool isFloat(const StringTable& names, NameId dtype) {
  if (!dtype.valid()) return true; // not recorded
  const std::string_view text = names[dtype];
  constexpr std::array<std::string_view, 4> kWords{"loat", "alf", "ouble", "fp"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return text.find(word) != text.npos; });
}

bool isTensorKernel(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNameParts{"cross_device_reduce", "twoShot", "oneShot",
                                                       "multimem_all_reduce", "userbuffers"};
  return std::ranges::any_of(kNameParts, [&](std::string_view part) { return name.find(part) != name.npos; });
}

// DeepEP, its forks, and PPLX.
bool isExpertKernel(std::string_view name) {
  constexpr std::array<std::string_view, 7> kScopes{
      "internode", "intranode", "deep_ep", "::ep::", "_ep::", "pplx", "moe::Ep"};
  constexpr std::array<std::string_view, 4> kWords{"dispatch", "combine", "Dispatch", "Combine"};
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  return std::ranges::any_of(kScopes, has) && std::ranges::any_of(kWords, has);
}

// What the names of a group say; the description first.
RankDimension namedDimension(const JobGroup& group) {
  const RankDimension described = dimensionOfGroupName(group.description);
  return described == RankDimension::Unknown ? dimensionOfGroupName(group.name) : described;
}

class CallClassifier {
 public:
  struct Job {
    bool hasPipeline = false; // around the rank
    bool inRing = false;      // the rank
    bool ddp = false;         // DistributedDataParallel, on any rank
  };

  CallClassifier(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses, const Job& job)
      : m_trace(*analysis.trace().rank(rank).trace), m_names(analysis.trace().names()),
        m_calls(analysis.collectiveCalls(rank)), m_uses(uses), m_job(job) {
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
      m_gathers |= m_uses[i].operation == CollectiveOperation::AllGather;
      m_scattersGradients |=
          m_uses[i].operation == CollectiveOperation::ReduceScatter && m_uses[i].phase == Phase::Backward;
    }
  }

  // traffic: of the call's group.
  [[nodiscard]] Evidence of(std::size_t i, const GroupTraffic& traffic) const {
    using enum CollectiveOperation;
    const CallUse& use = m_uses[i];
    if (isTensorKernel(m_names[m_trace.events.name[m_calls[i].event]]))
      return {RankDimension::Tensor, "kernels of custom all-reduce"};
    if (isExpertKernel(m_names[m_trace.events.name[m_calls[i].event]]))
      return {RankDimension::Expert, "kernels of expert dispatch"};
    if (use.has(CallLabel::Expert)) return {RankDimension::Expert, "labels of expert dispatch"};
    if (use.has(CallLabel::Context)) return {RankDimension::Context, "labels of context parallelism"};
    if (use.has(CallLabel::EmbeddingAll)) return {RankDimension::Embedding, "labels of embedding tables"};
    if (use.has(CallLabel::DTensor) && use.operation != AllToAll)
      return {RankDimension::Tensor, "redistribution of DTensors"};
    switch (use.operation) {
    case Send:
    case Recv:
    case SendRecv:
      if (m_job.hasPipeline) return {RankDimension::Pipeline, "sends between stages"};
      if (m_job.inRing) return {RankDimension::Context, kRing};
      return {};
    case AllGather:
    case ReduceScatter:
      return sharded(i, traffic);
    case AllReduce:
      return reduced(i, traffic);
    default:
      return {};
    }
  }

  void addTo(GroupTraffic& traffic, std::size_t i) const {
    const CollectiveCall& call = m_calls[i];
    const bool reduces = m_uses[i].operation == CollectiveOperation::AllReduce;
    if (!reduces && m_uses[i].operation != CollectiveOperation::ReduceScatter) return;
    if (call.inElements >= 0 && call.inElements <= kFewElements) return;
    const double elements = call.inElements >= 0 ? static_cast<double>(call.inElements) : 1;
    const Phase phase = m_uses[i].phase;
    if (phase == Phase::Forward)
      (reduces ? traffic.allReduceForward : traffic.scatterForward) += elements;
    else if (phase == Phase::Backward || m_uses[i].afterBackward)
      (reduces ? traffic.allReduceBackward : traffic.scatterBackward) += elements;
  }

 private:
  [[nodiscard]] Evidence sharded(std::size_t i, const GroupTraffic& traffic) const {
    if (m_uses[i].has(CallLabel::Fsdp)) return {RankDimension::Sharded, "labels of FSDP"};
    if (m_gathers && m_scattersGradients && !traffic.scattersInForward() &&
        isFloat(m_names, m_calls[i].dtype))
      return {RankDimension::Sharded, "AllGather and ReduceScatter of gradients in backward"};
    return {};
  }

  [[nodiscard]] Evidence reduced(std::size_t i, const GroupTraffic& traffic) const {
    const CollectiveCall& call = m_calls[i];
    if (!isFloat(m_names, call.dtype)) return {};
    if (call.inElements >= 0 && call.inElements <= kFewElements) return {};
    const bool backward = m_uses[i].phase == Phase::Backward;
    if ((m_uses[i].has(CallLabel::Ddp) || (m_job.ddp && backward)) && !traffic.reducesInForward())
      return {RankDimension::Data, "gradients of DistributedDataParallel"};
    if (m_uses[i].has(CallLabel::Fsdp)) return {RankDimension::Data, "gradients of sharded replicas"};
    // Also gradients averaged by hand.
    if ((backward || m_uses[i].afterBackward) && !traffic.reducesInForward())
      return {RankDimension::Data, "AllReduces in and after backward"};
    return {};
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  const std::vector<CollectiveCall>& m_calls;
  const std::vector<CallUse>& m_uses;
  Job m_job;
  bool m_gathers = false;
  bool m_scattersGradients = false;
};

struct Found {
  std::string_view evidence;
  LayoutConfidence confidence = LayoutConfidence::Guess;
  std::int64_t calls = 0;
};

class DimensionFinder {
 public:
  DimensionFinder(const Analysis& analysis, const std::vector<std::vector<CallUse>>& uses,
                  const JobPipelines& pipelines)
      : m_analysis(analysis), m_match(analysis.collectives().match), m_uses(uses), m_pipelines(pipelines) {
    m_named.reserve(m_match.groups.size());
    for (const JobGroup& group : m_match.groups) m_named.push_back(namedDimension(group));
    m_votes.resize(m_match.groups.size());
    m_rings = contextRings(analysis);
    for (std::size_t r = 0; r < m_uses.size() && !m_ddp; ++r) m_ddp = usesDdp(analysis.trace(), RankIndex(r));
  }

  [[nodiscard]] GroupDimensions found() {
    for (std::size_t r = 0; r < m_uses.size(); ++r) classify(RankIndex(r));
    adoptByGroup();
    addGroupsOfCalls();
    addConfiguredGroups();
    addPipelines();
    addRings();
    std::vector<ParallelGroup> groups;
    groups.reserve(m_groups.size());
    for (auto& [key, group] : m_groups) groups.push_back(std::move(group));
    std::ranges::stable_sort(groups, {}, [](const ParallelGroup& g) {
      return std::pair(g.dimension == RankDimension::Unknown, g.dimension);
    });
    m_result.groups = std::move(groups);
    return std::move(m_result);
  }

 private:
  [[nodiscard]] GroupIndex groupOf(RankIndex rank, std::size_t call) const {
    const std::vector<InstanceIndex>& instances = m_match.instanceOfCall[rank.value];
    if (call >= instances.size() || !instances[call].valid()) return {};
    return m_match.instance(instances[call]).group;
  }

  [[nodiscard]] bool inPipeline(RankIndex rank) const {
    return std::ranges::any_of(m_pipelines.pipelines, [&](const Pipeline& pipeline) {
      return std::ranges::find(pipeline.ranks, rank, &PipelineRank::rank) != pipeline.ranks.end();
    });
  }

  void classify(RankIndex rank) {
    std::vector<RankDimension>& dimensions = m_result.ofCall.emplace_back();
    dimensions.resize(m_uses[rank.value].size(), RankDimension::Unknown);
    if (dimensions.empty()) return;
    const CallClassifier classifier(m_analysis, rank, m_uses[rank.value],
                                    {inPipeline(rank), !m_rings[rank.value].empty(), m_ddp});
    std::map<GroupIndex, GroupTraffic> traffic;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      if (const GroupIndex group = groupOf(rank, i); group.valid()) classifier.addTo(traffic[group], i);
    }
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      const GroupIndex group = groupOf(rank, i);
      const RankDimension named = group.valid() ? m_named[group.value] : RankDimension::Unknown;
      Evidence evidence{named, "name of the group"};
      LayoutConfidence confidence = LayoutConfidence::Named;
      if (named == RankDimension::Unknown || named == RankDimension::World) {
        evidence = classifier.of(i, group.valid() ? traffic[group] : GroupTraffic());
        confidence = LayoutConfidence::Pattern;
      }
      dimensions[i] = evidence.dimension;
      if (!group.valid() || evidence.dimension == RankDimension::Unknown) continue;
      Found& found = m_votes[group.value][evidence.dimension];
      found.evidence = evidence.text;
      found.confidence = confidence;
      ++found.calls;
    }
  }

  // Calls that say nothing themselves follow the others of their group: the backward of an all-to-all.
  void adoptByGroup() {
    for (std::size_t r = 0; r < m_result.ofCall.size(); ++r) {
      for (std::size_t i = 0; i < m_result.ofCall[r].size(); ++i) {
        RankDimension& dimension = m_result.ofCall[r][i];
        const GroupIndex group = groupOf(RankIndex(r), i);
        if (dimension != RankDimension::Unknown || !group.valid()) continue;
        const auto& votes = m_votes[group.value];
        const bool isAllToAll = m_uses[r][i].operation == CollectiveOperation::AllToAll;
        for (const RankDimension of : {RankDimension::Expert, RankDimension::Embedding}) {
          if (isAllToAll && votes.contains(of)) dimension = of;
        }
        const bool isDefault = m_named[group.value] == RankDimension::World;
        const bool recorded = m_match.groups[group.value].operation == CollectiveOperation::Unknown;
        if (dimension == RankDimension::Unknown && recorded && !isDefault && votes.size() == 1)
          dimension = votes.begin()->first;
        if (dimension == RankDimension::Unknown && isDefault) dimension = RankDimension::World;
      }
    }
  }

  void add(ParallelGroup group) {
    if (group.size == 0) group.size = static_cast<std::int64_t>(group.members.size());
    group.stride = strideOf(group.members);
    const std::string described = group.name;
    group.joined = joinsDimensions(described);
    auto key = std::tuple(group.dimension, group.members, group.members.empty() ? group.name : std::string());
    const auto known = m_groups.find(key);
    if (known == m_groups.end())
      m_groups.emplace(std::move(key), std::move(group));
    else if (group.confidence < known->second.confidence)
      known->second = std::move(group);
  }

  // "mesh_dp_cp", "DATA_PARALLEL_GROUP_WITH_CP", "mesh_dp_shard_cp"
  static bool joinsDimensions(std::string_view name) {
    std::set<RankDimension> dimensions;
    std::string word;
    for (std::size_t i = 0; i <= name.size(); ++i) {
      const char c = i < name.size() ? name[i] : '_';
      if (c != '_' && c != '-' && c != ' ') {
        word += c;
        continue;
      }
      const RankDimension of = dimensionOfGroupName(word);
      if (of != RankDimension::Unknown)
        dimensions.insert(of == RankDimension::Sharded ? RankDimension::Data : of);
      word.clear();
    }
    return dimensions.size() > 1;
  }

  void addGroupsOfCalls() {
    for (std::size_t g = 0; g < m_match.groups.size(); ++g) {
      const JobGroup& of = m_match.groups[g];
      const bool recorded =
          of.operation == CollectiveOperation::Unknown && (!of.name.empty() || !of.description.empty());
      for (const auto& [dimension, found] : m_votes[g]) {
        if (found.evidence == kRing) continue; // its transfers are calls of pairs, or of a larger group
        ParallelGroup group;
        group.dimension = dimension;
        group.evidence = found.evidence;
        group.confidence = found.confidence;
        group.name = of.label();
        group.members = of.members;
        group.size = std::max<std::int64_t>(of.size, 0);
        if (!recorded && dimension != RankDimension::Pipeline && !addOfConfigured(group)) addWorld(group);
        if (recorded && dimension != RankDimension::Pipeline) add(std::move(group));
      }
      const bool speaks = m_named[g] != RankDimension::Unknown || m_votes[g].empty();
      if (recorded && m_votes[g].empty() && speaks) addUnvoted(of, m_named[g]);
    }
  }

  void addUnvoted(const JobGroup& of, RankDimension named) {
    ParallelGroup group;
    group.dimension = named;
    group.name = of.label();
    group.members = of.members;
    group.size = std::max<std::int64_t>(of.size, 0);
    const bool known = named != RankDimension::Unknown;
    group.evidence = known ? "name of the group" : "";
    group.confidence = known ? LayoutConfidence::Named : LayoutConfidence::Guess;
    add(std::move(group));
  }

  // Calls without a recorded group: the configured groups of their dimension.
  bool addOfConfigured(const ParallelGroup& like) {
    bool any = false;
    for (const RankEntry& entry : m_analysis.trace().ranks()) {
      for (const ProcessGroup& config : entry.trace->metadata.processGroups)
        any |= dimensionOfGroupName(config.description) == like.dimension;
    }
    return any; // they are added with all others
  }

  // As good as the world: every rank takes part.
  void addWorld(ParallelGroup group) {
    const TraceSet& trace = m_analysis.trace();
    const std::int64_t world = trace.worldSize().value_or(0);
    if (group.members.empty() && world > 0 && world <= (1 << 17)) {
      group.members.reserve(static_cast<std::size_t>(world));
      for (std::int32_t r = 0; r < world; ++r) group.members.push_back(r);
    }
    if (group.members.empty()) {
      std::set<std::int32_t> ranks;
      for (const RankEntry& entry : trace.ranks()) ranks.insert(entry.rank);
      group.members.assign(ranks.begin(), ranks.end());
    }
    for (const RankEntry& entry : trace.ranks()) {
      for (const ProcessGroup& config : entry.trace->metadata.processGroups) {
        if (config.ranks.size() == group.members.size() && !config.description.empty())
          group.name = config.description;
      }
    }
    group.size = static_cast<std::int64_t>(group.members.size());
    add(std::move(group));
  }

  void addConfiguredGroups() {
    for (const RankEntry& entry : m_analysis.trace().ranks()) {
      for (const ProcessGroup& config : entry.trace->metadata.processGroups) {
        ParallelGroup group;
        group.dimension = dimensionOfGroupName(config.description);
        if (group.dimension == RankDimension::Unknown) continue;
        group.name = config.description;
        group.members = config.ranks.sorted();
        group.size = config.size.value_or(static_cast<std::int64_t>(config.ranks.size()));
        if (static_cast<std::int64_t>(group.members.size()) != group.size) group.members.clear(); // cut list
        group.evidence = "name of the group";
        group.confidence = LayoutConfidence::Named;
        const bool traffic = std::ranges::any_of(m_groups, [&](const auto& known) {
          return known.second.members == group.members && known.second.dimension != RankDimension::World;
        });
        if (group.dimension == RankDimension::World && traffic) continue;
        add(std::move(group));
      }
    }
  }

  void addPipelines() {
    const bool named = std::ranges::any_of(
        m_groups, [](const auto& g) { return g.second.dimension == RankDimension::Pipeline; });
    if (named) return;
    for (const Pipeline& pipeline : m_pipelines.pipelines) {
      if (pipeline.rankCount < 2) continue; // of other stages nothing is known
      ParallelGroup group;
      group.dimension = RankDimension::Pipeline;
      group.name = "pipeline";
      for (const PipelineRank& of : pipeline.ranks)
        group.members.push_back(m_analysis.trace().rank(of.rank).rank);
      std::ranges::sort(group.members);
      group.size = pipeline.rankCount;
      if (group.size != static_cast<std::int64_t>(group.members.size())) group.members.clear();
      group.evidence = "sends between stages";
      group.confidence = LayoutConfidence::Pattern;
      add(std::move(group));
    }
  }

  void addRings() {
    const bool named = std::ranges::any_of(m_groups, [](const auto& g) {
      return g.second.dimension == RankDimension::Context && g.second.confidence == LayoutConfidence::Named;
    });
    if (named) return;
    for (std::size_t r = 0; r < m_rings.size(); ++r) {
      const std::vector<RankDimension>& dimensions = m_result.ofCall[r];
      const bool isContext = std::ranges::find(dimensions, RankDimension::Context) != dimensions.end();
      if (m_rings[r].empty() || !isContext || inPipeline(RankIndex(r))) continue;
      ParallelGroup group;
      group.dimension = RankDimension::Context;
      group.name = "ring";
      group.members = m_rings[r];
      group.evidence = kRing;
      group.confidence = LayoutConfidence::Pattern;
      add(std::move(group));
    }
  }

  const Analysis& m_analysis;
  const CollectiveMatch& m_match;
  const std::vector<std::vector<CallUse>>& m_uses;
  const JobPipelines& m_pipelines;
  std::vector<std::vector<std::int32_t>> m_rings; // by RankIndex
  bool m_ddp = false;
  std::vector<RankDimension> m_named;                  // by group
  std::vector<std::map<RankDimension, Found>> m_votes; // by group
  std::map<std::tuple<RankDimension, std::vector<std::int32_t>, std::string>, ParallelGroup> m_groups;
  GroupDimensions m_result;
};

} // namespace

std::string_view layoutConfidenceText(LayoutConfidence confidence) {
  constexpr std::array<std::string_view, 3> kTexts{"named", "pattern", "guess"};
  return kTexts[static_cast<std::size_t>(confidence)];
}

std::int64_t strideOf(const std::vector<std::int32_t>& members) {
  if (members.size() < 2) return 0;
  const std::int64_t stride = std::int64_t{members[1]} - members[0];
  for (std::size_t i = 2; i < members.size(); ++i) {
    if (std::int64_t{members[i]} - members[i - 1] != stride) return 0;
  }
  return stride;
}

GroupDimensions groupDimensions(const Analysis& analysis, const std::vector<std::vector<CallUse>>& uses,
                                const JobPipelines& pipelines) {
  return DimensionFinder(analysis, uses, pipelines).found();
}

} // namespace rankscope
