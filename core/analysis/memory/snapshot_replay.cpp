// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/snapshot_replay.h"

#include "core/base/exact_sum.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory_resource>
#include <unordered_map>

namespace rankscope {

namespace {

constexpr std::int64_t kGranularity = 512; // of blocks

std::int64_t roundedUp(std::int64_t bytes) {
  return std::max<std::int64_t>((bytes + kGranularity - 1) / kGranularity, 1) * kGranularity;
}

struct Deltas {
  std::int64_t active = 0;
  std::int64_t allocated = 0;
  std::int64_t reserved = 0;
};

Deltas deltasOf(const AllocatorEntry& entry) {
  switch (entry.action) {
  case AllocatorAction::Alloc:
    return {entry.bytes, entry.bytes, 0};
  case AllocatorAction::FreeRequested:
    return {0, -entry.bytes, 0};
  case AllocatorAction::FreeCompleted:
    return {-entry.bytes, 0, 0};
  case AllocatorAction::Free:
    return {-entry.bytes, -entry.bytes, 0};
  case AllocatorAction::SegmentAlloc:
  case AllocatorAction::SegmentMap:
    return {0, 0, entry.bytes};
  case AllocatorAction::SegmentFree:
  case AllocatorAction::SegmentUnmap:
    return {0, 0, -entry.bytes};
  default:
    return {};
  }
}

void takeEnd(const SnapshotDevice& device, SnapshotEnd& end) {
  ExactSum reserved, activeRequested, allocatedRequested, activeRounded, allocatedRounded, releasable,
      stranded;
  for (const SnapshotSegment& segment : device.segments) {
    reserved += segment.bytes;
    ExactSum free;
    bool holds = false;
    for (std::uint32_t b = 0; b < segment.blockCount; ++b) {
      const SnapshotBlock& block = device.blocks[segment.firstBlock + b];
      if (block.state == BlockState::Inactive) {
        free += block.bytes;
        end.largestFree = std::max(end.largestFree, block.bytes);
        continue;
      }
      holds = true;
      activeRequested += block.requested;
      activeRounded += block.bytes;
      if (block.state != BlockState::Active) continue;
      allocatedRequested += block.requested;
      allocatedRounded += block.bytes;
    }
    (holds ? stranded : releasable) += free;
  }
  end.reserved = reserved;
  end.activeRequested = activeRequested;
  end.allocatedRequested = allocatedRequested;
  end.activeRounded = activeRounded;
  end.allocatedRounded = allocatedRounded;
  end.releasable = releasable;
  end.stranded = stranded;
}

// Values after each entry, from the end backwards. Returns the value before the first.
template <std::int64_t Deltas::*Of>
std::int64_t curve(const SnapshotDevice& device, std::int64_t end, std::vector<std::int64_t>& values) {
  values.resize(device.entries.size());
  ExactSum at(end);
  for (std::size_t i = values.size(); i-- > 0;) {
    values[i] = at;
    at -= deltasOf(device.entries[i]).*Of;
  }
  return at;
}

SnapshotPeak peakOf(std::int64_t start, const std::vector<std::int64_t>& values) {
  SnapshotPeak peak{start, kBeforeFirst};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > peak.bytes) peak = {values[i], static_cast<std::int32_t>(i)};
  }
  return peak;
}

// Pairs allocations with what freed them.
class Lives {
 public:
  explicit Lives(DeviceReplay& replay) : m_replay(replay) {}

  void run() {
    const std::vector<AllocatorEntry>& entries = m_replay.device->entries;
    m_lives.reserve(m_replay.device->blocks.size() +
                    static_cast<std::size_t>(
                        std::ranges::count(entries, AllocatorAction::Alloc, &AllocatorEntry::action)));
    for (std::size_t i = 0; i < entries.size(); ++i) take(entries[i], static_cast<std::int32_t>(i));
    takeFinalBlocks();
    putUnrecordedFirst();
    m_replay.lives = std::move(m_lives);
    ExactSum before;
    for (const BlockLife& life : m_replay.lives) {
      if (!life.recorded()) before += life.bytes;
    }
    m_replay.startFromBlocks = before;
  }

 private:
  // By address; recorded ones are in order already. These are most, and move within the same memory.
  void putUnrecordedFirst() {
    std::vector<BlockLife> before;
    std::ranges::copy_if(m_lives, std::back_inserter(before),
                         [](const BlockLife& life) { return !life.recorded(); });
    std::size_t to = m_lives.size();
    for (std::size_t i = m_lives.size(); i-- > 0;)
      if (m_lives[i].recorded()) m_lives[--to] = m_lives[i];
    std::ranges::stable_sort(before, {}, &BlockLife::address);
    std::ranges::copy(before, m_lives.begin());
  }

  void take(const AllocatorEntry& entry, std::int32_t at) {
    switch (entry.action) {
    case AllocatorAction::Alloc: {
      const auto [open, isNew] = m_open.try_emplace(entry.address, m_lives.size());
      if (!isNew) {
        ++m_replay.contradictions;
        m_lives[open->second].freed = at;
        open->second = m_lives.size();
      }
      BlockLife& life = add(entry);
      life.allocated = at;
      life.stack = entry.stack;
      return;
    }
    case AllocatorAction::FreeRequested:
      openLife(entry).freeRequested = at;
      return;
    case AllocatorAction::FreeCompleted:
    case AllocatorAction::Free: {
      BlockLife& life = openLife(entry);
      if (life.freeRequested == kNeverFreed) life.freeRequested = at;
      life.freed = at;
      m_open.erase(entry.address);
      return;
    }
    default:
      return;
    }
  }

  BlockLife& add(const AllocatorEntry& entry) {
    BlockLife& life = m_lives.emplace_back();
    life.address = entry.address;
    life.bytes = entry.bytes;
    life.rounded = roundedUp(entry.bytes);
    life.stream = entry.stream;
    return life;
  }

  // The block that is freed; one from before the first entry if no allocation was recorded.
  BlockLife& openLife(const AllocatorEntry& entry) {
    const auto [open, isNew] = m_open.try_emplace(entry.address, m_lives.size());
    if (isNew) return add(entry);
    BlockLife& life = m_lives[open->second];
    if (life.bytes != entry.bytes) ++m_replay.contradictions;
    return life;
  }

  void takeFinalBlocks() {
    const SnapshotDevice& device = *m_replay.device;
    for (std::uint32_t b = 0; b < device.blocks.size(); ++b) {
      const SnapshotBlock& block = device.blocks[b];
      if (block.state == BlockState::Inactive) continue;
      const auto open = m_open.find(block.address);
      if (open == m_open.end()) {
        BlockLife& life = m_lives.emplace_back();
        life.address = block.address;
        life.bytes = block.requested;
        life.stack = block.stack;
        life.stream = device.segments[block.segment].stream;
        attach(life, b);
        continue;
      }
      BlockLife& life = m_lives[open->second];
      if (life.bytes != block.requested) ++m_replay.contradictions;
      if (life.stack == 0) life.stack = block.stack;
      attach(life, b);
      m_open.erase(open);
    }
    for (const auto& [address, index] : m_open) {
      ++m_replay.lost;
      m_lives[index].freed = m_replay.last();
    }
  }

  void attach(BlockLife& life, std::uint32_t b) const {
    life.block = b;
    life.rounded = m_replay.device->blocks[b].bytes;
  }

  DeviceReplay& m_replay;
  std::vector<BlockLife> m_lives;
  std::pmr::unsynchronized_pool_resource m_pool;                       // of m_open, which changes a lot
  std::pmr::unordered_map<std::uint64_t, std::size_t> m_open{&m_pool}; // by address
};

// Which part of a training step allocates: what one part allocates and a later one still has is its result.
enum class StepPart : std::uint8_t { Forward, Backward, Optimizer, None };

StepPart partOf(StackClass stackClass, bool recorded) {
  switch (stackClass) {
  case StackClass::Optimizer:
    return StepPart::Optimizer;
  case StackClass::Backward:
    return StepPart::Backward;
  case StackClass::NoFrames:
    return recorded ? StepPart::Backward : StepPart::None;
  case StackClass::Forward:
    return StepPart::Forward;
  default:
    return StepPart::None;
  }
}

struct RoleOfBlock {
  MemoryRole role;
  RoleConfidence confidence;
};

// outlives: whether it is alive when the part of the step that allocated it is over.
RoleOfBlock roleOf(StackClass stackClass, bool recorded, bool outlives) {
  switch (stackClass) {
  case StackClass::NoFrames:
    if (!recorded) return {MemoryRole::BeforeRecording, RoleConfidence::Certain};
    return {MemoryRole::BackwardOrNative, RoleConfidence::Medium};
  case StackClass::Optimizer:
    return {outlives ? MemoryRole::OptimizerState : MemoryRole::Temporary, RoleConfidence::High};
  case StackClass::FsdpBuffer:
    return {MemoryRole::FsdpBuffer, RoleConfidence::High};
  case StackClass::Backward:
    return {outlives ? MemoryRole::Gradient : MemoryRole::AutogradDetail, RoleConfidence::High};
  case StackClass::ParameterMoved:
    return {MemoryRole::Parameter, RoleConfidence::High};
  case StackClass::Forward:
    return {outlives ? MemoryRole::Activation : MemoryRole::Temporary, RoleConfidence::Medium};
  case StackClass::ParameterMade:
    return {MemoryRole::Parameter, RoleConfidence::Medium};
  case StackClass::Other:
    break;
  }
  return {MemoryRole::Other, RoleConfidence::Medium};
}

void takeRoles(DeviceReplay& replay, const StackRoles& roles) {
  // The entry at which another part of the step begins, for each allocation.
  std::vector<std::int32_t> nextPart(replay.device->entries.size(), kNeverFreed);
  std::int32_t next = kNeverFreed;
  std::int32_t current = kNeverFreed;
  StepPart part = StepPart::None;
  for (std::size_t i = nextPart.size(); i-- > 0;) {
    const AllocatorEntry& entry = replay.device->entries[i];
    const StepPart own =
        entry.action == AllocatorAction::Alloc ? partOf(roles.classes[entry.stack], true) : StepPart::None;
    if (own != StepPart::None) {
      if (own != part) next = current;
      part = own;
      current = static_cast<std::int32_t>(i);
    }
    nextPart[i] = next;
  }
  for (BlockLife& life : replay.lives) {
    life.stackClass = roles.classes[life.stack];
    const std::int32_t over =
        life.recorded() ? nextPart[static_cast<std::size_t>(life.allocated)] : kBeforeFirst;
    const bool outlives = life.freed == kNeverFreed || life.freed >= over;
    // What frees a block from before the recording says nothing on its use.
    const RoleOfBlock found = roleOf(life.stackClass, life.recorded(), outlives);
    life.role = found.role;
    life.confidence = found.confidence;
  }
}

OomCause causeOf(const OomReport& oom) {
  if (oom.asked <= oom.largestHole) return OomCause::OtherPool;
  const std::int64_t driverFree = oom.driverFree.value_or(0);
  if (oom.asked <= oom.cached + driverFree)
    return oom.asked <= oom.releasable + driverFree ? OomCause::Retry : OomCause::Fragmentation;
  return OomCause::Full;
}

void takeOoms(DeviceReplay& replay) {
  constexpr std::size_t kMostExamined = 64;
  const std::vector<AllocatorEntry>& entries = replay.device->entries;
  for (std::size_t i = 0; i < entries.size() && replay.ooms.size() < kMostExamined; ++i) {
    if (entries[i].action != AllocatorAction::OutOfMemory) continue;
    OomReport oom;
    oom.entry = static_cast<std::int32_t>(i);
    oom.asked = entries[i].bytes;
    if (entries[i].address != kUnknownFree)
      oom.driverFree =
          static_cast<std::int64_t>(std::min<std::uint64_t>(entries[i].address, ExactSum::kMax / 4));
    oom.active = replay.active[i];
    oom.reserved = replay.reserved[i];
    ExactSum cached(oom.reserved);
    cached -= oom.active;
    oom.cached = std::clamp<std::int64_t>(cached, 0, ExactSum::kMax / 4);
    const SegmentMap map = segmentsAt(replay, oom.entry);
    oom.largestHole = map.largestHole;
    oom.stream = entries[i].stream;
    if (map.largestHole > 0) {
      oom.holeStream = map.segments[map.largestHoleIn].stream;
      oom.holePool = map.segments[map.largestHoleIn].pool;
    }
    oom.releasable = std::min(map.releasable, ExactSum::kMax / 4);
    oom.cause = causeOf(oom);
    replay.ooms.push_back(oom);
  }
}

// Segments by address, while entries are undone.
class SegmentRanges {
 public:
  explicit SegmentRanges(const SnapshotDevice& device) {
    for (const SnapshotSegment& segment : device.segments) {
      SegmentState& state = m_ranges[segment.address];
      state.address = segment.address;
      state.bytes = segment.bytes;
      state.stream = segment.stream;
      state.pool = segment.pool;
      state.expandable = segment.expandable;
    }
  }

  void undo(const AllocatorEntry& entry) {
    switch (entry.action) {
    case AllocatorAction::SegmentAlloc:
    case AllocatorAction::SegmentMap:
      remove(entry.address, entry.bytes);
      return;
    case AllocatorAction::SegmentFree:
    case AllocatorAction::SegmentUnmap:
      add(entry);
      return;
    default:
      return;
    }
  }

  [[nodiscard]] std::vector<SegmentState> take() const {
    std::vector<SegmentState> all;
    all.reserve(m_ranges.size());
    for (const auto& [address, state] : m_ranges) all.push_back(state);
    return all;
  }

 private:
  // An expandable segment is mapped piece by piece: what is left on both sides stays.
  void remove(std::uint64_t address, std::int64_t bytes) {
    auto at = m_ranges.upper_bound(address);
    if (at == m_ranges.begin()) return;
    --at;
    SegmentState whole = at->second;
    const std::uint64_t end = whole.address + static_cast<std::uint64_t>(whole.bytes);
    if (address >= end) return;
    const std::uint64_t pieceEnd = std::min(end, address + static_cast<std::uint64_t>(bytes));
    m_ranges.erase(at);
    if (address > whole.address) {
      SegmentState left = whole;
      left.bytes = static_cast<std::int64_t>(address - whole.address);
      m_ranges.emplace(left.address, left);
    }
    if (pieceEnd < end) {
      whole.address = pieceEnd;
      whole.bytes = static_cast<std::int64_t>(end - pieceEnd);
      m_ranges.emplace(whole.address, whole);
    }
  }

  void add(const AllocatorEntry& entry) {
    if (m_ranges.contains(entry.address)) return;
    SegmentState state;
    state.address = entry.address;
    state.bytes = entry.bytes;
    state.stream = entry.stream;
    state.expandable = entry.action == AllocatorAction::SegmentUnmap;
    auto next = m_ranges.upper_bound(entry.address);
    if (state.expandable && next != m_ranges.begin()) {
      SegmentState& before = std::prev(next)->second;
      if (before.expandable && before.stream == state.stream &&
          before.address + static_cast<std::uint64_t>(before.bytes) == state.address) {
        before.bytes += state.bytes;
        state = before;
        m_ranges.erase(before.address);
      }
    }
    const std::uint64_t end = state.address + static_cast<std::uint64_t>(state.bytes);
    next = m_ranges.find(end);
    if (state.expandable && next != m_ranges.end() && next->second.expandable &&
        next->second.stream == state.stream) {
      state.bytes += next->second.bytes;
      state.pool = next->second.pool;
      m_ranges.erase(next);
    }
    m_ranges.emplace(state.address, state);
  }

  std::map<std::uint64_t, SegmentState> m_ranges;
};

struct Place {
  std::uint64_t address;
  std::int64_t bytes;
};

// REQUIRES: blocks by address.
void fillSegment(SegmentState& segment, std::span<const Place> blocks) {
  ExactSum active;
  std::uint64_t free = segment.address;
  const std::uint64_t end = segment.address + static_cast<std::uint64_t>(segment.bytes);
  for (const Place& block : blocks) {
    if (block.address > free)
      segment.largestHole = std::max(segment.largestHole, static_cast<std::int64_t>(block.address - free));
    active += block.bytes;
    free = std::max(free, block.address + static_cast<std::uint64_t>(block.bytes));
  }
  if (end > free) segment.largestHole = std::max(segment.largestHole, static_cast<std::int64_t>(end - free));
  segment.active = std::min<std::int64_t>(active, segment.bytes);
}

} // namespace

std::string_view oomCauseId(OomCause cause) {
  static constexpr std::array<std::string_view, 4> kIds{"other_pool", "retry", "fragmentation", "full"};
  return kIds[static_cast<std::size_t>(cause)];
}

bool DeviceReplay::ringFull() const {
  if (device->overflowed) return *device->overflowed;
  const auto count = static_cast<std::int64_t>(device->entries.size());
  if (device->ringSize) return count >= *device->ringSize;
  return startActive > 0 && (count == 100 || count == 1000 || count == 10'000 || count == 100'000);
}

std::vector<std::uint32_t> liveBlocks(const DeviceReplay& replay, std::int32_t entry) {
  std::vector<std::uint32_t> live;
  for (std::uint32_t i = 0; i < replay.lives.size(); ++i) {
    if (replay.lives[i].aliveAt(entry)) live.push_back(i);
  }
  std::ranges::sort(live, [&](std::uint32_t a, std::uint32_t b) {
    const BlockLife& left = replay.lives[a];
    const BlockLife& right = replay.lives[b];
    return left.bytes != right.bytes ? left.bytes > right.bytes : left.address < right.address;
  });
  return live;
}

SegmentMap segmentsAt(const DeviceReplay& replay, std::int32_t entry) {
  SegmentRanges ranges(*replay.device);
  for (std::int32_t i = replay.last(); i > entry; --i)
    ranges.undo(replay.device->entries[static_cast<std::size_t>(i)]);
  SegmentMap map;
  map.segments = ranges.take();
  std::vector<Place> blocks;
  for (const BlockLife& life : replay.lives) {
    if (life.aliveAt(entry)) blocks.push_back({life.address, life.rounded});
  }
  std::ranges::sort(blocks, {}, &Place::address);
  ExactSum releasable, stranded;
  std::size_t at = 0;
  for (SegmentState& segment : map.segments) {
    const std::uint64_t end = segment.address + static_cast<std::uint64_t>(segment.bytes);
    while (at < blocks.size() && blocks[at].address < segment.address) ++at;
    const std::size_t first = at;
    while (at < blocks.size() && blocks[at].address < end) ++at;
    fillSegment(segment, std::span(blocks).subspan(first, at - first));
    (first == at ? releasable : stranded) += segment.bytes - segment.active;
    if (segment.largestHole <= map.largestHole) continue;
    map.largestHole = segment.largestHole;
    map.largestHoleIn = static_cast<std::size_t>(&segment - map.segments.data());
  }
  map.releasable = releasable;
  map.stranded = stranded;
  return map;
}

namespace {

// A damaged file may lack so much that its curve begins below 0.
void clampCurve(std::int64_t& start, std::vector<std::int64_t>& curve) {
  start = std::max<std::int64_t>(start, 0);
  for (std::int64_t& level : curve) level = std::max<std::int64_t>(level, 0);
}

} // namespace

DeviceReplay replayDevice(const MemorySnapshot& snapshot, const SnapshotDevice& device,
                          const StackRoles& roles) {
  DeviceReplay replay;
  replay.snapshot = &snapshot;
  replay.device = &device;
  takeEnd(device, replay.end);
  replay.startActive = curve<&Deltas::active>(device, replay.end.activeRequested, replay.active);
  replay.startAllocated = curve<&Deltas::allocated>(device, replay.end.allocatedRequested, replay.allocated);
  replay.startReserved = curve<&Deltas::reserved>(device, replay.end.reserved, replay.reserved);
  clampCurve(replay.startActive, replay.active);
  clampCurve(replay.startAllocated, replay.allocated);
  clampCurve(replay.startReserved, replay.reserved);
  replay.peakActive = peakOf(replay.startActive, replay.active);
  replay.peakAllocated = peakOf(replay.startAllocated, replay.allocated);
  replay.peakReserved = peakOf(replay.startReserved, replay.reserved);
  Lives(replay).run();
  takeRoles(replay, roles);
  takeOoms(replay);
  return replay;
}

} // namespace rankscope
