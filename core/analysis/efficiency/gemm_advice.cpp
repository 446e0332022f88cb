// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/gemm_advice.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace rankscope {

namespace {

// A product with fewer rows does not fill a tile of a large GEMM.
constexpr std::int64_t kThin = 128;
// Above so many waves the last one weighs little.
constexpr double kManyWaves = 4;
constexpr double kGoodPct = 70;
constexpr double kNearRoofPct = 30;
// Of the SMs: what a larger batch could fill beside them is little.
constexpr double kNearlyFull = 0.9;
// Matrix units take nothing smaller.
constexpr std::int64_t kSmallest = 16;

// The number at `at`, which is moved behind it; 0 when there is none.
std::int64_t takeNumber(std::string_view text, std::size_t& at) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  at = static_cast<std::size_t>(end - text.data());
  return value;
}

bool isTileSide(std::int64_t side) {
  return side >= 8 && side <= 512 && side % 8 == 0;
}

std::int64_t paddedTo(std::int64_t side, std::int64_t multiple) {
  return (side + multiple - 1) / multiple * multiple;
}

// Of the result of all products of a call; 0 when not known.
double tilesOf(const FlopWork& work, const KernelTile& tile) {
  if (tile.m <= 0 || tile.n <= 0 || work.m <= 0 || work.n <= 0) return 0;
  return std::ceil(static_cast<double>(work.m) / static_cast<double>(tile.m)) *
         std::ceil(static_cast<double>(work.n) / static_cast<double>(tile.n)) *
         static_cast<double>(std::max<std::int64_t>(work.batch, 1));
}

std::string paddingAdvice(const FlopWork& work) {
  const std::int64_t multiple = alignmentOf(work.format);
  if (multiple <= 1) return {};
  std::string sides;
  const auto add = [&](char side, std::int64_t extent) {
    if (extent % multiple == 0) return;
    if (!sides.empty()) sides += ", ";
    sides += fmt::format("{} {} to {}", side, extent, paddedTo(extent, multiple));
  };
  // An unaligned M only costs the last tile.
  add('N', work.n);
  add('K', work.k);
  return sides.empty() ? sides : "pad " + sides;
}

} // namespace

std::optional<KernelTile> tileOfKernel(std::string_view kernel) {
  // The first pair "AxB" of sizes that tiles have; instructions ("16x8x16") come with smaller sides.
  std::optional<KernelTile> best;
  for (std::size_t at = 0; at < kernel.size(); ++at) {
    if (kernel[at] < '0' || kernel[at] > '9') continue;
    const std::int64_t m = takeNumber(kernel, at);
    if (at >= kernel.size() || kernel[at] != 'x') continue;
    std::size_t behind = at + 1;
    const std::int64_t n = takeNumber(kernel, behind);
    if (isTileSide(m) && isTileSide(n) && m * n >= 256 && (!best || m * n > best->m * best->n)) best = {m, n};
    at = behind - 1;
  }
  return best;
}

std::optional<GemmWaves> wavesOf(const FlopWork& work, const std::optional<KernelTile>& tile,
                                 const std::optional<KernelGrid>& grid, int multiprocessors) {
  if (multiprocessors <= 0) return std::nullopt;
  if (!grid) {
    const double blocks = tile ? tilesOf(work, *tile) : 0;
    if (blocks <= 0) return std::nullopt;
    return GemmWaves{blocks / multiprocessors, blocks / multiprocessors, true, false};
  }
  GemmWaves waves;
  const auto blocks = static_cast<double>(grid->blocks);
  waves.filled = blocks / multiprocessors;
  waves.waves = waves.filled / std::max(1, grid->perMultiprocessor);
  if (!tile) return waves;
  // Names give the sides of a tile in the order of the library, of rows or of columns first.
  const auto [least, most] = std::minmax({tilesOf(work, *tile), tilesOf(work, {tile->n, tile->m})});
  waves.canSplit = blocks <= most;
  waves.persists = blocks < least;
  return waves;
}

std::int64_t alignmentOf(NumberFormat format) {
  switch (format) {
  case NumberFormat::Float16:
  case NumberFormat::BFloat16:
    return 8;
  case NumberFormat::Float8:
  case NumberFormat::Float4:
  case NumberFormat::Int8:
    return 16;
  case NumberFormat::Tf32:
    return 4;
  default:
    return 1;
  }
}

std::string gemmAdvice(const FlopPoint& point, const RankPeaks& peaks,
                       const std::optional<GemmWaves>& waves) {
  const FlopWork& work = point.work;
  if (point.peakPct.value_or(0) > 100) return whyAboveRoof(point, {});
  const bool isMatrix = std::min({work.m, work.n, work.k}) >= kSmallest;
  if (isMatrix && work.format == NumberFormat::Float32 &&
      peaks.of(NumberFormat::Float16) > 2 * peaks.of(NumberFormat::Float32))
    return peaks.of(NumberFormat::Tf32) > 0 ? "TF32 or bf16 for the matrix units"
                                            : "fp16 for the matrix units";
  if (std::string padding = isMatrix ? paddingAdvice(work) : std::string(); !padding.empty()) return padding;
  if (point.efficiencyPct.value_or(0) >= kGoodPct) return whyAboveRoof(point, {});
  if (point.bound == FlopBound::Memory && std::min(work.m, work.n) < kThin)
    return fmt::format("memory-bound: {} {} of {} rows would be free", work.m < work.n ? "M" : "N",
                       std::min(work.m, work.n), kThin);
  // Far below its roof something else than memory is what limits.
  if (point.bound == FlopBound::Memory && point.efficiencyPct.value_or(0) >= kNearRoofPct)
    return "memory-bound: fuse with its neighbors";
  if (waves && waves->filled < kNearlyFull && !waves->persists)
    return fmt::format("{:.0f} % of the SMs have a block: {}larger batch", 100 * waves->filled,
                       waves->canSplit ? "split K or " : "");
  const double count = waves ? waves->waves : 0;
  if (count > 1 && count < kManyWaves && std::ceil(count) / count > 1.2)
    return fmt::format("{:.1f} waves: the last leaves {:.0f} % of the SMs idle", count,
                       100 * (std::ceil(count) - count));
  if (std::min(work.m, work.n) < kThin)
    return fmt::format("{} of {} fills no tile: larger batch", work.m < work.n ? 'M' : 'N',
                       std::min(work.m, work.n));
  return {};
}

} // namespace rankscope
