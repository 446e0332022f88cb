// SPDX-License-Identifier: GPL-3.0-or-later
// A time range in which a device or stream was idle, and the possible causes. Plain data.
#pragma once

#include "core/base/strong_index.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

// In the order in which they are tested. With the first six, the device waited for the host.
enum class GapCause : std::uint8_t {
  DataLoader,       // the host was waiting for the next batch
  Synchronization,  // the host had waited for the device, so nothing was queued
  MemoryAllocation, // the host was in cudaMalloc, cudaFree or the like
  Python,           // the host was in Python, between operators
  HostOperators,    // the host was in operators or runtime calls
  Untraced,         // the host was between operators, with nothing recorded
  Dependency,       // launched in time, but waiting for work on another stream
  CollectiveWait,   // launched in time, but waiting for a collective, that is, for the last rank
  LaunchLatency,    // launched in time; a short gap, as between any two kernels
  NotRecorded,      // launched in time or launch unknown; cause unknown
};

inline constexpr std::size_t kGapCauseCount = static_cast<std::size_t>(GapCause::NotRecorded) + 1;

// Words of the table: "dataloader", "synchronization", "memory_allocation", ...
[[nodiscard]] std::string_view gapCauseText(GapCause cause);
// A sentence for the user.
[[nodiscard]] std::string_view gapCauseSentence(GapCause cause);

// Shorter gaps are only summed, not listed.
inline constexpr TimeNs kMinGap = 5'000;
// Maximum length of a gap with the cause LaunchLatency (the kernel was launched in time); HTA's default.
inline constexpr TimeNs kLaunchLatency = 30'000;
// Time that a host may need to launch again after it has waited for the device.
inline constexpr TimeNs kRestart = 100'000;
// A kernel may have waited for work that ended this long before it began: an event between streams costs
// about 3 us on NVIDIA devices and up to 20 us on AMD.
inline constexpr TimeNs kEventLatency = 30'000;

struct IdleGap {
  TimeRange range;
  int device = -1;
  std::optional<std::int64_t> stream; // empty: all streams of the device were idle
  GapCause cause = GapCause::NotRecorded;
  EventIndex hostEvent;            // call, operator, annotation or frame with most of the gap; may be invalid
  TrackIndex thread;               // a track of the host thread of hostEvent or of the launch; may be invalid
  EventIndex next;                 // device event that ended the gap
  EventIndex launch;               // its launch; may be invalid
  EventIndex waitedFor;            // for Dependency and CollectiveWait: the device event
  std::optional<std::size_t> step; // index of the step in which the gap begins, in the whole recording
};

} // namespace rankscope
