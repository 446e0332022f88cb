// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_sample.h"

#include "core/io/kineto/event_reader.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kSampleBytes = std::size_t{256} << 10;
constexpr std::size_t kSamples = 8;
constexpr std::size_t kFrontBytes = std::size_t{2} << 20;

// Counts the events between the first and the last boundary in the text, and the size of their text.
void addStretch(std::string_view text, const EventFilter& filter, FileSample& sample) {
  const EventBoundary boundary;
  const char* const end = text.data() + text.size();
  const char* const first = boundary.find(text.data(), text.data(), end);
  if (first == end) return;
  ReaderTables tables;
  EventReader reader(tables, filter);
  const auto length = static_cast<std::size_t>(end - first);
  const SliceReading reading = reader.readCarefully({first, length}, 0, 0, false, boundary);
  const SliceEvents& slice = reading.events;
  sample.textBytes += static_cast<double>(reading.unfinishedAt.value_or(length));
  sample.entries += static_cast<double>(slice.objects);
  sample.events += static_cast<double>(slice.events.size());
  sample.deviceEvents += static_cast<double>(slice.device.size());
  sample.memoryEvents += static_cast<double>(slice.memory.size());
  sample.flows += static_cast<double>(slice.flows.size());
}

// Size of the decompressed text: the size in the last member's trailer has 32 bits; the compression ratio of
// the beginning determines the higher bits.
double inflatedBytes(std::span<const char> packed, double frontText, double frontPacked) {
  const double guess = static_cast<double>(packed.size()) * frontText / std::max(frontPacked, 1.0);
  if (packed.size() < 4) return guess;
  std::uint32_t reported = 0;
  std::memcpy(&reported, packed.data() + packed.size() - 4, sizeof reported);
  constexpr double kWrap = 4294967296.0;
  double bytes = reported;
  while (bytes + kWrap / 2 < guess) bytes += kWrap;
  return bytes;
}

// Scales a sample to the size of the whole text.
FileSample scaled(FileSample sample, double textBytes) {
  const double times = sample.textBytes == 0 ? 0 : textBytes / sample.textBytes;
  sample.textBytes = textBytes;
  for (double* const count :
       {&sample.entries, &sample.events, &sample.deviceEvents, &sample.memoryEvents, &sample.flows})
    *count *= times;
  return sample;
}

FileSample sampledFront(std::span<const char> packed, const EventFilter& filter) {
  FileSample sample;
  std::vector<char> front(kFrontBytes);
  Inflater inflater(packed);
  front.resize(inflater.read(front));
  addStretch({front.data(), front.size()}, filter, sample);
  const auto bytes = static_cast<double>(front.size());
  sample.fromFrontOnly = front.size() == kFrontBytes;
  return scaled(sample,
                sample.fromFrontOnly
                    ? inflatedBytes(packed, bytes, static_cast<double>(inflater.compressedBytesRead()))
                    : bytes);
}

} // namespace

FileSample sampledEvents(const FileBytes& file, const EventFilter& filter) {
  const std::span<const char> bytes = file.bytes();
  if (file.compressed()) return sampledFront(bytes, filter);
  FileSample sample;
  const std::size_t samples = std::clamp<std::size_t>(bytes.size() / kSampleBytes, 1, kSamples);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t at = bytes.size() / samples * i;
    addStretch({bytes.data() + at, std::min(kSampleBytes, bytes.size() - at)}, filter, sample);
  }
  return scaled(sample, static_cast<double>(bytes.size()));
}

} // namespace rankscope
