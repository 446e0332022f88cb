// SPDX-License-Identifier: GPL-3.0-or-later
// The leaves of the tree of causes: what a nanosecond of a step can be spent on. Each nanosecond of a step is
// in one leaf and one of four classes; some leaves occur in two classes. Ids are words of tables, filters and
// files and never change. Plain data.
#pragma once

#include "core/base/time_range.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

// What the devices did: four integers that add up to the step.
enum class TimeClass : std::uint8_t {
  Compute,              // a compute kernel ran
  ExposedCommunication, // communication ran, no compute kernel beside it
  ExposedMemory,        // copies and sets alone
  Idle,                 // nothing ran
};

inline constexpr std::size_t kTimeClassCount = static_cast<std::size_t>(TimeClass::Idle) + 1;

// "compute", "exposed_communication", "exposed_memory", "idle".
[[nodiscard]] std::string_view timeClassText(TimeClass timeClass);

// In the order of the tree.
enum class Leaf : std::uint8_t {
  WaitRank,       // in a collective, before its last rank began
  WaitStart,      // the same in the first collective of a group: recordings begin at different times
  CommUnlaunched, // communication that began late because its launch did
  CommTail,       // the last gradients, the first gather: nothing is left to hide them
  CommSlowLink,   // beyond what these bytes take elsewhere
  CommFragmented, // what the same bytes in few calls would save
  CommTransfer,
  HostInput,
  HostSync,
  HostComm,
  HostAlloc,
  HostCompile,
  HostCheckpoint,
  HostGc,
  HostPython,
  HostDescheduled,
  DispatchForward, // the host was launching as fast as it could
  DispatchBackward,
  DispatchOptimizer,
  DispatchDdp,
  DispatchOther,
  QueueLatency, // launched in time: between any two kernels
  QueueDependency,
  QueueUnexplained,
  CopyH2d,
  CopyD2h,
  CopyD2d, // within the device, sets of memory too
  CopyP2p,
  ComputeAttention, // of compute kernels what a better one would save; the rest is Ideal
  ComputeSimt,
  ComputeMisaligned,
  ComputeLayout,
  ComputeCast,
  ComputeAtomics,
  ComputeNorm,
  ComputeOptimizer,
  ComputeUnfused,
  ComputeSmallGrid,
  ComputeContention,
  ComputeClock,
  ComputeRecompute,
  Ideal,
  CaptureEdge, // before the first and after the last of what was recorded
  CaptureInit, // start-up: contexts, modules, handles
};

inline constexpr std::size_t kLeafCount = static_cast<std::size_t>(Leaf::CaptureInit) + 1;
[[nodiscard]] constexpr bool isValid(Leaf value) {
  return value <= Leaf::CaptureInit;
}

// "wait.rank", "host.dispatch.forward", ...
[[nodiscard]] std::string_view leafText(Leaf leaf);
// Nothing for what is no leaf.
[[nodiscard]] std::optional<Leaf> leafNamed(std::string_view text);
// Whether the leaf is `name` or stands under it: "host", "host.dispatch", "host.dispatch.forward".
[[nodiscard]] bool isUnder(Leaf leaf, std::string_view name);

// An amount of time, and what it was spent on.
struct LeafTime {
  TimeClass timeClass = TimeClass::Idle;
  Leaf leaf = Leaf::Ideal;
  TimeNs time = 0;

  bool operator==(const LeafTime&) const = default;
};

// By class, then leaf; none twice, none empty. They add up to what was asked about.
using LeafTimes = std::vector<LeafTime>;

[[nodiscard]] TimeNs totalOf(std::span<const LeafTime> times);
[[nodiscard]] TimeNs timeOf(std::span<const LeafTime> times, TimeClass timeClass);
// Of both of its classes.
[[nodiscard]] TimeNs timeOf(std::span<const LeafTime> times, Leaf leaf);

} // namespace rankscope
