// SPDX-License-Identifier: GPL-3.0-or-later
// Filters of stacks by their frames, with the words and prefixes of Perfetto: only stacks with a frame (SS),
// only those without it (HS), stacks from a frame on (SFF), and frames that count to their callers (HF). A
// filtered tree is a new tree that knows where each node went. Pure; O(nodes · filters).
#pragma once

#include "core/analysis/stacks/stack_tree.h"
#include "core/base/text_pattern.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// What a search for frames finds: a part of the text, ignoring case, or "/expression/". An expression that is
// wrong finds nothing.
class FrameMatcher {
 public:
  explicit FrameMatcher(std::string_view words);
  [[nodiscard]] bool operator()(std::string_view frame) const;

 private:
  enum class Kind : std::uint8_t { Part, Expression, Nothing };
  Kind m_kind = Kind::Part;
  std::string m_part;
  TextPattern m_expression;
};

enum class StackFilterKind : std::uint8_t { ShowStack, HideStack, ShowFrom, HideFrame };

struct StackFilter {
  StackFilterKind kind = StackFilterKind::ShowStack;
  std::string words;  // as of a search
  bool whole = false; // the words are all of a frame

  bool operator==(const StackFilter&) const = default;
};

// "SS: attention"; nothing for texts without a prefix or words.
[[nodiscard]] std::optional<StackFilter> stackFilterOf(std::string_view text);

struct FilteredStacks {
  StackTree tree;
  std::vector<std::uint32_t> nodeOf; // by node of the tree that was filtered; the root: left out
};
// One after the other.
[[nodiscard]] FilteredStacks filtered(const StackTree& tree, std::span<const StackFilter> filters);
// By node of the filtered tree.
[[nodiscard]] StackSums filteredSums(const FilteredStacks& filtered, const StackSums& sums);

} // namespace rankscope
