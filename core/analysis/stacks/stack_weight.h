// SPDX-License-Identifier: GPL-3.0-or-later
// What stacks may weigh, and how they are made. Plain data.
#pragma once

#include "core/analysis/stacks/frame_names.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

enum class StackWeight : std::uint8_t {
  HostSelf,
  Device,
  DeviceExclusive,
  Exposed,
  Idle,
  Wait,
  Bytes,
  NetBytes,
  Calls,
  Launches,
};

inline constexpr std::size_t kStackWeightCount = static_cast<std::size_t>(StackWeight::Launches) + 1;

// "host", "device", "device-exclusive", ...: the words of the command line.
[[nodiscard]] std::string_view stackWeightText(StackWeight weight);
[[nodiscard]] std::optional<StackWeight> stackWeightNamed(std::string_view text);
// What a weight counts: times in ns, bytes, or things.
enum class StackUnit : std::uint8_t { Nanoseconds, Bytes, Count };
[[nodiscard]] StackUnit unitOf(StackWeight weight);

struct StackOptions {
  FrameOptions frames;
  // Stacks of the backward pass begin with the module or frame that called the forward operator.
  bool joinBackward = true;
  // Tell device work that was launched before the recording began from work whose launch is missing, and put
  // what a graph runs below the call that replays it.
  bool nameLaunches = true;
  bool byRank = false;   // the outermost frame is the rank
  bool byThread = false; // then the thread

  bool operator==(const StackOptions&) const = default;
};

} // namespace rankscope
