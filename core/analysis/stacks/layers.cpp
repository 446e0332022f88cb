// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/layers.h"

#include "core/analysis/stacks/frame_names.h"

#include <map>
#include <string_view>

namespace rankscope {

namespace {

struct Candidate {
  std::vector<std::uint32_t> nodes; // in the order of first calls
  double time = 0;
};

// Of the device, or of the host where no module launched anything.
double timeOf(const ModuleNode& node, bool onDevice) {
  if (!onDevice) return static_cast<double>(node.hostTotal);
  return static_cast<double>(node.deviceTotal) + static_cast<double>(node.backward) +
         static_cast<double>(node.recompute);
}

// Of the children, the class that repeats and takes the most; nothing when none does.
const Candidate* layersAmong(const std::map<std::string_view, Candidate>& byClass, double whole) {
  const Candidate* best = nullptr;
  for (const auto& [name, candidate] : byClass) {
    if (candidate.nodes.size() < 2 || candidate.time < kMinLayerShare * whole) continue;
    if (best == nullptr || candidate.time > best->time) best = &candidate;
  }
  return best;
}

} // namespace

void findLayers(ModuleTree& tree, const StringTable& names) {
  bool onDevice = false;
  for (const ModuleNode& node : tree.nodes)
    onDevice =
        onDevice || static_cast<double>(node.deviceTotal) > 0 || static_cast<double>(node.backward) > 0;
  double whole = 0;
  std::vector<std::vector<std::uint32_t>> children(tree.nodes.size());
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const ModuleNode& node = tree.nodes[i];
    if (node.parent == ModuleNode::kNone)
      whole += timeOf(node, onDevice);
    else
      children[node.parent].push_back(i);
  }
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    ModuleNode& node = tree.nodes[i];
    // Parents come first: what lies in a layer has its number and no layers of its own.
    if (node.parent != ModuleNode::kNone && tree.nodes[node.parent].layer)
      node.layer = tree.nodes[node.parent].layer;
    if (node.layer) continue;
    std::map<std::string_view, Candidate> byClass;
    for (const std::uint32_t child : children[i]) {
      Candidate& candidate = byClass[moduleClass(moduleName(names[tree.nodes[child].name]))];
      candidate.nodes.push_back(child);
      candidate.time += timeOf(tree.nodes[child], onDevice);
    }
    const Candidate* const layers = layersAmong(byClass, whole);
    if (layers == nullptr) continue;
    for (std::size_t layer = 0; layer < layers->nodes.size(); ++layer) {
      tree.nodes[layers->nodes[layer]].layer = static_cast<std::int64_t>(layer);
      tree.nodes[layers->nodes[layer]].isLayer = true;
    }
  }
}

} // namespace rankscope
