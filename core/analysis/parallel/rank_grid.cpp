// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/rank_grid.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

namespace rankscope {

namespace {

constexpr std::int64_t kMaxWorld = 1 << 17;
constexpr std::array<LayoutAxis, 5> kInnerToOuter{
    LayoutAxis::Tensor, LayoutAxis::Context, LayoutAxis::Sharded, LayoutAxis::Data, LayoutAxis::Pipeline};

class GridFinder {
 public:
  GridFinder(const Analysis& analysis, const JobPipelines& pipelines, GroupDimensions& dimensions)
      : m_trace(analysis.trace()), m_analysis(analysis), m_pipelines(pipelines), m_dimensions(dimensions) {
    m_layout.world = std::min(m_trace.worldSize().value_or(0), kMaxWorld);
    for (const RankEntry& entry : m_trace.ranks())
      m_layout.world = std::max<std::int64_t>(m_layout.world, entry.rank + 1);
    m_layout.world = std::min(m_layout.world, kMaxWorld);
    addRanks();
  }

  [[nodiscard]] JobLayout recognized() {
    for (const LayoutAxis axis : kLayoutAxes) chooseGroups(axis);
    dropFlattenedData();
    takeDegrees();
    fillDegrees();
    placeRanks();
    return std::move(m_layout);
  }

  [[nodiscard]] JobLayout given(const LayoutDegrees& degrees) {
    m_layout.degrees = degrees;
    m_layout.given = true;
    for (const LayoutAxis axis : kLayoutAxes) {
      if (degrees[axis] > 1) m_layout.evidence[static_cast<std::size_t>(axis)] = "given";
    }
    addRemaining(degrees.product());
    for (RankPlace& place : m_layout.ranks) place.at = placeInGrid(m_layout.degrees, place.rank);
    checkProduct();
    nameGroups();
    return std::move(m_layout);
  }

 private:
  void addRanks() {
    std::map<int, const RankEntry*> recorded;
    for (const RankEntry& entry : m_trace.ranks()) recorded.emplace(entry.rank, &entry);
    m_layout.ranks.reserve(static_cast<std::size_t>(m_layout.world));
    for (int r = 0; r < m_layout.world; ++r) {
      RankPlace place;
      place.rank = r;
      const auto found = recorded.find(r);
      place.recorded = found != recorded.end();
      if (place.recorded)
        place.host = found->second->host;
      else
        m_layout.missing.push_back(r);
      m_layout.ranks.push_back(std::move(place));
    }
  }

  // Groups whose size is the degree: those of one dimension only, where there are any.
  void chooseGroups(LayoutAxis axis) {
    std::vector<const ParallelGroup*> pure;
    std::vector<const ParallelGroup*> joined;
    for (const ParallelGroup& group : m_dimensions.groups) {
      if (group.dimension == dimensionOf(axis) && group.size > 1)
        (group.joined ? joined : pure).push_back(&group);
    }
    m_chosen[axis] = pure.empty() ? joined : pure;
  }

  // The dimension "dp" of a mesh that also has "dp_shard" joins replicas and shards.
  void dropFlattenedData() {
    std::vector<const ParallelGroup*>& data = m_chosen[LayoutAxis::Data];
    std::erase_if(data, [&](const ParallelGroup* group) {
      return std::ranges::any_of(m_chosen[LayoutAxis::Sharded], [&](const ParallelGroup* inner) {
        if (group->members.empty() || inner->members.empty()) return false;
        std::vector<std::int32_t> common;
        std::ranges::set_intersection(group->members, inner->members, std::back_inserter(common));
        return common.size() > 1;
      });
    });
  }

  void takeDegrees() {
    for (const LayoutAxis axis : kLayoutAxes) {
      std::map<std::int64_t, std::int64_t> sizes; // how many groups
      const std::vector<const ParallelGroup*>& groups = m_chosen[axis];
      for (const ParallelGroup* group : groups) ++sizes[group->size];
      if (sizes.empty()) continue;
      const auto most = std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; });
      m_layout.degrees[axis] = most->first;
      const auto of = std::ranges::find(groups, most->first, [](const ParallelGroup* g) { return g->size; });
      std::string& evidence = m_layout.evidence[static_cast<std::size_t>(axis)];
      evidence = (*of)->confidence == LayoutConfidence::Named ? (*of)->name : (*of)->evidence;
    }
  }

  // What remains is data parallel, as nothing else leaves ranks without a group.
  void fillDegrees() {
    LayoutDegrees& degrees = m_layout.degrees;
    // "dp_cp" joins both.
    const bool joined = !m_chosen[LayoutAxis::Context].empty() &&
                        std::ranges::all_of(m_chosen[LayoutAxis::Data], &ParallelGroup::joined);
    if (joined && degrees[LayoutAxis::Data] % degrees[LayoutAxis::Context] == 0 &&
        degrees.product() > m_layout.world)
      degrees[LayoutAxis::Data] /= degrees[LayoutAxis::Context];
    addRemaining(degrees.product());
    checkProduct();
  }

  void addRemaining(std::int64_t product) {
    LayoutDegrees& degrees = m_layout.degrees;
    if (!m_layout.divided() || product >= m_layout.world || m_layout.world % product != 0) return;
    const std::int64_t rest = m_layout.world / product;
    if (degrees[LayoutAxis::Expert] == rest || degrees[LayoutAxis::Data] > 1) return; // experts alone
    degrees[LayoutAxis::Data] = rest;
    m_layout.evidence[static_cast<std::size_t>(LayoutAxis::Data)] = "the ranks that remain";
  }

  void checkProduct() {
    const std::int64_t product = m_layout.degrees.product();
    const std::int64_t experts = m_layout.degrees[LayoutAxis::Expert];
    m_layout.complete =
        !m_layout.divided() || product == m_layout.world || product * experts == m_layout.world;
  }

  void placeRanks() {
    std::map<int, std::int64_t> stageOf;
    for (const Pipeline& pipeline : m_pipelines.pipelines) {
      for (std::size_t i = 0; i < pipeline.ranks.size(); ++i)
        stageOf.emplace(m_trace.rank(pipeline.ranks[i].rank).rank, pipeline.ranks[i].stages.front());
    }
    const auto regular = placesByStride();
    for (RankPlace& place : m_layout.ranks) {
      for (const LayoutAxis axis : kLayoutAxes) {
        if (m_layout.degrees[axis] < 2) continue;
        std::optional<std::int64_t>& at = place.at[static_cast<std::size_t>(axis)];
        at = placeInGroups(axis, place.rank);
        if (axis == LayoutAxis::Pipeline && stageOf.contains(place.rank) && !namedPipeline())
          at = stageOf.at(place.rank);
        if (!at) at = regular(axis, place.rank);
      }
    }
  }

  [[nodiscard]] bool namedPipeline() const {
    const auto chosen = m_chosen.find(LayoutAxis::Pipeline);
    return chosen != m_chosen.end() && std::ranges::any_of(chosen->second, [](const ParallelGroup* group) {
             return group->confidence == LayoutConfidence::Named;
           });
  }

  [[nodiscard]] std::optional<std::int64_t> placeInGroups(LayoutAxis axis, int rank) const {
    const auto chosen = m_chosen.find(axis);
    if (chosen == m_chosen.end()) return std::nullopt;
    for (const ParallelGroup* group : chosen->second) {
      const auto at = std::ranges::lower_bound(group->members, rank);
      if (at != group->members.end() && *at == rank) return at - group->members.begin();
    }
    return std::nullopt;
  }

  // Of ranks whose groups are not known: along regular groups every stride ranks belong together.
  [[nodiscard]] std::function<std::optional<std::int64_t>(LayoutAxis, int)> placesByStride() const {
    std::map<LayoutAxis, std::int64_t> strides;
    bool all = m_layout.complete;
    for (const LayoutAxis axis : kLayoutAxes) {
      if (m_layout.degrees[axis] < 2) continue;
      const auto chosen = m_chosen.find(axis);
      std::int64_t stride = 0;
      if (chosen != m_chosen.end()) {
        for (const ParallelGroup* group : chosen->second) stride = std::max(stride, group->stride);
      }
      if (stride > 0) strides.emplace(axis, stride);
      all &= stride > 0;
    }
    const LayoutDegrees degrees = m_layout.degrees;
    const bool complete = m_layout.complete;
    return [strides, degrees, complete](LayoutAxis axis, int rank) -> std::optional<std::int64_t> {
      const auto stride = strides.find(axis);
      if (stride != strides.end()) return rank / stride->second % degrees[axis];
      return complete ? placeInGrid(degrees, rank)[static_cast<std::size_t>(axis)] : std::nullopt;
    };
  }

  // A group whose members differ along one axis only is of that axis.
  void nameGroups() {
    for (ParallelGroup& group : m_dimensions.groups) {
      const auto axis = axisThatDiffers(group.members);
      if (!axis) continue;
      group.dimension = dimensionOf(*axis);
      group.evidence = "given";
      group.confidence = LayoutConfidence::Named;
    }
    renameCalls();
  }

  void renameCalls() {
    const CollectiveMatch& match = m_analysis.collectives().match;
    for (std::size_t r = 0; r < m_dimensions.ofCall.size(); ++r) {
      for (std::size_t i = 0; i < m_dimensions.ofCall[r].size(); ++i) {
        if (i >= match.instanceOfCall[r].size() || !match.instanceOfCall[r][i].valid()) continue;
        const JobGroup& group = match.group(match.instance(match.instanceOfCall[r][i]));
        if (const auto axis = axisThatDiffers(group.members)) m_dimensions.ofCall[r][i] = dimensionOf(*axis);
      }
    }
  }

  [[nodiscard]] std::optional<LayoutAxis> axisThatDiffers(const std::vector<std::int32_t>& members) const {
    std::optional<LayoutAxis> result;
    if (members.size() < 2) return result;
    for (const LayoutAxis axis : kInnerToOuter) {
      std::set<std::optional<std::int64_t>> places;
      for (const std::int32_t member : members) {
        if (member < 0 || member >= m_layout.world) return std::nullopt;
        places.insert(m_layout.ranks[static_cast<std::size_t>(member)].along(axis));
      }
      if (places.size() < 2) continue;
      if (result) return std::nullopt;
      result = axis;
    }
    return result;
  }

  const TraceSet& m_trace;
  const Analysis& m_analysis;
  const JobPipelines& m_pipelines;
  GroupDimensions& m_dimensions;
  std::map<LayoutAxis, std::vector<const ParallelGroup*>> m_chosen;
  JobLayout m_layout;
};

} // namespace

bool JobLayout::divided() const {
  return std::ranges::any_of(degrees.of, [](std::int64_t degree) { return degree > 1; });
}

JobLayout jobLayout(const Analysis& analysis, const JobPipelines& pipelines, GroupDimensions& dimensions,
                    const LayoutSettings& settings) {
  GridFinder finder(analysis, pipelines, dimensions);
  return settings.given ? finder.given(*settings.given) : finder.recognized();
}

std::array<std::optional<std::int64_t>, kLayoutAxisCount> placeInGrid(const LayoutDegrees& degrees,
                                                                      std::int64_t rank) {
  std::array<std::optional<std::int64_t>, kLayoutAxisCount> at;
  std::int64_t rest = rank;
  std::int64_t replica = 0; // among the ranks that have the same parameters
  std::int64_t stride = 1;
  for (const LayoutAxis axis : kInnerToOuter) {
    const std::int64_t degree = std::max<std::int64_t>(degrees[axis], 1);
    const std::int64_t place = rest % degree;
    if (axis != LayoutAxis::Pipeline || degree > 1) rest /= degree;
    if (degree > 1) at[static_cast<std::size_t>(axis)] = place;
    if (axis == LayoutAxis::Context || axis == LayoutAxis::Sharded || axis == LayoutAxis::Data) {
      replica += place * stride;
      stride *= degree;
    }
  }
  const std::int64_t experts = degrees[LayoutAxis::Expert];
  if (experts > 1) {
    // Without other replicas, the experts have the ranks that remain.
    const std::int64_t among = stride > 1 ? replica : rest;
    at[static_cast<std::size_t>(LayoutAxis::Expert)] = among % experts;
  }
  return at;
}

} // namespace rankscope
