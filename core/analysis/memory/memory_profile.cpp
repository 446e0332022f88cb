// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/memory_profile.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// Devices in ascending order, each with its records by time.
std::map<MemoryDevice, std::vector<std::uint32_t>> recordsByDevice(const RankTrace& trace) {
  std::map<MemoryDevice, std::vector<std::uint32_t>> records;
  for (std::uint32_t i = 0; i < trace.memory.size(); ++i)
    records[MemoryDevice::of(trace.memory[i])].push_back(i);
  return records;
}

void raisePeaks(DeviceMemory& memory, const MemoryLevel& level) {
  if (!memory.peakAllocated || level.allocated > memory.peakAllocated->allocated)
    memory.peakAllocated = level;
  if (memory.reservedIsKnown && level.reserved >= 0 &&
      (!memory.peakReserved || level.reserved > memory.peakReserved->reserved))
    memory.peakReserved = level;
}

// Shared memory of DataLoader workers is mapped, not allocated: its host records have a total of 0 regardless
// of other allocations.
bool knowsNoTotal(const MemoryEvent& record, std::int64_t allocatedBefore) {
  return record.totalAllocated == 0 && allocatedBefore + record.bytes != 0;
}

// records: of the device, sorted by time.
DeviceMemory levelsOf(const RankTrace& trace, MemoryDevice device, const std::vector<std::uint32_t>& records,
                      TimeRange window) {
  DeviceMemory memory;
  memory.device = device;
  for (const std::uint32_t i : records) {
    if (trace.memory[i].totalAllocated < 0) memory.allocatedIsSum = true;
    if (trace.memory[i].totalReserved > 0 && !device.onHost) memory.reservedIsKnown = true;
  }
  std::optional<MemoryLevel> before;
  MemoryLevel level;
  ExactSum allocated; // used if the total was not recorded
  for (const std::uint32_t i : records) {
    const MemoryEvent& record = trace.memory[i];
    level.time = record.time;
    allocated += record.bytes;
    if (memory.allocatedIsSum)
      level.allocated = allocated;
    else if (!device.onHost || !knowsNoTotal(record, level.allocated))
      level.allocated = record.totalAllocated;
    if (memory.reservedIsKnown) level.reserved = record.totalReserved;
    if (record.time < window.begin) before = level;
    if (window.contains(record.time)) memory.levels.push_back(level);
  }
  if (before) {
    before->time = window.begin;
    raisePeaks(memory, *before);
  }
  for (const MemoryLevel& inside : memory.levels) raisePeaks(memory, inside);
  return memory;
}

// Sums over operators, device by device.
class OperatorSums {
 public:
  OperatorSums(const RankTrace& trace, const OperatorTree& tree, std::size_t nameCount)
      : m_trace(trace), m_tree(tree), m_placeOfName(nameCount, kNoPlace),
        m_placeOfCall(tree.enclosing.size(), kNoPlace) {}

  void add(const MemoryEvent& record, EventIndex owner) {
    OperatorMemory& self = owner.valid() ? of(owner) : m_unattributed;
    self.selfSizeIncrease += record.bytes;
    if (record.bytes > 0) {
      ++self.selfAllocations;
      self.selfAllocationBytes += record.bytes;
    }
    if (!owner.valid()) return;
    Within& within = m_within[placeOf(owner)];
    within.sizeIncrease += record.bytes;
    if (record.bytes <= 0) return;
    ++within.allocations;
    within.allocationBytes += record.bytes;
  }

  // Moves the sums of a device to the profile. The following records are of another device.
  void finish(std::uint32_t device, MemoryProfile& profile) {
    addAround();
    for (OperatorMemory& sum : m_sums) {
      m_placeOfName[sum.name.value] = kNoPlace;
      sum.device = device;
      profile.operators.push_back(sum);
    }
    m_sums.clear();
    m_unattributed.device = device;
    profile.unattributed.push_back(std::exchange(m_unattributed, {}));
  }

 private:
  static constexpr std::uint32_t kNoPlace = 0xffffffffu;
  static constexpr std::uint32_t kAdded = 0xffffffffu;

  // Sums of the records of a call, including nested calls.
  struct Within {
    EventIndex call;
    std::uint32_t waitsFor = 0; // number of nested calls not added yet; kAdded: this call was added
    std::int64_t allocations = 0;
    ExactSum allocationBytes;
    ExactSum sizeIncrease;
  };

  // Adds each call to the call that encloses it, after all calls nested in it have been added. So each call
  // is added once, without sorting.
  void addAround() {
    for (std::size_t i = 0; i < m_within.size(); ++i) { // m_within grows meanwhile
      const EventIndex outer = m_tree.enclosingOf(m_within[i].call);
      if (outer.valid()) ++m_within[placeOf(outer)].waitsFor;
    }
    for (std::uint32_t i = 0; i < m_within.size(); ++i) {
      std::uint32_t next = i;
      while (next != kNoPlace && m_within[next].waitsFor == 0) next = addOne(next);
    }
    for (const Within& within : m_within) m_placeOfCall[within.call.value] = kNoPlace;
    m_within.clear();
  }

  // Adds a call to its name; returns the index of the enclosing call, or kNoPlace.
  std::uint32_t addOne(std::uint32_t place) {
    Within& within = m_within[place];
    within.waitsFor = kAdded;
    OperatorMemory& sum = of(within.call);
    ++sum.calls;
    sum.allocations += within.allocations;
    sum.allocationBytes += within.allocationBytes;
    sum.sizeIncrease += within.sizeIncrease;
    const EventIndex outer = m_tree.enclosingOf(within.call);
    if (!outer.valid()) return kNoPlace;
    Within& around = m_within[m_placeOfCall[outer.value]];
    --around.waitsFor;
    around.allocations += within.allocations;
    around.allocationBytes += within.allocationBytes;
    around.sizeIncrease += within.sizeIncrease;
    return m_placeOfCall[outer.value];
  }

  [[nodiscard]] std::uint32_t placeOf(EventIndex call) {
    std::uint32_t& place = m_placeOfCall[call.value];
    if (place == kNoPlace) {
      place = static_cast<std::uint32_t>(m_within.size());
      m_within.emplace_back().call = call;
    }
    return place;
  }
  [[nodiscard]] OperatorMemory& of(EventIndex call) {
    const NameId name = m_trace.events.name[call];
    std::uint32_t& place = m_placeOfName[name.value];
    if (place == kNoPlace) {
      place = static_cast<std::uint32_t>(m_sums.size());
      m_sums.emplace_back().name = name;
    }
    return m_sums[place];
  }

  const RankTrace& m_trace;
  const OperatorTree& m_tree;
  std::vector<std::uint32_t> m_placeOfName; // index in m_sums
  std::vector<std::uint32_t> m_placeOfCall; // index in m_within, by event
  std::vector<OperatorMemory> m_sums;
  std::vector<Within> m_within;
  OperatorMemory m_unattributed;
};

std::optional<std::int64_t> highest(const std::vector<DeviceMemory>& devices,
                                    std::optional<std::int64_t> (*valueOf)(const DeviceMemory&)) {
  std::optional<std::int64_t> onDevice;
  std::optional<std::int64_t> onHost;
  bool anyDevice = false;
  for (const DeviceMemory& memory : devices) {
    anyDevice |= !memory.device.onHost;
    std::optional<std::int64_t>& best = memory.device.onHost ? onHost : onDevice;
    const auto value = valueOf(memory);
    if (value && (!best || *value > *best)) best = value;
  }
  return anyDevice ? onDevice : onHost;
}

} // namespace

MemoryDevice MemoryDevice::of(const MemoryEvent& record) {
  if (record.deviceType <= 0) return {};
  return {false, record.device};
}

std::string MemoryDevice::name() const {
  if (onHost) return "CPU";
  return id < 0 ? "GPU" : "GPU" + std::to_string(id);
}

std::optional<std::int64_t> DeviceMemory::fragmentationAtPeak() const {
  if (allocatedIsSum || !reservedIsKnown || !peakAllocated || peakAllocated->reserved < 0)
    return std::nullopt;
  return peakAllocated->reserved - peakAllocated->allocated;
}

std::optional<std::int64_t> peakAllocatedBytes(const std::vector<DeviceMemory>& devices) {
  return highest(devices, [](const DeviceMemory& memory) -> std::optional<std::int64_t> {
    if (memory.allocatedIsSum || !memory.peakAllocated) return std::nullopt;
    return memory.peakAllocated->allocated;
  });
}

std::optional<std::int64_t> MemoryProfile::peakReservedBytes() const {
  return highest(devices, [](const DeviceMemory& memory) -> std::optional<std::int64_t> {
    if (!memory.peakReserved) return std::nullopt;
    return memory.peakReserved->reserved;
  });
}

std::vector<DeviceMemory> memoryOfDevices(const RankTrace& trace, TimeRange window) {
  std::vector<DeviceMemory> devices;
  for (const auto& [device, records] : recordsByDevice(trace))
    devices.push_back(levelsOf(trace, device, records, window));
  return devices;
}

MemoryProfile memoryProfile(const RankTrace& trace, const OperatorTree& tree,
                            const std::vector<EventIndex>& owners, const StringTable& names,
                            TimeRange window) {
  MemoryProfile profile;
  OperatorSums sums(trace, tree, names.size());
  for (const auto& [device, records] : recordsByDevice(trace)) {
    for (const std::uint32_t i : records) {
      if (window.contains(trace.memory[i].time)) sums.add(trace.memory[i], owners[i]);
    }
    sums.finish(static_cast<std::uint32_t>(profile.devices.size()), profile);
    profile.devices.push_back(levelsOf(trace, device, records, window));
  }
  std::ranges::sort(profile.operators, [&](const OperatorMemory& a, const OperatorMemory& b) {
    return std::tuple(-a.selfAllocationBytes, -a.allocationBytes, a.device, names[a.name]) <
           std::tuple(-b.selfAllocationBytes, -b.allocationBytes, b.device, names[b.name]);
  });
  return profile;
}

} // namespace rankscope
