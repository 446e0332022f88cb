// SPDX-License-Identifier: GPL-3.0-or-later
// Device time by kernel name: one entry per name and class of device activity, over all streams and devices.
// Times are sums of durations (concurrent calls count twice), unlike DeviceActivity. One pass over device
// events.
#pragma once

#include "core/base/exact_sum.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

enum class DeviceClass : std::uint8_t { Compute, Communication, Memory };

// REQUIRES: isDeviceActivity(kind).
[[nodiscard]] DeviceClass deviceClassOf(EventKind kind);
// "compute", "communication", "memory", as in the tables.
[[nodiscard]] std::string_view deviceClassText(DeviceClass deviceClass);

struct KernelStatistics {
  NameId name;
  DeviceClass deviceClass = DeviceClass::Compute;
  std::int64_t calls = 0;
  ExactSum total;
  TimeNs min = 0;
  TimeNs max = 0;
  double meanNs = 0;
  // Sample standard deviation (divided by calls - 1), as in pandas and HTA; empty for a single call.
  std::optional<double> stddevNs;
  // Weighted by duration over calls with a valid value (not negative, finite). 0 is valid, because small
  // grids round to it. Unweighted if the total duration is 0.
  std::optional<double> blocksPerSm;
  std::optional<double> occupancyPct;
};

// Sorted by total descending, then by name and class. Only calls that begin in the window count.
[[nodiscard]] std::vector<KernelStatistics> kernelStatistics(const RankTrace& trace, const StringTable& names,
                                                             TimeRange window = kAllTime);

struct WindowOfTrace {
  const RankTrace* trace; // never null
  TimeRange window;
};
// Over the calls of several recordings.
[[nodiscard]] std::vector<KernelStatistics> kernelStatistics(std::span<const WindowOfTrace> parts,
                                                             const StringTable& names);

// Splits calls of a name by a number per device event, for example for the launching operator or for the
// shape. Entries of a name and class add up to those of KernelStatistics.
struct DetailedWindow {
  const RankTrace* trace; // never null
  TimeRange window;
  // By device event; equal details have equal numbers in all parts. Empty: 0 for all events.
  std::span<const std::uint32_t> details = {};
};

struct DetailedKernel {
  KernelStatistics kernel;
  std::uint32_t detail = 0;
};

// Sorted by total descending, then by name, class and detail.
[[nodiscard]] std::vector<DetailedKernel> kernelStatisticsByDetail(std::span<const DetailedWindow> parts,
                                                                   const StringTable& names);

} // namespace rankscope
