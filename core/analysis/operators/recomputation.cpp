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

// Derivatives call none of these; matmul alone is also in derivatives that people write.
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

} // namespace

std::vector<std::uint8_t> recomputedDeviceEvents(const RankTrace& trace, const StringTable& names,
                                                 const OperatorTree& tree) {
  NameMemory<std::uint8_t (*)(std::string_view)> kind(names, &kindOf);
  // The outermost node around an operator; invalid outside of the backward pass.
  const auto nodeAround = [&](EventIndex op) {
    EventIndex node;
    for (EventIndex at = tree.enclosingOf(op); at.valid(); at = tree.enclosingOf(at)) {
      if (kind[trace.events.name[at]] == kBackwardNode) node = at;
    }
    return node;
  };
  std::map<EventIndex, Region> regions;
  forEachOperator(trace, names, [&](EventIndex op) {
    const std::uint8_t is = kind[trace.events.name[op]];
    if (is != kForward && is != kMatmul) return;
    const EventIndex node = nodeAround(op);
    if (!node.valid()) return;
    const auto [place, isNew] = regions.try_emplace(node, Region{trace.events.range(op), false});
    place->second.range = place->second.range.unitedWith(trace.events.range(op));
    place->second.forward = place->second.forward || is == kForward;
  });
  std::erase_if(regions, [](const auto& region) { return !region.second.forward; });
  if (regions.empty()) return {};
  std::vector<std::uint8_t> recomputed(trace.deviceDetails.size());
  for (std::size_t i = 0; i < recomputed.size(); ++i) {
    const EventIndex owner = tree.owners[i];
    if (!owner.valid()) continue;
    const EventIndex node = kind[trace.events.name[owner]] == kBackwardNode && !nodeAround(owner).valid()
                                ? owner
                                : nodeAround(owner);
    const auto region = node.valid() ? regions.find(node) : regions.end();
    if (region != regions.end() && region->second.range.contains(trace.events.begin[owner]))
      recomputed[i] = 1;
  }
  return recomputed;
}

} // namespace rankscope
