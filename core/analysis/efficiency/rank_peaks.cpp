// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/rank_peaks.h"

#include "core/analysis/hardware/device_peaks.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

// Multiprocessors of a whole device that can be cut into slices; 0 of others.
int wholeMultiprocessors(const DevicePeaks& peaks) {
  constexpr std::array<std::pair<std::string_view, int>, 13> kWhole{{{"A30", 56},
                                                                     {"A100 40GB", 108},
                                                                     {"A100 80GB", 108},
                                                                     {"A100 80GB PCIe", 108},
                                                                     {"A800 40GB", 108},
                                                                     {"A800 80GB", 108},
                                                                     {"H100", 132},
                                                                     {"H800", 132},
                                                                     {"H100 PCIe", 114},
                                                                     {"H100 NVL", 132},
                                                                     {"H200", 132},
                                                                     {"B200", 148},
                                                                     {"GB200", 148}}};
  const auto* const found = std::ranges::find(kWhole, peaks.name, &std::pair<std::string_view, int>::first);
  return found == kWhole.end() ? 0 : found->second;
}

void setFormats(RankPeaks& peaks, const DevicePeaks& device, double share) {
  const auto set = [&](NumberFormat format, double tflops) {
    peaks.tflops[static_cast<std::size_t>(format)] = tflops * share;
  };
  set(NumberFormat::Float32, device.fp32);
  set(NumberFormat::Tf32, device.tf32);
  set(NumberFormat::Float16, device.matrix16);
  // Emulated where the matrix units do not take it.
  set(NumberFormat::BFloat16, multipliesBfloat16(device.generation) ? device.matrix16 : device.fp32);
  set(NumberFormat::Float8, device.fp8);
  set(NumberFormat::Float4, device.fp4);
  set(NumberFormat::Int8, device.int8);
  peaks.gigabytes = device.memory * share;
}

// Of a device with work; where its number is none of those that have properties, what all of these are.
const DeviceProperties* deviceOf(const RankTrace& trace) {
  for (const int device : trace.devices) {
    if (const DeviceProperties* const properties = propertiesOf(trace, device)) return properties;
  }
  const std::vector<DeviceProperties>& all = trace.metadata.devices;
  const auto isLikeFirst = [&](const DeviceProperties& device) {
    return device.name == all.front().name && device.multiprocessors == all.front().multiprocessors &&
           device.totalMemoryBytes == all.front().totalMemoryBytes;
  };
  return !all.empty() && std::ranges::all_of(all, isLikeFirst) ? &all.front() : nullptr;
}

// Without multiprocessors nothing but the name identifies it.
bool isKnownByName(DeviceProperties device) {
  device.multiprocessors = 0;
  return devicePeaks(device).has_value();
}

} // namespace

RankPeaks rankPeaks(const RankTrace& trace, const GivenPeaks& given) {
  RankPeaks peaks;
  if (const DeviceProperties* const device = deviceOf(trace)) {
    peaks.multiprocessors = device->multiprocessors;
    if (const std::optional<DevicePeaks> known = devicePeaks(*device)) {
      const int whole = wholeMultiprocessors(*known);
      const bool isSlice = device->name.find("MIG ") != std::string::npos && device->multiprocessors > 0 &&
                           device->multiprocessors < whole;
      setFormats(peaks, *known, isSlice ? static_cast<double>(device->multiprocessors) / whole : 1);
      peaks.from = known->name;
      if (!isKnownByName(*device)) peaks.from += " by its SMs and memory";
      if (isSlice) {
        peaks.from += ", ";
        peaks.from += std::to_string(device->multiprocessors);
        peaks.from += " of ";
        peaks.from += std::to_string(whole);
        peaks.from += " SMs";
      }
    }
  }
  if (given.tflops) {
    peaks.tflops.fill(*given.tflops);
    peaks.from = "given";
  }
  if (given.gigabytes) peaks.gigabytes = *given.gigabytes;
  return peaks;
}

} // namespace rankscope
