// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's devices spent their time on, by name: one entry per name and class of device activity, over
// all streams and devices. Times are sums of durations here (a name's calls on two
// streams at once count twice), unlike DeviceActivity. One pass over the device events.
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
// "compute", "communication", "memory": the words of the tables.
[[nodiscard]] std::string_view deviceClassText(DeviceClass deviceClass);

struct KernelStatistics {
  NameId name;
  DeviceClass deviceClass = DeviceClass::Compute;
  std::int64_t calls = 0;
  ExactSum total;
  TimeNs min = 0;
  TimeNs max = 0;
  double meanNs = 0;
  // Of the sample (divided by calls - 1), as pandas and so HTA do; not known for a single call.
  std::optional<double> stddevNs;
  // Weighted by duration over the calls that report them (not negative, finite); 0 counts as reported,
  // because a small grid rounds to it. Unweighted when those calls took no time at all.
  std::optional<double> blocksPerSm;
  std::optional<double> occupancyPct;
};

// By total, largest first; then by name and class. Only calls that begin in the window count.
[[nodiscard]] std::vector<KernelStatistics> kernelStatistics(const RankTrace& trace, const StringTable& names,
                                                             TimeRange window = kAllTime);

struct WindowOfTrace {
  const RankTrace* trace; // never null
  TimeRange window;
};
// The calls of several recordings together.
[[nodiscard]] std::vector<KernelStatistics> kernelStatistics(std::span<const WindowOfTrace> parts,
                                                             const StringTable& names);

// Calls that are distinguished by more than their name: by a number of each device event, which says what
// launched it, or in which shape. Entries of a name and class sum to that of KernelStatistics.
struct DetailedWindow {
  const RankTrace* trace; // never null
  TimeRange window;
  // By device event, the same number in all parts for what is the same; empty: 0 for all.
  std::span<const std::uint32_t> details = {};
};

struct DetailedKernel {
  KernelStatistics kernel;
  std::uint32_t detail = 0;
};

// By total, largest first; then by name, class and detail.
[[nodiscard]] std::vector<DetailedKernel> kernelStatisticsByDetail(std::span<const DetailedWindow> parts,
                                                                   const StringTable& names);

} // namespace rankscope
