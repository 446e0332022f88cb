// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/job_stacks.h"

#include "core/base/parallel_for.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rankscope {

namespace {

// Nodes of `tree` for those of `part`, with everything below `base`.
std::vector<std::uint32_t> mergedInto(StackTree& tree, const StackTree& part, std::uint32_t base) {
  std::vector<std::uint32_t> frames;
  frames.reserve(part.frames().size());
  for (const StackTree::Frame& frame : part.frames()) frames.push_back(tree.frameOf(frame.text, frame.kind));
  std::vector<std::uint32_t> nodes(part.size(), base);
  for (std::size_t i = 1; i < part.size(); ++i)
    nodes[i] = tree.below(nodes[part.nodes()[i].parent], frames[part.nodes()[i].frame]);
  return nodes;
}

void addSums(StackSums& to, const StackSums& from, const std::vector<std::uint32_t>& nodes) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[nodes[i]].weight += from[i].weight;
    to[nodes[i]].count += from[i].count;
  }
}

// Steps of the part and what lies between, end to end over the window.
struct NamedWindow {
  std::string name;
  TimeRange range;
};

std::vector<NamedWindow> stepsOver(TimeRange window, const StepWindows& steps) {
  std::vector<NamedWindow> windows;
  TimeNs at = window.begin;
  for (const StepWindow& step : steps.steps) {
    const TimeRange inside = step.range.clippedTo({at, window.end});
    if (inside.empty()) continue;
    if (at < inside.begin) windows.push_back({"[no step]", {at, inside.begin}});
    windows.push_back({"step " + std::to_string(step.number), inside});
    at = inside.end;
  }
  if (at < window.end) windows.push_back({"[no step]", {at, window.end}});
  return windows;
}

} // namespace

JobStacks jobStacks(const Analysis& analysis, StackWeight weight, const StackOptions& options,
                    unsigned threadCount, const Progress* progress) {
  JobStacks result;
  result.weight = weight;
  // Of all ranks at once, before they ask one by one.
  if (weight == StackWeight::Wait) static_cast<void>(analysis.collectives());
  std::vector<RankStacks> ofRank(analysis.ranks().size());
  parallelFor(ofRank.size(), threadCount, [&](std::size_t i) {
    if (progress == nullptr || !progress->cancelled())
      ofRank[i] = rankStacks(analysis, analysis.ranks()[i], weight, options);
  });
  if (progress != nullptr && progress->cancelled()) return result;
  result.ranks = analysis.ranks();
  result.nodeOf.reserve(ofRank.size());
  for (const RankStacks& rank : ofRank) {
    result.nodeOf.push_back(mergedInto(result.tree, rank.tree, StackTree::kRoot));
    result.joinedBackward += rank.joinedBackward;
    result.looseBackward += rank.looseBackward;
  }
  result.ofRank = std::move(ofRank);
  return result;
}

StackSums weighed(const JobStacks& stacks, const Analysis& part, unsigned threadCount) {
  std::vector<StackSums> ofRank(stacks.ranks.size());
  parallelFor(stacks.ranks.size(), threadCount, [&](std::size_t i) {
    const RankIndex rank = stacks.ranks[i];
    if (std::ranges::binary_search(part.ranks(), rank))
      ofRank[i] = stacks.ofRank[i].sums(stackWindow(part, rank, stacks.weight));
  });
  StackSums sums(stacks.tree.size());
  for (std::size_t i = 0; i < ofRank.size(); ++i) addSums(sums, ofRank[i], stacks.nodeOf[i]);
  return sums;
}

WeighedStacks weighedStacks(const Analysis& analysis, StackWeight weight, const StackOptions& options,
                            bool bySteps, unsigned threadCount) {
  JobStacks stacks = jobStacks(analysis, weight, options, threadCount);
  WeighedStacks result;
  result.weight = weight;
  if (!bySteps) {
    result.sums = weighed(stacks, analysis, threadCount);
    result.tree = std::move(stacks.tree);
    return result;
  }
  for (std::size_t i = 0; i < stacks.ranks.size(); ++i) {
    const RankIndex rank = stacks.ranks[i];
    const TimeRange whole = stackWindow(analysis, rank, weight);
    for (const NamedWindow& window : stepsOver(whole, analysis.wholeStepWindows(rank))) {
      const StackSums sums = stacks.ofRank[i].sums(window.range);
      if (std::ranges::none_of(
              sums, [](const StackSum& sum) { return sum.count != 0 || std::int64_t{sum.weight} != 0; }))
        continue;
      const std::uint32_t base = result.tree.below(StackTree::kRoot, window.name, FrameKind::Place);
      const auto nodes = mergedInto(result.tree, stacks.ofRank[i].tree, base);
      result.sums.resize(result.tree.size());
      addSums(result.sums, sums, nodes);
    }
  }
  result.sums.resize(result.tree.size());
  return result;
}

} // namespace rankscope
