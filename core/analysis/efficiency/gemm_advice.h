// SPDX-License-Identifier: GPL-3.0-or-later
// What would make a matrix product faster, from its shape, its number format, the blocks that its kernel was
// launched with and its tile, which is in the names of CUTLASS, cuBLAS, Triton and Tensile kernels. Pure.
#pragma once

#include "core/analysis/efficiency/flop_points.h"
#include "core/analysis/efficiency/kernel_grid.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

struct KernelTile {
  std::int64_t m = 0;
  std::int64_t n = 0;
};

// "128x256" of "…_128x256_…", "MT256x192x64" or "tile128x128"; nothing where the name has none.
[[nodiscard]] std::optional<KernelTile> tileOfKernel(std::string_view kernel);

// How the blocks of a product fill the device.
struct GemmWaves {
  double waves = 0;      // blocks over those that run at once on the whole device
  double filled = 0;     // blocks over multiprocessors
  bool canSplit = false; // no more blocks than the result has tiles: K is not divided among them
  bool persists = false; // fewer blocks than tiles: each computes several, one after the other
};

// From the grid; without one, one block for each tile of the result, and one at once on a multiprocessor.
// Nothing when neither or the device is not known.
[[nodiscard]] std::optional<GemmWaves> wavesOf(const FlopWork& work, const std::optional<KernelTile>& tile,
                                               const std::optional<KernelGrid>& grid, int multiprocessors);

// Numbers that a shape's sides should be multiples of: 8 of 16-bit formats, 16 of 8-bit ones, 4 of TF32.
[[nodiscard]] std::int64_t alignmentOf(NumberFormat format);

// One short sentence, above the roof how that can be; empty when nothing stands out. REQUIRES: point.work is
// a product.
[[nodiscard]] std::string gemmAdvice(const FlopPoint& point, const RankPeaks& peaks,
                                     const std::optional<GemmWaves>& waves);

} // namespace rankscope
