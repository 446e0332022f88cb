// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/recomputation.h"

#include "core/analysis/classify/name_traits.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace rankscope {

namespace {

enum Kind : std::uint8_t { kOther, kForward, kMatmul, kBackwardNode };

// Derivatives never call these operators, except matmul, which user-defined derivatives may call.
std::uint8_t kindOf(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kForwardNames{
      "aten::batch_norm", "aten::conv1d",
      "aten::conv2d",     "aten::conv3d",
      "aten::dropout",    "aten::embedding",
      "aten::gelu",       "aten::group_norm",
      "aten::layer_norm", "aten::linear",
      "aten::max_pool2d", "aten::relu",
      "aten::rms_norm",   "aten::scaled_dot_product_attention",
      "aten::silu",       "aten::softmax"};
  if (name == "aten::matmul") return kMatmul;
  if (std::ranges::find(kForwardNames, name) != kForwardNames.end()) return kForward;
  return operatorPhaseOf(name) == Phase::Backward ? kBackwardNode : kOther;
}

struct Region {
  TimeRange range;
  bool forward = false;
};

// What nodes of the backward pass hold of the forward pass.
class Regions {
 public:
  Regions(const RankTrace& trace, const StringTable& names, const OperatorTree& tree)
      : m_trace(trace), m_tree(tree), m_kind(names, &kindOf) {
    forEachOperator(trace, names, [&](EventIndex op) {
      const std::uint8_t is = m_kind[trace.events.name[op]];
      if (is != kForward && is != kMatmul) return;
      const EventIndex node = nodeAround(op);
      if (!node.valid()) return;
      const auto [place, isNew] = m_regions.try_emplace(node, Region{trace.events.range(op), false});
      place->second.range = place->second.range.unitedWith(trace.events.range(op));
      place->second.forward = place->second.forward || is == kForward;
    });
    std::erase_if(m_regions, [](const auto& region) { return !region.second.forward; });
  }

  [[nodiscard]] bool empty() const { return m_regions.empty(); }
  [[nodiscard]] bool contains(EventIndex op) {
    if (!op.valid()) return false;
    EventIndex node = nodeAround(op);
    if (!node.valid() && m_kind[m_trace.events.name[op]] == kBackwardNode) node = op;
    const auto region = node.valid() ? m_regions.find(node) : m_regions.end();
    return region != m_regions.end() && region->second.range.contains(m_trace.events.begin[op]);
  }

 private:
  // The outermost node around an operator; invalid outside of the backward pass.
  [[nodiscard]] EventIndex nodeAround(EventIndex op) {
    EventIndex node;
    for (EventIndex at = m_tree.enclosingOf(op); at.valid(); at = m_tree.enclosingOf(at)) {
      if (m_kind[m_trace.events.name[at]] == kBackwardNode) node = at;
    }
    return node;
  }

  const RankTrace& m_trace;
  const OperatorTree& m_tree;
  NameMemory<std::uint8_t (*)(std::string_view)> m_kind;
  std::map<EventIndex, Region> m_regions;
};

} // namespace

std::vector<std::uint8_t> recomputedDeviceEvents(const RankTrace& trace, const StringTable& names,
                                                 const OperatorTree& tree) {
  Regions regions(trace, names, tree);
  if (regions.empty()) return {};
  std::vector<std::uint8_t> recomputed(trace.deviceDetails.size());
  for (std::size_t i = 0; i < recomputed.size(); ++i)
    recomputed[i] = regions.contains(tree.owners[i]) ? 1 : 0;
  return recomputed;
}

std::vector<std::uint8_t> recomputedOperators(const RankTrace& trace, const StringTable& names,
                                              const OperatorTree& tree,
                                              std::span<const EventIndex> operators) {
  Regions regions(trace, names, tree);
  if (regions.empty()) return {};
  std::vector<std::uint8_t> recomputed(operators.size());
  for (std::size_t i = 0; i < recomputed.size(); ++i) recomputed[i] = regions.contains(operators[i]) ? 1 : 0;
  return recomputed;
}

} // namespace rankscope
