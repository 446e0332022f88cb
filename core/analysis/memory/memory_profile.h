// SPDX-License-Identifier: GPL-3.0-or-later
// Who allocated what on which device, and how much was allocated and reserved when: from the [memory] events
// of a recording. A record belongs to the innermost operator of its thread that is open at its time, and to
// the window that holds its time. Increase = signed sum of its bytes, allocation = a record with positive
// bytes; self leaves out what operators within did, totals hold it and are sums over calls. The level between
// two records is that of the first. O(n) for n records, with the depth of the operators around each.
#pragma once

#include "core/analysis/operators/operator_tree.h"
#include "core/base/exact_sum.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// Every device type but the host's counts as a GPU: PyTorch numbers CUDA, HIP, XPU and the rest differently.
struct MemoryDevice {
  bool onHost = true;
  std::int32_t id = -1; // -1 on the host

  [[nodiscard]] static MemoryDevice of(const MemoryEvent& record);
  // "CPU", "GPU0".
  [[nodiscard]] std::string name() const;
  auto operator<=>(const MemoryDevice&) const = default;
};

struct MemoryLevel {
  TimeNs time = 0;
  std::int64_t allocated = 0;
  std::int64_t reserved = -1; // -1 not recorded

  bool operator==(const MemoryLevel&) const = default;
};

struct DeviceMemory {
  MemoryDevice device;
  // The total allocated memory was not recorded: levels are the running sum of the records from
  // the first one on, so they are right up to a constant and may be negative.
  bool allocatedIsSum = false;
  // False for the host, which has no pool, and where 0 was always recorded.
  bool reservedIsKnown = false;
  std::vector<MemoryLevel> levels; // by time, one a record of the window
  // The highest in the window, what was there when it began included; empty without any level.
  std::optional<MemoryLevel> peakAllocated; // the first level that reaches it
  std::optional<MemoryLevel> peakReserved;  // empty when not known

  // Reserved and not allocated at the peak of the allocated; empty when one of them is not known.
  [[nodiscard]] std::optional<std::int64_t> fragmentationAtPeak() const;
};

struct OperatorMemory {
  NameId name;
  std::uint32_t device = 0; // index of MemoryProfile::devices
  std::int64_t calls = 0;   // calls of the operator in which there was a record of this device
  std::int64_t allocations = 0;
  ExactSum allocationBytes;
  std::int64_t selfAllocations = 0;
  ExactSum selfAllocationBytes;
  ExactSum sizeIncrease;
  ExactSum selfSizeIncrease;
};

struct MemoryProfile {
  std::vector<DeviceMemory> devices;     // GPUs by id, then the host
  std::vector<OperatorMemory> operators; // by allocation bytes, self then total, largest first; then by name
  // What no operator was open for, by device; name, calls and totals are not set.
  std::vector<OperatorMemory> unattributed;

  // The device that a rank's figure is taken from: the GPU with the highest value, else the host.
  [[nodiscard]] std::optional<std::int64_t> peakAllocatedBytes() const;
  [[nodiscard]] std::optional<std::int64_t> peakReservedBytes() const;
};

// owners: memoryOwners of the same recording.
[[nodiscard]] MemoryProfile memoryProfile(const RankTrace& trace, const OperatorTree& tree,
                                          const std::vector<EventIndex>& owners, const StringTable& names,
                                          TimeRange window = kAllTime);

} // namespace rankscope
