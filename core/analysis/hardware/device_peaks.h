// SPDX-License-Identifier: GPL-3.0-or-later
// What a device can do at best, from the properties that the recording has of it: dense rates by number
// format, bandwidth of its memory, what its matrix units take. Nominal rates at boost clock. A name that says
// nothing is identified by its multiprocessors and its memory. What is not known is empty, never a
// guess. Constant data; a pass over some 50 names a question.
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

// "Volta", "CDNA 3", ...; empty of Unknown.
[[nodiscard]] std::string_view generationText(DeviceGeneration generation);

// By the device's name, or its compute capability.
[[nodiscard]] DeviceGeneration generationOf(const DeviceProperties& device);

// What the matrix units of a generation multiply beside 16-bit floats.
[[nodiscard]] bool hasMatrixUnits(DeviceGeneration generation);
[[nodiscard]] bool multipliesBfloat16(DeviceGeneration generation); // fast, not emulated
[[nodiscard]] bool multipliesTf32(DeviceGeneration generation);
[[nodiscard]] bool isAmd(DeviceGeneration generation);

// Of operations a product and a sum are two. 0: not known, or it cannot.
struct DevicePeaks {
  std::string_view name; // as makers write it, "H100 PCIe"
  DeviceGeneration generation = DeviceGeneration::Unknown;
  double matrix16 = 0; // 10^12 operations a second on 16-bit floats, summed in 32 bits
  double tf32 = 0;
  double fp8 = 0;
  double fp32 = 0; // without matrix units
  double int8 = 0;
  double memory = 0; // 10^9 bytes a second
};

[[nodiscard]] std::optional<DevicePeaks> devicePeaks(const DeviceProperties& device);

// The properties of a device of the recording; null when they were not recorded. A recording without numbers
// of devices has one.
[[nodiscard]] const DeviceProperties* propertiesOf(const RankTrace& trace, int device);

} // namespace rankscope
