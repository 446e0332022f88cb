// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/stack_difference.h"

#include "core/analysis/classify/normal_name.h"
#include "core/base/whole_number.h"

#include <string>
#include <vector>

namespace rankscope {

namespace {

bool isOnDevice(FrameKind kind) {
  return kind == FrameKind::Kernel || kind == FrameKind::Communication || kind == FrameKind::Copy;
}

// Adds the sums of a job to those of the tree of both.
void addInto(StackTree& tree, StackSums& sums, const WeighedStacks& stacks, double scale) {
  std::vector<std::uint32_t> frames;
  frames.reserve(stacks.tree.frames().size());
  for (const StackTree::Frame& frame : stacks.tree.frames())
    frames.push_back(tree.frameOf(comparedFrame(frame), frame.kind));
  std::vector<std::uint32_t> nodes(stacks.tree.size(), StackTree::kRoot);
  for (std::size_t i = 1; i < stacks.tree.size(); ++i) {
    const StackTree::Node& node = stacks.tree.nodes()[i];
    nodes[i] = tree.below(nodes[node.parent], frames[node.frame]);
  }
  sums.resize(tree.size());
  for (std::size_t i = 0; i < stacks.sums.size(); ++i) {
    const std::int64_t weight = stacks.sums[i].weight;
    sums[nodes[i]].weight += scale == 1 ? weight : rounded(static_cast<double>(weight) * scale);
    sums[nodes[i]].count += stacks.sums[i].count;
  }
}

} // namespace

std::string comparedFrame(const StackTree::Frame& frame) {
  return isOnDevice(frame.kind) ? normalKernelName(frame.text) : normalOperatorName(frame.text);
}

std::int64_t StackDifference::change(std::uint32_t node) const {
  ExactSum difference = b[node].weight;
  difference -= a[node].weight;
  return difference;
}

StackDifference stackDifference(const WeighedStacks& a, const WeighedStacks& b, double scale) {
  StackDifference difference;
  difference.weight = b.weight;
  addInto(difference.tree, difference.a, a, scale);
  addInto(difference.tree, difference.b, b, 1);
  difference.a.resize(difference.tree.size());
  return difference;
}

std::int64_t stepsOfRanks(const Analysis& part) {
  std::int64_t steps = 0;
  for (const RankIndex rank : part.ranks()) {
    const StepWindows& windows = part.stepWindows(rank);
    if (windows.areSteps()) steps += static_cast<std::int64_t>(windows.steps.size());
  }
  return steps;
}

double stepScale(const Analysis& a, const Analysis& b) {
  const std::int64_t ofA = stepsOfRanks(a);
  const std::int64_t ofB = stepsOfRanks(b);
  return ofA > 0 && ofB > 0 ? static_cast<double>(ofB) / static_cast<double>(ofA) : 1;
}

} // namespace rankscope
