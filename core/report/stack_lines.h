// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks of a tree as a list, sorted by their frames as texts, as all files list them. What weighs
// nothing is left out. O(stacks · depth · log).
#pragma once

#include "core/analysis/stacks/job_stacks.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace rankscope {

struct StackLine {
  std::vector<std::uint32_t> places; // ranks, threads and steps: the outermost frames
  std::vector<std::uint32_t> frames; // the others, outermost first
  std::int64_t weight = 0;
  std::int64_t count = 0;
  std::uint32_t node = 0; // of the tree
};

// Where a frame of Python is: "f.py", "12" and "g" of "f.py(12): g". Of other frames the function is all of
// it.
struct FramePlace {
  std::string_view file;
  std::string_view line;
  std::string_view function;
};
[[nodiscard]] FramePlace framePlaceOf(std::string_view frame);

[[nodiscard]] std::vector<StackLine> stackLines(const WeighedStacks& stacks);
// Those that end in a node that is wanted; without weights.
[[nodiscard]] std::vector<StackLine> stackLines(const StackTree& tree,
                                                const std::function<bool(std::uint32_t node)>& wanted);

} // namespace rankscope
