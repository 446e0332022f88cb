// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/stack_lines.h"

#include <algorithm>
#include <utility>

namespace rankscope {

FramePlace framePlaceOf(std::string_view frame) {
  const std::size_t close = frame.find("): ");
  if (close == std::string_view::npos) return {{}, {}, frame};
  const std::size_t open = frame.rfind('(', close);
  if (open == std::string_view::npos || open == 0 || open + 1 == close) return {{}, {}, frame};
  const std::string_view line = frame.substr(open + 1, close - open - 1);
  if (line.find_first_not_of("0123456789") != std::string_view::npos || line.size() > 9)
    return {{}, {}, frame};
  return {frame.substr(0, open), line, frame.substr(close + 3)};
}

std::vector<StackLine> stackLines(const StackTree& tree, const std::function<bool(std::uint32_t)>& wanted) {
  const auto& frames = tree.frames();
  // Texts are compared by their place in the alphabet.
  std::vector<std::uint32_t> byText(frames.size());
  for (std::size_t i = 0; i < byText.size(); ++i) byText[i] = static_cast<std::uint32_t>(i);
  std::ranges::sort(byText, {},
                    [&](std::uint32_t frame) -> const std::string& { return frames[frame].text; });
  std::vector<std::uint32_t> placeOf(frames.size());
  for (std::size_t i = 0; i < byText.size(); ++i) placeOf[byText[i]] = static_cast<std::uint32_t>(i);

  struct Sorted {
    std::vector<std::uint32_t> key;
    std::uint32_t node;
  };
  std::vector<Sorted> sorted;
  sorted.reserve(tree.size());
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    if (!wanted(node)) continue;
    std::vector<std::uint32_t> key = tree.framesTo(node);
    for (std::uint32_t& frame : key) frame = placeOf[frame];
    sorted.push_back({std::move(key), node});
  }
  std::ranges::sort(sorted, {}, &Sorted::key);

  std::vector<StackLine> lines;
  lines.reserve(sorted.size());
  for (const Sorted& stack : sorted) {
    StackLine line;
    line.node = stack.node;
    for (const std::uint32_t place : stack.key) {
      const std::uint32_t frame = byText[place];
      const bool isPlace = line.frames.empty() && frames[frame].kind == FrameKind::Place;
      (isPlace ? line.places : line.frames).push_back(frame);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<StackLine> stackLines(const WeighedStacks& stacks) {
  std::vector<StackLine> lines = stackLines(
      stacks.tree, [&](std::uint32_t node) { return std::int64_t{stacks.sums[node].weight} != 0; });
  for (StackLine& line : lines) {
    line.weight = stacks.sums[line.node].weight;
    line.count = stacks.sums[line.node].count;
  }
  return lines;
}

} // namespace rankscope
