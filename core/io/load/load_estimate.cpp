// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/load_estimate.h"

#include "core/base/parallel_for.h"
#include "core/io/files/file_bytes.h"
#include "core/io/load/trace_readers.h"
#include "core/io/reader/trace_reader.h"
#include "core/model/rank_trace.h"
#include "core/model/slice_events.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

// Memory of an event in columns and pyramids, and temporarily until it has a row.
constexpr double kColumns = sizeof(TimeNs) * 2 + sizeof(NameId) + sizeof(EventKind) + sizeof(std::uint32_t) +
                            sizeof(SourceRef) + 0.77;
constexpr double kWaiting = sizeof(RawEvent);
constexpr double kDevice = sizeof(DeviceDetail) + sizeof(EventIndex);

struct FileEstimate {
  double text = 0;
  double entries = 0;
  double events = 0;
  double kept = 0; // bytes of memory
  double peak = 0; // additional bytes while the file is being loaded
  bool front = false;
};

FileEstimate estimateFile(const std::string& path, const LoadFilter& filter) {
  const auto file = FileBytes::open(path);
  const TraceReader* const reader = file ? readerOf(*file) : nullptr;
  if (reader == nullptr) return {};
  const FileSample sample = reader->sample(*file, filter);
  return {sample.textBytes,
          sample.entries,
          sample.events,
          kColumns * sample.events + kDevice * sample.deviceEvents +
              sizeof(MemoryEvent) * sample.memoryEvents,
          kWaiting * sample.events + sizeof(RawDevice) * sample.deviceEvents + sizeof(RawFlow) * sample.flows,
          sample.fromFrontOnly};
}

// The number after a field in a /proc or cgroup file; empty if missing or invalid.
std::optional<std::uint64_t> numberIn(const char* path, std::string_view field) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(field)) continue;
    const std::size_t digit = line.find_first_of("0123456789", field.size());
    if (digit == std::string::npos) return std::nullopt;
    return std::stoull(line.substr(digit));
  }
  return std::nullopt;
}

} // namespace

LoadEstimate estimateLoad(std::span<const std::string> files, const LoadFilter& filter,
                          unsigned threadCount) {
  std::vector<FileEstimate> estimates(files.size());
  parallelFor(files.size(), threadCount,
              [&](std::size_t i) { estimates[i] = estimateFile(files[i], filter); });
  LoadEstimate all;
  double text = 0, entries = 0, count = 0, kept = 0, loading = 0;
  for (const FileEstimate& file : estimates) {
    text += file.text;
    entries += file.entries;
    count += file.events;
    kept += file.kept;
    all.fromFrontOnly = all.fromFrontOnly || file.front;
  }
  // The largest files that are loaded at the same time need their additional memory at once.
  std::ranges::sort(estimates, std::greater<>{}, &FileEstimate::peak);
  for (std::size_t i = 0; i < std::min<std::size_t>(estimates.size(), std::max(1U, threadCount)); ++i)
    loading += estimates[i].peak;
  all.textBytes = static_cast<std::uint64_t>(text);
  all.entries = static_cast<std::uint64_t>(entries);
  all.events = static_cast<std::uint64_t>(count);
  all.keptBytes = static_cast<std::uint64_t>(kept);
  all.peakBytes = static_cast<std::uint64_t>(kept + loading);
  return all;
}

std::uint64_t heldBytes(const TraceSet& traces) {
  if (traces.origin().cached) return 0;
  double bytes = 0;
  for (const RankEntry& rank : traces.ranks()) {
    bytes += kColumns * static_cast<double>(rank.trace->events.size()) +
             kDevice * static_cast<double>(rank.trace->deviceDetails.size()) +
             static_cast<double>(sizeof(MemoryEvent) * rank.trace->memory.size());
  }
  return static_cast<std::uint64_t>(bytes);
}

std::optional<std::uint64_t> availableMemory() {
  std::optional<std::uint64_t> available = numberIn("/proc/meminfo", "MemAvailable:");
  if (available) *available *= 1024;
  const auto limit = numberIn("/sys/fs/cgroup/memory.max", "");
  const auto used = numberIn("/sys/fs/cgroup/memory.current", "");
  if (limit && used) available = std::min(available.value_or(*limit), *limit - std::min(*limit, *used));
  return available;
}

} // namespace rankscope
