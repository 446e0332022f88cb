// SPDX-License-Identifier: GPL-3.0-or-later
// Where the boxes of a flame graph lie: by depth and, along x, in units of the weight. What lies on a box is
// within it. Boxes of a row ascend and do not overlap, so what a picture needs of a row of a million is found
// pixel by pixel with binary searches. Pure functions; constant after they were made.
#pragma once

#include "core/analysis/stacks/job_stacks.h"
#include "core/analysis/stacks/stack_difference.h"
#include "core/analysis/stacks/stack_filter.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope::ui {

enum class FlameMode : std::uint8_t {
  Merged,     // equal stacks are one, the heaviest first
  TimeOrder,  // only neighbors in time are one
  BottomUp,   // leaves on top, their callers below
  Sandwich,   // one frame wherever it occurs: its callers above it, what it called below
  Difference, // merged stacks of this job and another, as wide as the heavier of both
};

struct FlameBox {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t node = 0;  // of the tree of the layout
  std::uint32_t frame = 0; // of the node: boxes lie in order, nodes do not
};

struct FlameLayout {
  StackTree tree;                          // a tree of its own, or that of the stacks
  std::vector<std::uint8_t> above;         // of Sandwich, by node: 1 for callers; they grow upward
  std::size_t middle = 0;                  // of Sandwich: the row of the frame; else of the outermost frames
  StackSums sums;                          // by node: its self weight; of turned trees what ends there
  StackSums totals;                        // by node
  StackSums totalsA;                       // of Difference: of this job, scaled to the other's steps
  StackSums totalsB;                       // of Difference: of the other job
  std::vector<std::vector<FlameBox>> rows; // by depth
  std::int64_t whole = 0;                  // width of everything

  [[nodiscard]] bool isDifference() const { return !totalsB.empty(); }
  // What a node weighs more in the other job. REQUIRES: isDifference().
  [[nodiscard]] std::int64_t change(std::uint32_t node) const {
    return std::int64_t{totalsB[node].weight} - std::int64_t{totalsA[node].weight};
  }
  // Whether a node is a caller of Sandwich: its stack is from the frame outward.
  [[nodiscard]] bool isAbove(std::uint32_t node) const { return node < above.size() && above[node] != 0; }
  // The row in which a node's boxes lie. REQUIRES: not the root.
  [[nodiscard]] std::size_t rowOf(std::uint32_t node) const;
  // The box of a row that contains a place; null when there is none. O(log n).
  [[nodiscard]] const FlameBox* boxAt(std::size_t row, std::int64_t place) const;
  // The first box of a row whose end is after a place.
  [[nodiscard]] std::size_t firstEndingAfter(std::size_t row, std::int64_t place) const;
};

// Stacks as they are shown: all of them, or what filters leave.
struct ShownStacks {
  std::shared_ptr<const JobStacks> stacks;
  StackTree tree;
  StackSums sums;                    // of the part, by node of the tree
  std::vector<std::uint32_t> nodeOf; // by node of the stacks; empty: the same
};
[[nodiscard]] ShownStacks shownStacks(std::shared_ptr<const JobStacks> stacks, StackSums sums,
                                      std::span<const StackFilter> filters);

// Only positive weights have a width. Windows of TimeOrder are those of the part. focus: the frame of
// Sandwich.
[[nodiscard]] FlameLayout flameLayout(const ShownStacks& shown, const Analysis& part, FlameMode mode,
                                      std::string_view focus = {});

// Equal stacks merged, of any tree. sums: by node.
[[nodiscard]] FlameLayout mergedLayout(StackTree tree, StackSums sums);

[[nodiscard]] FlameLayout differenceLayout(const StackDifference& difference);

// Visible pieces of a row at a scale: boxes at least a pixel wide, and runs of narrower ones as one piece.
struct FlamePiece {
  double begin = 0; // in pixels
  double end = 0;
  std::uint32_t node = 0; // of a run the first one
  std::uint32_t frame = 0;
  std::uint32_t boxes = 1;
};
// REQUIRES: unitsPerPixel > 0. O(pixels · log of the boxes in one).
[[nodiscard]] std::vector<FlamePiece> visiblePieces(const FlameLayout& layout, std::size_t row, double from,
                                                    double unitsPerPixel, double pixels);
// The same into a vector that is used again.
void visiblePieces(const FlameLayout& layout, std::size_t row, double from, double unitsPerPixel,
                   double pixels, std::vector<FlamePiece>& pieces);

} // namespace rankscope::ui
