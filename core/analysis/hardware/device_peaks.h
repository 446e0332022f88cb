// SPDX-License-Identifier: GPL-3.0-or-later
// Peak rates of a device, derived from its recorded properties: dense rates by number format, memory
// bandwidth, and support of its matrix units. Nominal rates at boost clock. If the name is not informative,
// the device is identified by its number of multiprocessors and its memory. Unknown values are empty, never
// guessed. Constant data; a lookup compares about 50 names.
#pragma once

#include "core/model/rank_trace.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

enum class DeviceGeneration : std::uint8_t {
  Unknown,
  Pascal,
  Volta,
  Turing,
  Ampere,
  Ada,
  Hopper,
  Blackwell,
  Cdna1, // MI100
  Cdna2, // MI200
  Cdna3, // MI300
  Cdna4, // MI350
  Gaudi,
  XeHpc, // Data Center GPU Max
  Mtia,
};

// "Volta", "CDNA 3", ...; empty for Unknown.
[[nodiscard]] std::string_view generationText(DeviceGeneration generation);

// From the device's name, or from its compute capability.
[[nodiscard]] DeviceGeneration generationOf(const DeviceProperties& device);

// Number formats of the matrix units of a generation, besides 16-bit floats.
[[nodiscard]] bool hasMatrixUnits(DeviceGeneration generation);
[[nodiscard]] bool multipliesBfloat16(DeviceGeneration generation); // natively, not emulated
[[nodiscard]] bool multipliesTf32(DeviceGeneration generation);
[[nodiscard]] bool isAmd(DeviceGeneration generation);

// A multiply-add counts as two operations. 0: unknown or not supported.
struct DevicePeaks {
  std::string_view name; // as used by the vendor, "H100 PCIe"
  DeviceGeneration generation = DeviceGeneration::Unknown;
  double matrix16 = 0; // 10^12 operations per second on 16-bit floats, accumulated in 32 bits
  double tf32 = 0;
  double fp8 = 0;
  double fp32 = 0; // without matrix units
  double int8 = 0;
  double memory = 0; // 10^9 bytes per second
  double fp4 = 0;
};

[[nodiscard]] std::optional<DevicePeaks> devicePeaks(const DeviceProperties& device);

// Properties of a device; null if not recorded. If the recording has no device numbers, it has one device.
[[nodiscard]] const DeviceProperties* propertiesOf(const RankTrace& trace, int device);

} // namespace rankscope
