// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/memory_profile.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

std::vector<MemoryDevice> devicesOf(const RankTrace& trace) {
  std::vector<MemoryDevice> devices;
  for (const MemoryEvent& record : trace.memory) {
    const MemoryDevice device = MemoryDevice::of(record);
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  std::ranges::sort(devices);
  return devices;
}

void raisePeaks(DeviceMemory& memory, const MemoryLevel& level) {
  if (!memory.peakAllocated || level.allocated > memory.peakAllocated->allocated)
    memory.peakAllocated = level;
  if (memory.reservedIsKnown && level.reserved >= 0 &&
      (!memory.peakReserved || level.reserved > memory.peakReserved->reserved))
    memory.peakReserved = level;
}

// Memory that DataLoader workers share is mapped, not allocated: its records on the host carry a total of 0
// whatever is allocated besides.
bool knowsNoTotal(const MemoryEvent& record, std::int64_t allocatedBefore) {
  return record.totalAllocated == 0 && allocatedBefore + record.bytes != 0;
}

// records: those of the device, by time.
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
  ExactSum allocated; // where the recording does not say it
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

// What the operators did on one device.
class OperatorSums {
 public:
  OperatorSums(const RankTrace& trace, const OperatorTree& tree, std::size_t nameCount)
      : m_trace(trace), m_tree(tree), m_placeOf(nameCount, kNoPlace), m_seen(tree.enclosing.size(), false) {}

  void add(const MemoryEvent& record, EventIndex owner) {
    OperatorMemory& self = owner.valid() ? of(owner) : m_unattributed;
    self.selfSizeIncrease += record.bytes;
    if (record.bytes > 0) {
      ++self.selfAllocations;
      self.selfAllocationBytes += record.bytes;
    }
    for (EventIndex call = owner; call.valid(); call = m_tree.enclosingOf(call)) {
      OperatorMemory& sum = of(call);
      sum.sizeIncrease += record.bytes;
      if (record.bytes > 0) {
        ++sum.allocations;
        sum.allocationBytes += record.bytes;
      }
      if (m_seen[call.value]) continue;
      m_seen[call.value] = true;
      ++sum.calls;
    }
  }

  [[nodiscard]] const std::vector<OperatorMemory>& sums() const { return m_sums; }
  [[nodiscard]] const OperatorMemory& unattributed() const { return m_unattributed; }

 private:
  static constexpr std::uint32_t kNoPlace = 0xffffffffu;

  [[nodiscard]] OperatorMemory& of(EventIndex call) {
    const NameId name = m_trace.events.name[call];
    std::uint32_t& place = m_placeOf[name.value];
    if (place == kNoPlace) {
      place = static_cast<std::uint32_t>(m_sums.size());
      m_sums.emplace_back().name = name;
    }
    return m_sums[place];
  }

  const RankTrace& m_trace;
  const OperatorTree& m_tree;
  std::vector<std::uint32_t> m_placeOf; // by name
  std::vector<bool> m_seen;             // by event: its call is counted
  std::vector<OperatorMemory> m_sums;
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

std::optional<std::int64_t> MemoryProfile::peakAllocatedBytes() const {
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

MemoryProfile memoryProfile(const RankTrace& trace, const OperatorTree& tree,
                            const std::vector<EventIndex>& owners, const StringTable& names,
                            TimeRange window) {
  MemoryProfile profile;
  const std::vector<MemoryDevice> devices = devicesOf(trace);
  std::vector<std::vector<std::uint32_t>> records(devices.size());
  for (std::uint32_t i = 0; i < trace.memory.size(); ++i) {
    const auto device = std::ranges::find(devices, MemoryDevice::of(trace.memory[i]));
    records[static_cast<std::size_t>(device - devices.begin())].push_back(i);
  }
  for (std::uint32_t d = 0; d < devices.size(); ++d) {
    profile.devices.push_back(levelsOf(trace, devices[d], records[d], window));
    OperatorSums sums(trace, tree, names.size());
    for (const std::uint32_t i : records[d]) {
      if (window.contains(trace.memory[i].time)) sums.add(trace.memory[i], owners[i]);
    }
    profile.operators.insert(profile.operators.end(), sums.sums().begin(), sums.sums().end());
    for (std::size_t i = profile.operators.size() - sums.sums().size(); i < profile.operators.size(); ++i)
      profile.operators[i].device = d;
    profile.unattributed.push_back(sums.unattributed());
    profile.unattributed.back().device = d;
  }
  std::ranges::sort(profile.operators, [&](const OperatorMemory& a, const OperatorMemory& b) {
    return std::tuple(-a.selfAllocationBytes, -a.allocationBytes, a.device, names[a.name]) <
           std::tuple(-b.selfAllocationBytes, -b.allocationBytes, b.device, names[b.name]);
  });
  return profile;
}

} // namespace rankscope
