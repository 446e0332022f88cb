// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/load_forecast.h"

#include "core/base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace rankscope {

namespace {

// Text takes more memory than its data, and compresses to a thirtieth at best.
constexpr std::uint64_t kBestPacking = 30;

std::uint64_t bytesOf(std::span<const DiscoveredFile> files) {
  std::uint64_t bytes = 0;
  for (const DiscoveredFile& file : files) bytes += file.bytes;
  return bytes;
}

std::vector<std::string> pathsOf(std::span<const DiscoveredFile> files) {
  std::vector<std::string> paths;
  for (const DiscoveredFile& file : files) paths.push_back(file.path);
  return paths;
}

// Those that have events: other JSON may lie beside traces.
std::size_t tracesAmong(std::span<const std::string> paths, unsigned threadCount) {
  std::atomic<std::size_t> traces = 0;
  parallelFor(paths.size(), threadCount, [&](std::size_t i) {
    if (estimateLoad(paths.subspan(i, 1), {}, 1).events > 0) ++traces;
  });
  return traces;
}

} // namespace

std::uint64_t memoryReserve(std::uint64_t available) {
  constexpr std::uint64_t kUsual = std::uint64_t{512} << 20;
  return std::min(available / 4, std::max(available / 10, kUsual));
}

LoadFilter LoadForecast::fitting(LoadFilter filter) const {
  if (fits(filter)) return filter;
  filter.skipPython = true;
  if (!fits(filter)) filter.skipCpuOps = true;
  return filter;
}

LoadForecast forecastLoad(std::span<const DiscoveredFile> files, unsigned threadCount,
                          std::uint64_t available) {
  const std::vector<std::string> paths = pathsOf(files);
  LoadForecast forecast{tracesAmong(paths, threadCount), bytesOf(files), available, {}};
  for (std::size_t i = 0; i < forecast.estimates.size(); ++i) {
    const LoadFilter filter{(i & 1U) != 0, (i & 2U) != 0, {}};
    forecast.estimates[i] = estimateLoad(paths, filter, threadCount);
  }
  return forecast;
}

std::optional<LoadForecast> forecastShortage(std::span<const DiscoveredFile> files, const LoadFilter& filter,
                                             unsigned threadCount, std::uint64_t available) {
  const std::uint64_t space = available - memoryReserve(available);
  if (filter.steps || bytesOf(files) < space / kBestPacking) return std::nullopt;
  if (estimateLoad(pathsOf(files), filter, threadCount).peakBytes <= space) return std::nullopt;
  return forecastLoad(files, threadCount, available);
}

} // namespace rankscope
