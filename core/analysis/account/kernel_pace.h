// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's kernels of one kind take: a distribution, because one name and grid may be several sizes.
// Plain data; clock_ratios.h compares ranks by it. One pass over the kernels of a rank, and one over its file
// where shapes are asked for.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/kernels/kernel_kind.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rankscope {

inline constexpr std::array<std::size_t, 5> kPacePercents{10, 25, 50, 75, 90};

struct KernelPace {
  KernelKind kind;
  // Of the inputs of the operators that launched them in one step, which are the same where ranks do the same
  // work. 0 if they were not recorded or not read.
  std::uint64_t shapes = 0;
  std::int64_t calls = 0;
  std::array<double, kPacePercents.size()> durations{}; // percentiles

  [[nodiscard]] double median() const { return durations[kPacePercents.size() / 2]; }
  [[nodiscard]] double total() const { return median() * static_cast<double>(calls); }
};

// Kernels of at least 50 us without communication beside them, twenty of a kind at least; by name, blocks and
// occupancy.
[[nodiscard]] std::vector<KernelPace> kernelPaces(const Analysis& analysis, RankIndex rank);

// Fills in `shapes` from the rank's file.
void readPaceShapes(const Analysis& analysis, RankIndex rank, std::vector<KernelPace>& paces);

} // namespace rankscope
