// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of folded stacks and the tree that they are, with equal beginnings merged. Pure; O(frames).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

struct FoldedLine {
  std::string_view frames; // "outer;inner"; never empty
  double weight = 0;       // not negative
};

// Empty for a line of another kind. A second column is the weight, the first no part of the last frame.
[[nodiscard]] std::optional<FoldedLine> foldedLine(std::string_view line);

struct FoldedNode {
  std::uint32_t parent = 0; // before this node; of the outermost frames the root, node 0
  std::string_view frame;   // of the text
  std::int64_t total = 0;   // with what is below
};

struct FoldedTree {
  std::vector<FoldedNode> nodes; // by first line
  std::uint64_t lines = 0;
  std::uint64_t skipped = 0; // lines of another kind
};

// The text must outlive the tree. Weights are rounded to whole numbers; a total beyond 2^60 is that limit.
[[nodiscard]] FoldedTree foldedTree(std::string_view text);

} // namespace rankscope
