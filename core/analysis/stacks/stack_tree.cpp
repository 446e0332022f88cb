// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/stack_tree.h"

#include <algorithm>
#include <array>

namespace rankscope {

std::string_view frameKindText(FrameKind kind) {
  static constexpr std::array<std::string_view, kFrameKindCount> kTexts{
      "place",   "group",    "module", "own_python",    "other_python", "annotation", "operator",
      "runtime", "backward", "kernel", "communication", "copy",         "idle",       "memory"};
  return kTexts[static_cast<std::size_t>(kind)];
}

StackTree::Contents& StackTree::own() {
  if (m_contents.use_count() > 1) m_contents = std::make_shared<Contents>(*m_contents);
  return *m_contents;
}

std::uint32_t StackTree::frameOf(std::string_view text, FrameKind kind) {
  const auto found = m_contents->frameIds.find(text);
  if (found != m_contents->frameIds.end()) return found->second;
  Contents& contents = own();
  const auto id = static_cast<std::uint32_t>(contents.frames.size());
  contents.frames.push_back({std::string(text), kind});
  contents.frameIds.emplace(std::string(text), id);
  return id;
}

std::uint32_t StackTree::below(std::uint32_t parent, std::uint32_t frame) {
  const std::uint64_t key = (std::uint64_t{parent} << 32U) | frame;
  const auto found = m_contents->nodeIds.find(key);
  if (found != m_contents->nodeIds.end()) return found->second;
  const std::uint32_t node = apart(parent, frame);
  m_contents->nodeIds.emplace(key, node);
  return node;
}

std::uint32_t StackTree::apart(std::uint32_t parent, std::uint32_t frame) {
  Contents& contents = own();
  contents.nodes.push_back({parent, frame});
  return static_cast<std::uint32_t>(contents.nodes.size() - 1);
}

std::optional<std::uint32_t> StackTree::find(std::uint32_t parent, std::string_view text) const {
  const auto frame = m_contents->frameIds.find(text);
  if (frame == m_contents->frameIds.end()) return {};
  const auto node = m_contents->nodeIds.find((std::uint64_t{parent} << 32U) | frame->second);
  return node == m_contents->nodeIds.end() ? std::nullopt : std::optional(node->second);
}

std::vector<std::uint32_t> StackTree::framesTo(std::uint32_t node) const {
  std::vector<std::uint32_t> frames;
  for (; node != kRoot; node = nodes()[node].parent) frames.push_back(nodes()[node].frame);
  std::ranges::reverse(frames);
  return frames;
}

StackSums totalsOf(const StackTree& tree, const StackSums& sums) {
  StackSums totals = sums;
  totals.resize(tree.size());
  for (std::size_t node = tree.size(); node-- > 1;) {
    StackSum& parent = totals[tree.nodes()[node].parent];
    parent.weight += totals[node].weight;
    parent.count += totals[node].count;
  }
  return totals;
}

std::vector<FrameSum> frameSums(const StackTree& tree, const StackSums& sums) {
  const StackSums totals = totalsOf(tree, sums);
  std::vector<FrameSum> frames(tree.frames().size());
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i].frame = static_cast<std::uint32_t>(i);
  // By frame, the outermost node that has it of the stack that is being walked: what lies below one with the
  // same frame was counted there.
  std::vector<std::vector<std::uint32_t>> children(tree.size());
  for (std::uint32_t node = 1; node < tree.size(); ++node)
    children[tree.nodes()[node].parent].push_back(node);
  struct Visit {
    std::uint32_t node;
    std::size_t next;
  };
  std::vector<std::uint32_t> open(frames.size()); // by frame: how often it is in the stack
  std::vector<Visit> visits{{StackTree::kRoot, 0}};
  while (!visits.empty()) {
    Visit& visit = visits.back();
    if (visit.next < children[visit.node].size()) {
      const std::uint32_t node = children[visit.node][visit.next++];
      const std::uint32_t frame = tree.nodes()[node].frame;
      frames[frame].self += sums[node].weight;
      if (open[frame]++ == 0) {
        frames[frame].total += totals[node].weight;
        frames[frame].count += totals[node].count;
      }
      visits.push_back({node, 0});
      continue;
    }
    if (visit.node != StackTree::kRoot) --open[tree.nodes()[visit.node].frame];
    visits.pop_back();
  }
  std::erase_if(frames, [](const FrameSum& frame) { return frame.count == 0; });
  std::ranges::stable_sort(frames, [&](const FrameSum& a, const FrameSum& b) {
    const std::int64_t totalA = a.total;
    const std::int64_t totalB = b.total;
    if (totalA != totalB) return totalA > totalB;
    return tree.frames()[a.frame].text < tree.frames()[b.frame].text;
  });
  return frames;
}

} // namespace rankscope
