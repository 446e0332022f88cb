// SPDX-License-Identifier: GPL-3.0-or-later
// What would make a matrix product faster, from its shape, its number format and the tile of its kernel: the
// tile is in the names of CUTLASS, cuBLAS, Triton and Tensile kernels. Pure.
#pragma once

#include "core/analysis/efficiency/flop_points.h"

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

// Blocks of the product over the device's multiprocessors; nothing when tile or device are not known.
[[nodiscard]] std::optional<double> wavesOf(const FlopWork& work, const KernelTile& tile,
                                            int multiprocessors);

// Numbers that a shape's sides should be multiples of: 8 of 16-bit formats, 16 of 8-bit ones, 4 of TF32.
[[nodiscard]] std::int64_t alignmentOf(NumberFormat format);

// One short sentence; empty when nothing stands out. REQUIRES: point.work is a product.
[[nodiscard]] std::string gemmAdvice(const FlopPoint& point, const RankPeaks& peaks,
                                     std::optional<double> waves);

} // namespace rankscope
