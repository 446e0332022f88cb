// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/load_estimate.h"

#include "core/base/parallel_for.h"
#include "core/io/kineto/event_reader.h"
#include "core/io/kineto/event_slicer.h"
#include "core/model/rank_trace.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

// What one event keeps for good, in columns and pyramids, and what it needs until it has its row.
constexpr double kColumns = sizeof(TimeNs) * 2 + sizeof(NameId) + sizeof(EventKind) + sizeof(std::uint32_t) +
                            sizeof(SourceRef) + 0.77;
constexpr double kWaiting = sizeof(RawEvent);
constexpr double kDevice = sizeof(DeviceDetail) + sizeof(EventIndex);

constexpr std::size_t kSampleBytes = std::size_t{256} << 10;
constexpr std::size_t kSamples = 8;
constexpr std::size_t kFrontBytes = std::size_t{2} << 20;

// Of the text that was looked at.
struct Sample {
  double bytes = 0;
  double events = 0;
  double kept = 0; // bytes of memory
  double peak = 0; // more than `kept` while the file is being loaded

  void add(const SliceEvents& slice, std::size_t textBytes) {
    bytes += static_cast<double>(textBytes);
    events += static_cast<double>(slice.events.size());
    kept += kColumns * static_cast<double>(slice.events.size()) +
            kDevice * static_cast<double>(slice.device.size()) +
            static_cast<double>(sizeof(MemoryEvent) * slice.memory.size());
    peak +=
        kWaiting * static_cast<double>(slice.events.size()) +
        static_cast<double>(sizeof(RawDevice) * slice.device.size() + sizeof(RawFlow) * slice.flows.size());
  }
};

// The events between the first and the last place of the text where one may begin.
void addStretch(std::string_view text, const EventFilter& filter, Sample& sample) {
  const EventBoundary boundary;
  const char* const end = text.data() + text.size();
  const char* const first = boundary.find(text.data(), text.data(), end);
  if (first == end) return;
  ReaderTables tables;
  EventReader reader(tables, filter);
  const auto length = static_cast<std::size_t>(end - first);
  const SliceReading reading = reader.readCarefully({first, length}, 0, 0, false, boundary);
  sample.add(reading.events, reading.unfinishedAt ? static_cast<std::size_t>(*reading.unfinishedAt) : length);
}

// Bytes of the inflated text: what the last member says of itself, corrected for what does not fit into its
// 32 bits by the rate at which the front was packed.
double inflatedBytes(std::span<const char> packed, double frontText, double frontPacked) {
  const double guess = static_cast<double>(packed.size()) * frontText / std::max(frontPacked, 1.0);
  if (packed.size() < 4) return guess;
  std::uint32_t told = 0;
  std::memcpy(&told, packed.data() + packed.size() - 4, sizeof told);
  constexpr double kWrap = 4294967296.0;
  double bytes = told;
  while (bytes + kWrap / 2 < guess) bytes += kWrap;
  return bytes;
}

struct FileEstimate {
  double text = 0;
  double events = 0;
  double kept = 0;
  double peak = 0;
  bool front = false;
};

FileEstimate estimateFile(const std::string& path, const EventFilter& filter) {
  FileEstimate estimate;
  const auto file = FileBytes::open(path);
  if (!file) return estimate;
  Sample sample;
  const std::span<const char> bytes = file->bytes();
  if (file->compressed()) {
    std::vector<char> front(kFrontBytes);
    Inflater inflater(bytes);
    front.resize(inflater.read(front));
    addStretch({front.data(), front.size()}, filter, sample);
    estimate.front = front.size() == kFrontBytes;
    estimate.text = estimate.front ? inflatedBytes(bytes, static_cast<double>(front.size()),
                                                   static_cast<double>(inflater.compressedBytesRead()))
                                   : static_cast<double>(front.size());
  } else {
    estimate.text = static_cast<double>(bytes.size());
    const std::size_t samples = std::clamp<std::size_t>(bytes.size() / kSampleBytes, 1, kSamples);
    for (std::size_t i = 0; i < samples; ++i) {
      const std::size_t at = bytes.size() / samples * i;
      addStretch({bytes.data() + at, std::min(kSampleBytes, bytes.size() - at)}, filter, sample);
    }
  }
  if (sample.bytes == 0) return estimate;
  const double times = estimate.text / sample.bytes;
  estimate.events = sample.events * times;
  estimate.kept = sample.kept * times;
  estimate.peak = sample.peak * times;
  return estimate;
}

// The number behind a field of a file of the system; nothing when it is not there or no number.
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
  const EventFilter events{filter.skipPython, filter.skipCpuOps, {}};
  std::vector<FileEstimate> estimates(files.size());
  parallelFor(files.size(), threadCount,
              [&](std::size_t i) { estimates[i] = estimateFile(files[i], events); });
  LoadEstimate all;
  double text = 0, count = 0, kept = 0, loading = 0;
  for (const FileEstimate& file : estimates) {
    text += file.text;
    count += file.events;
    kept += file.kept;
    all.fromFrontOnly = all.fromFrontOnly || file.front;
  }
  // The largest of those that are loaded at the same time need their extra at once.
  std::ranges::sort(estimates, std::greater<>{}, &FileEstimate::peak);
  for (std::size_t i = 0; i < std::min<std::size_t>(estimates.size(), std::max(1U, threadCount)); ++i)
    loading += estimates[i].peak;
  all.jsonBytes = static_cast<std::uint64_t>(text);
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
