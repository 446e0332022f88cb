// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's device can do at best, by number format: from the table of devices, from what identifies a
// device without a telling name, less for a slice of a device (MIG), or as the user says. Nominal, at boost
// clock. What is not known is empty, never a guess.
#pragma once

#include "core/analysis/classify/kernel_dtype.h"
#include "core/model/rank_trace.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace rankscope {

inline constexpr std::size_t kNumberFormatCount = 9;

// What the user says that the device can do.
struct GivenPeaks {
  std::optional<double> tflops;    // of every format
  std::optional<double> gigabytes; // 10^9 bytes a second of its memory

  bool operator==(const GivenPeaks&) const = default;
};

struct RankPeaks {
  std::array<double, kNumberFormatCount> tflops{}; // by NumberFormat; 0 not known
  double gigabytes = 0;                            // 10^9 bytes a second; 0 not known
  // "H100", "given", "A100 80GB, 14 of 108 SMs", "MI300X by its SMs and memory"; empty unknown.
  std::string from;
  int multiprocessors = 0; // of the device, or of its slice

  // 10^12 operations a second; 0 not known.
  [[nodiscard]] double of(NumberFormat format) const { return tflops[static_cast<std::size_t>(format)]; }
  [[nodiscard]] bool known() const { return !from.empty(); }
};

// Of the first device that the recording has work on.
[[nodiscard]] RankPeaks rankPeaks(const RankTrace& trace, const GivenPeaks& given = {});

} // namespace rankscope
