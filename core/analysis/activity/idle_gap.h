// SPDX-License-Identifier: GPL-3.0-or-later
// A time in which a device or one of its streams stood still, and the causes that there are. Plain data.
#pragma once

#include "core/base/strong_index.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

// In the order in which they are asked. The first six mean that the device waited for the host.
enum class GapCause : std::uint8_t {
  DataLoader,       // the host was waiting for the next batch
  Synchronization,  // the host had waited for the device, so nothing was queued
  MemoryAllocation, // the host was in cudaMalloc, cudaFree or the like
  Python,           // the host was in Python, between operators
  HostOperators,    // the host was in operators or runtime calls
  Untraced,         // the host was between operators, and what it did was not recorded
  Dependency,       // launched in time, but waiting for work of another stream
  CollectiveWait,   // launched in time, but waiting for a collective, and so for the latest rank
  LaunchLatency,    // launched in time; a short gap, as between any two launches
  NotRecorded,      // launched in time or with an unknown launch; cause unknown
};

inline constexpr std::size_t kGapCauseCount = static_cast<std::size_t>(GapCause::NotRecorded) + 1;

// "dataloader", "synchronization", "memory_allocation", ...: the words of the table.
[[nodiscard]] std::string_view gapCauseText(GapCause cause);
// A sentence for people.
[[nodiscard]] std::string_view gapCauseSentence(GapCause cause);

// Shorter gaps are not listed, as many as there are.
inline constexpr TimeNs kMinGap = 5'000;
// A gap of a kernel that was launched in time needs no reason up to here; HTA's default.
inline constexpr TimeNs kLaunchLatency = 30'000;
// Until here a host that had waited for the device is still returning to launching.
inline constexpr TimeNs kRestart = 100'000;
// What ended this long before a kernel began may be what the kernel waited for: an event between streams
// costs about 3 us on NVIDIA's devices and up to 20 on AMD's.
inline constexpr TimeNs kEventLatency = 30'000;

struct IdleGap {
  TimeRange range;
  int device = -1;
  std::optional<std::int64_t> stream; // empty: all streams of the device stood still
  GapCause cause = GapCause::NotRecorded;
  EventIndex hostEvent; // the call, operator, annotation or frame that took most of the gap; may be invalid
  TrackIndex thread;    // a track of the host thread that hostEvent or the launch is on; may be invalid
  EventIndex next;      // the device event that ended the gap
  EventIndex launch;    // its launch; may be invalid
  EventIndex waitedFor; // of Dependency and CollectiveWait: the device event
  std::optional<std::size_t> step; // position of the step in which the gap begins, in the whole recording
};

} // namespace rankscope
