// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/stack_filter.h"

#include <array>
#include <utility>

namespace rankscope {

namespace {

struct Prefix {
  std::string_view text;
  StackFilterKind kind;
};
constexpr std::array kPrefixes{
    Prefix{"SS:", StackFilterKind::ShowStack}, Prefix{"HS:", StackFilterKind::HideStack},
    Prefix{"SFF:", StackFilterKind::ShowFrom}, Prefix{"HF:", StackFilterKind::HideFrame}};

std::string_view withoutSpaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// By frame, 1 for those that a filter is about.
std::vector<std::uint8_t> framesOfFilter(const StackTree& tree, const StackFilter& filter) {
  const FrameMatcher matches(filter.words);
  std::vector<std::uint8_t> found;
  found.reserve(tree.frames().size());
  for (const StackTree::Frame& frame : tree.frames())
    found.push_back((filter.whole ? frame.text == filter.words : matches(frame.text)) ? 1 : 0);
  return found;
}

FilteredStacks filteredOnce(const StackTree& tree, const StackFilter& filter) {
  const std::vector<std::uint8_t> found = framesOfFilter(tree, filter);
  FilteredStacks result;
  std::vector<std::uint32_t> frames; // of the new tree; made as they are needed
  constexpr std::uint32_t kUnknown = 0xffffffffU;
  frames.assign(tree.frames().size(), kUnknown);
  const auto put = [&](std::uint32_t parent, std::uint32_t frame) {
    if (frames[frame] == kUnknown)
      frames[frame] = result.tree.frameOf(tree.frames()[frame].text, tree.frames()[frame].kind);
    return result.tree.below(parent, frames[frame]);
  };
  result.nodeOf.assign(tree.size(), StackTree::kRoot);
  std::vector<std::uint8_t> within(tree.size()); // in a frame that the filter is about, or itself one
  // Parents first. Stacks that need such a frame get their outer nodes when one is found.
  std::vector<std::uint32_t> outer;
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    const auto [parent, frame] = tree.nodes()[node];
    const bool is = found[frame] != 0;
    within[node] = is || within[parent] != 0 ? 1 : 0;
    switch (filter.kind) {
    case StackFilterKind::HideStack:
      if (within[node] == 0) result.nodeOf[node] = put(result.nodeOf[parent], frame);
      break;
    case StackFilterKind::HideFrame:
      result.nodeOf[node] = is ? result.nodeOf[parent] : put(result.nodeOf[parent], frame);
      break;
    case StackFilterKind::ShowFrom:
      if (within[node] != 0) result.nodeOf[node] = put(result.nodeOf[parent], frame);
      break;
    case StackFilterKind::ShowStack: {
      if (within[node] == 0) break;
      std::uint32_t at = result.nodeOf[parent];
      if (within[parent] == 0) {
        outer.clear();
        for (std::uint32_t o = parent; o != StackTree::kRoot; o = tree.nodes()[o].parent) outer.push_back(o);
        for (std::size_t i = outer.size(); i-- > 0;) at = put(at, tree.nodes()[outer[i]].frame);
      }
      result.nodeOf[node] = put(at, frame);
      break;
    }
    }
  }
  if (filter.kind != StackFilterKind::HideFrame) return result;
  // Where nothing of a stack is left it is not lost.
  std::uint32_t rest = StackTree::kRoot;
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    if (result.nodeOf[node] != StackTree::kRoot) continue;
    if (rest == StackTree::kRoot)
      rest = result.tree.below(StackTree::kRoot, "[other frames]", FrameKind::Group);
    result.nodeOf[node] = rest;
  }
  return result;
}

} // namespace

FrameMatcher::FrameMatcher(std::string_view words) {
  const std::string_view text = withoutSpaces(words);
  if (text.size() > 2 && text.front() == '/' && text.back() == '/') {
    const auto pattern = TextPattern::parse(text.substr(1, text.size() - 2));
    m_kind = pattern ? Kind::Expression : Kind::Nothing;
    if (pattern) m_expression = *pattern;
    return;
  }
  m_part = folded(text);
}

bool FrameMatcher::operator()(std::string_view frame) const {
  switch (m_kind) {
  case Kind::Part:
    return holdsFolded(frame, m_part);
  case Kind::Expression:
    return m_expression.foundIn(frame);
  case Kind::Nothing:
    break;
  }
  return false;
}

std::optional<StackFilter> stackFilterOf(std::string_view text) {
  text = withoutSpaces(text);
  for (const Prefix& prefix : kPrefixes) {
    if (folded(text.substr(0, prefix.text.size())) != folded(prefix.text)) continue;
    const std::string_view words = withoutSpaces(text.substr(prefix.text.size()));
    if (!words.empty()) return StackFilter{prefix.kind, std::string(words), false};
  }
  return std::nullopt;
}

FilteredStacks filtered(const StackTree& tree, std::span<const StackFilter> filters) {
  FilteredStacks result{tree, {}};
  result.nodeOf.reserve(tree.size());
  for (std::uint32_t node = 0; node < tree.size(); ++node) result.nodeOf.push_back(node);
  for (const StackFilter& filter : filters) {
    FilteredStacks next = filteredOnce(result.tree, filter);
    for (std::uint32_t& node : result.nodeOf) node = next.nodeOf[node];
    result.tree = std::move(next.tree);
  }
  return result;
}

StackSums filteredSums(const FilteredStacks& filtered, const StackSums& sums) {
  StackSums result(filtered.tree.size());
  for (std::size_t node = 1; node < sums.size(); ++node) {
    const std::uint32_t to = filtered.nodeOf[node];
    if (to == StackTree::kRoot) continue;
    result[to].weight += sums[node].weight;
    result[to].count += sums[node].count;
  }
  return result;
}

} // namespace rankscope
