// SPDX-License-Identifier: GPL-3.0-or-later
// Allocations by operator and device, and allocated and reserved bytes over time, from the [memory] events of
// a recording. A record belongs to the innermost operator of its thread at its time, and to the window that
// contains its time. Increase: signed sum of bytes. Allocation: record with positive bytes. Self excludes
// nested operators; totals include them and are sums over calls. A level lasts until the next record. O(n)
// for n records, plus the depth of operators at each.
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

// Device types other than the host count as GPUs: PyTorch numbers CUDA, HIP, XPU etc. differently.
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
  // Total allocated memory was not recorded. Levels are then running sums of the records: correct up to a
  // constant, possibly negative.
  bool allocatedIsSum = false;
  // False for the host, which has no pool, and if all recorded values are 0.
  bool reservedIsKnown = false;
  std::vector<MemoryLevel> levels; // by time, one per record in the window
  // Maximum in the window, including the level at its begin; empty without levels.
  std::optional<MemoryLevel> peakAllocated; // first level that reaches the maximum
  std::optional<MemoryLevel> peakReserved;  // empty if unknown

  // Reserved minus allocated memory at the peak of allocated memory; empty if unknown.
  [[nodiscard]] std::optional<std::int64_t> fragmentationAtPeak() const;
};

struct OperatorMemory {
  NameId name;
  std::uint32_t device = 0; // index into MemoryProfile::devices
  std::int64_t calls = 0;   // calls of the operator with a record of this device
  std::int64_t allocations = 0;
  ExactSum allocationBytes;
  std::int64_t selfAllocations = 0;
  ExactSum selfAllocationBytes;
  ExactSum sizeIncrease;
  ExactSum selfSizeIncrease;
};

// From the GPU with the highest value, else from the host.
[[nodiscard]] std::optional<std::int64_t> peakAllocatedBytes(const std::vector<DeviceMemory>& devices);

struct MemoryProfile {
  std::vector<DeviceMemory> devices;     // GPUs by id, then the host
  std::vector<OperatorMemory> operators; // by allocated bytes, self then total, descending; then by name
  // Records outside of all operators, by device; name, calls and totals are not set.
  std::vector<OperatorMemory> unattributed;

  // From the GPU with the highest value, else from the host.
  [[nodiscard]] std::optional<std::int64_t> peakAllocatedBytes() const {
    return rankscope::peakAllocatedBytes(devices);
  }
  [[nodiscard]] std::optional<std::int64_t> peakReservedBytes() const;
};

// The devices of the profile alone, in less time than with what operators allocated.
[[nodiscard]] std::vector<DeviceMemory> memoryOfDevices(const RankTrace& trace, TimeRange window = kAllTime);

// owners: memoryOwners of the same recording.
[[nodiscard]] MemoryProfile memoryProfile(const RankTrace& trace, const OperatorTree& tree,
                                          const std::vector<EventIndex>& owners, const StringTable& names,
                                          TimeRange window = kAllTime);

} // namespace rankscope
