// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/kernel_grid.h"

#include "core/analysis/hardware/device_peaks.h"
#include "core/analysis/operators/operator_inputs.h"
#include "core/model/detail_source.h"

#include <algorithm>
#include <cmath>

namespace rankscope {

namespace {

// More threads than a block of any device has: then the profiler wrote the threads of the whole grid.
constexpr std::int64_t kMostThreads = 1024;
constexpr double kMostBlocks = 1e15;

using Extents = std::vector<std::int64_t>;

std::optional<Extents> extentsIn(std::string_view text) {
  std::optional<Extents> extents = integersInText(text);
  if (!extents || extents->size() != 3) return std::nullopt;
  return std::ranges::all_of(*extents, [](std::int64_t extent) { return extent > 0; }) ? extents
                                                                                       : std::nullopt;
}

double volumeOf(const Extents& extents) {
  double volume = 1;
  for (const std::int64_t extent : extents) volume *= static_cast<double>(extent);
  return volume;
}

// Of NVIDIA's devices by compute capability; profilers write it of no other.
int threadsOfMultiprocessor(const DeviceProperties& device) {
  if (device.computeMajor == 7 && device.computeMinor == 5) return 1024;
  const bool isSmall = (device.computeMajor == 8 && device.computeMinor >= 6) || device.computeMajor == 12;
  return isSmall ? 1536 : 2048;
}

} // namespace

std::optional<LaunchedBlocks> launchedBlocks(std::string_view gridAndBlock, std::string_view launch) {
  const std::size_t end = gridAndBlock.find(']');
  const std::size_t second = end == std::string_view::npos ? end : gridAndBlock.find('[', end);
  if (second == std::string_view::npos || launch.empty()) return std::nullopt;
  std::optional<Extents> grid = extentsIn(gridAndBlock.substr(0, end + 1));
  const std::optional<Extents> block = extentsIn(gridAndBlock.substr(second));
  if (!grid || !block) return std::nullopt;
  const double threads = volumeOf(*block);
  const bool isWhole = threads > static_cast<double>(kMostThreads);
  // This call takes its grid in threads, as OpenCL does.
  if (!isWhole && launch == "hipExtModuleLaunchKernel")
    for (std::size_t i = 0; i < grid->size(); ++i) (*grid)[i] = ((*grid)[i] - 1) / (*block)[i] + 1;
  const double blocks = volumeOf(*grid);
  if (blocks > kMostBlocks) return std::nullopt;
  return LaunchedBlocks{static_cast<std::int64_t>(blocks), isWhole ? 0 : static_cast<std::int64_t>(threads)};
}

int blocksThatFit(double occupancyPct, std::int64_t threadsPerBlock, int threadsPerMultiprocessor) {
  if (!(occupancyPct > 0 && occupancyPct <= 100) || threadsPerBlock <= 0) return 1;
  // Written in whole percent.
  const double fit =
      (occupancyPct - 0.5) / 100 * threadsPerMultiprocessor / static_cast<double>(threadsPerBlock);
  return std::max(1, static_cast<int>(std::ceil(fit)));
}

std::map<EventIndex, KernelGrid> kernelGrids(const TraceSet& job, RankIndex rank,
                                             const std::vector<EventIndex>& kernels, int multiprocessors,
                                             const Progress* progress) {
  std::map<EventIndex, KernelGrid> grids;
  const RankEntry& entry = job.rank(rank);
  const RankTrace& trace = *entry.trace;
  std::vector<EventIndex> asked;
  for (const EventIndex kernel : kernels) {
    if (!kernel.valid() || !trace.isDeviceEvent(kernel)) continue;
    const DeviceDetail& detail = trace.deviceDetail(kernel);
    const double blocks = static_cast<double>(detail.blocksPerSm) * multiprocessors;
    const bool known = blocks > 0 && blocks < kMostBlocks;
    if (known) grids[kernel].blocks = std::max<std::int64_t>(1, std::llround(blocks));
    // Up to one block on each multiprocessor it does not matter how many fit.
    if (!known || (detail.blocksPerSm > 1 && detail.occupancyPct > 0)) asked.push_back(kernel);
  }
  const auto sourceOf = [&](EventIndex kernel) { return trace.events.source[kernel]; };
  std::ranges::sort(asked);
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  std::ranges::stable_sort(asked, {}, sourceOf);
  if (asked.empty() || entry.details == nullptr) return grids;
  std::vector<SourceRef> sources(asked.size());
  std::ranges::transform(asked, sources.begin(), sourceOf);
  const auto take = [&](std::size_t i, std::string_view text) {
    const DeviceDetail& detail = trace.deviceDetail(asked[i]);
    const std::string_view launch =
        detail.launch.valid() ? job.names()[trace.events.name[detail.launch]] : std::string_view();
    const auto known = grids.find(asked[i]);
    // What has blocks per multiprocessor counts its grid in blocks.
    const auto launched = launchedBlocks(text, known != grids.end() ? "cudaLaunchKernel" : launch);
    if (!launched) return;
    if (known == grids.end()) {
      grids[asked[i]].blocks = launched->blocks;
      return;
    }
    const DeviceProperties* const device = propertiesOf(trace, detail.device);
    if (device == nullptr || device->computeMajor < 7) return;
    known->second.perMultiprocessor = blocksThatFit(static_cast<double>(detail.occupancyPct),
                                                    launched->threads, threadsOfMultiprocessor(*device));
  };
  // What cannot be read stays unknown.
  (void)entry.details->arguments(sources, EventArgument::LaunchShape, take, progress);
  return grids;
}

} // namespace rankscope
