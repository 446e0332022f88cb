// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/memory_profile.h"

#include "core/analysis/memory/memory_blocks.h"
#include "core/analysis/memory/memory_growth.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

namespace rankscope {

namespace {

RawMemory onGpu(std::int64_t bytes, std::uint64_t address = 0, std::int64_t allocated = -1,
                std::int64_t reserved = -1, std::int32_t type = 1, std::int32_t id = 0) {
  return {bytes, address, allocated, reserved, type, id};
}

RawMemory onHost(std::int64_t bytes, std::uint64_t address = 0, std::int64_t allocated = -1) {
  return {bytes, address, allocated, allocated < 0 ? -1 : 0, 0, -1};
}

struct Profiled {
  std::shared_ptr<const RankTrace> trace;
  StringTable names;
  OperatorTree tree;
  std::vector<EventIndex> owners;
  MemoryProfile profile;

  explicit Profiled(HandMadeRank rank, TimeRange window = kAllTime) {
    StringInterner interner;
    trace = rank.build(interner);
    names = interner.snapshot();
    tree = operatorTree(*trace, names);
    owners = memoryOwners(*trace, names);
    profile = memoryProfile(*trace, tree, owners, names, window);
  }
  [[nodiscard]] OperatorMemory of(std::string_view name, std::string_view device = "GPU0") const {
    for (const OperatorMemory& op : profile.operators) {
      if (names[op.name] == name && profile.devices[op.device].device.name() == device) return op;
    }
    return {};
  }
};

} // namespace

TEST(MemoryProfile, aRecordBelongsToTheInnermostOperatorOfItsThread) {
  HandMadeRank rank;
  rank.op(0, 100, "outer").op(10, 50, "inner").op(0, 1000, "elsewhere", "2");
  rank.memory(5, onGpu(100)).memory(20, onGpu(1000)).memory(30, onGpu(-400)).memory(60, onGpu(10));
  rank.memory(100, onGpu(7)); // outer has ended
  rank.memory(40, onHost(64));
  const Profiled p(std::move(rank));
  const OperatorMemory outer = p.of("outer");
  EXPECT_EQ(outer.calls, 1);
  EXPECT_EQ(outer.selfAllocations, 2);
  EXPECT_EQ(outer.selfAllocationBytes, 110);
  EXPECT_EQ(outer.selfSizeIncrease, 110);
  EXPECT_EQ(outer.allocations, 3);
  EXPECT_EQ(outer.allocationBytes, 1110);
  EXPECT_EQ(outer.sizeIncrease, 710);
  const OperatorMemory inner = p.of("inner");
  EXPECT_EQ(inner.selfAllocationBytes, 1000);
  EXPECT_EQ(inner.selfSizeIncrease, 600);
  EXPECT_EQ(p.of("elsewhere").calls, 0);
  EXPECT_EQ(p.of("inner", "CPU").selfAllocationBytes, 64);
  EXPECT_EQ(p.of("outer", "CPU").allocationBytes, 64);
  EXPECT_EQ(p.profile.unattributed[0].selfAllocationBytes, 7);
}

TEST(MemoryProfile, everyDeviceTypeButTheHostsIsAGpu) {
  HandMadeRank rank;
  rank.memory(1, onGpu(1, 0, 1, 10, 20, 3)).memory(2, onGpu(1, 0, 1, 10, 6, 0)).memory(3, onHost(1));
  const Profiled p(std::move(rank));
  ASSERT_EQ(p.profile.devices.size(), 3U);
  EXPECT_EQ(p.profile.devices[0].device.name(), "GPU0");
  EXPECT_EQ(p.profile.devices[1].device.name(), "GPU3");
  EXPECT_EQ(p.profile.devices[2].device.name(), "CPU");
}

TEST(MemoryProfile, peaksAreTheHighestLevelsAndFragmentationWhatThePoolHadToSpare) {
  HandMadeRank rank;
  rank.memory(1, onGpu(50, 0, 50, 100)).memory(2, onGpu(40, 0, 90, 120)).memory(3, onGpu(-80, 0, 10, 120));
  rank.memory(4, onGpu(5, 0, 15, 400))
      .memory(5, onGpu(7, 0, 700, 800, 1, 1))
      .memory(6, onHost(5000, 0, 5000));
  const Profiled p(std::move(rank));
  const DeviceMemory& gpu = p.profile.devices[0];
  ASSERT_TRUE(gpu.peakAllocated && gpu.peakReserved);
  EXPECT_EQ(gpu.peakAllocated->allocated, 90);
  EXPECT_EQ(gpu.peakAllocated->time, 2);
  EXPECT_EQ(gpu.peakReserved->reserved, 400);
  EXPECT_EQ(gpu.fragmentationAtPeak(), 30);
  EXPECT_EQ(p.profile.peakAllocatedBytes(), 700); // the fullest GPU; the host is none
  EXPECT_EQ(p.profile.peakReservedBytes(), 800);
}

TEST(MemoryProfile, withoutAGpuThePeakIsTheHosts) {
  HandMadeRank rank;
  rank.memory(1, onHost(50, 0, 50)).memory(2, onHost(-50, 0, 0));
  const Profiled p(std::move(rank));
  EXPECT_EQ(p.profile.peakAllocatedBytes(), 50);
  EXPECT_FALSE(p.profile.peakReservedBytes());
  EXPECT_FALSE(p.profile.devices[0].fragmentationAtPeak());
}

TEST(MemoryProfile, withoutTotalsTheLevelIsTheRunningSumAndNoPeakIsClaimed) {
  HandMadeRank rank;
  rank.memory(1, onGpu(50)).memory(2, onGpu(-70)).memory(3, onGpu(30));
  const Profiled p(std::move(rank));
  const DeviceMemory& gpu = p.profile.devices[0];
  EXPECT_TRUE(gpu.allocatedIsSum);
  EXPECT_EQ(gpu.levels, (std::vector<MemoryLevel>{{1, 50, -1}, {2, -20, -1}, {3, 10, -1}}));
  EXPECT_FALSE(p.profile.peakAllocatedBytes());
}

TEST(MemoryProfile, recordsOfSharedMemoryLeaveTheLevelAlone) {
  HandMadeRank rank;
  RawMemory shared = onHost(4096, 0, 0);
  shared.totalReserved = 4096;
  rank.memory(1, onHost(50, 0, 50)).memory(2, shared).memory(3, onHost(10, 0, 60));
  rank.memory(4, onHost(-4096, 0, 0)).memory(5, onHost(-60, 0, 0));
  const Profiled p(std::move(rank));
  std::vector<std::int64_t> allocated;
  for (const MemoryLevel& level : p.profile.devices[0].levels) allocated.push_back(level.allocated);
  EXPECT_EQ(allocated, (std::vector<std::int64_t>{50, 50, 60, 60, 0}));
}

TEST(MemoryProfile, aWindowHoldsItsRecordsAndTheLevelItBeganWith) {
  HandMadeRank rank;
  rank.op(0, 100, "a").memory(10, onGpu(90, 0, 90, 90)).memory(20, onGpu(-60, 0, 30, 90));
  rank.memory(30, onGpu(5, 0, 35, 90));
  const Profiled p(std::move(rank), {15, 30});
  EXPECT_EQ(p.of("a").sizeIncrease, -60);
  EXPECT_EQ(p.profile.devices[0].levels.size(), 1U);
  EXPECT_EQ(p.profile.devices[0].peakAllocated->allocated, 90);
  EXPECT_EQ(p.profile.devices[0].peakAllocated->time, 15);
}

namespace {

EventIndex slowOwner(const RankTrace& trace, const StringTable& names, const MemoryEvent& record) {
  const Track& instants = trace.tracks[trace.trackOf(record.event).value];
  EventIndex found;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread || track.thread != instants.thread) continue;
    for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
      if (isOperator(trace, names, e) && trace.events.range(e).contains(record.time)) found = e;
    }
  }
  return found;
}

} // namespace

TEST(MemoryProfile, agreesWithLookingAtEveryEventOnRandomTraces) {
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    HandMadeRank rank;
    for (int i = 0; i < 200; ++i) {
      const std::string thread = std::to_string(1 + random() % 3);
      rank.op(random() % 5000, 1 + random() % 900, "op" + std::to_string(random() % 5), thread);
      const auto bytes = static_cast<std::int64_t>(random() % 1000) - 400;
      rank.memory(random() % 6000, random() % 3 ? onGpu(bytes) : onHost(bytes), thread);
    }
    const Profiled p(std::move(rank));
    std::map<std::pair<std::string_view, std::uint32_t>, OperatorMemory> expected;
    std::map<std::uint32_t, std::int64_t> increase;
    for (std::size_t i = 0; i < p.trace->memory.size(); ++i) {
      const MemoryEvent& record = p.trace->memory[i];
      const EventIndex owner = slowOwner(*p.trace, p.names, record);
      ASSERT_EQ(p.owners[i], owner);
      const std::uint32_t device = record.deviceType == 1 ? 0 : 1;
      increase[device] += record.bytes;
      if (!owner.valid()) continue;
      OperatorMemory& self = expected[{p.names[p.trace->events.name[owner]], device}];
      self.selfSizeIncrease += record.bytes;
      self.selfAllocations += record.bytes > 0;
      for (EventIndex op = owner; op.valid(); op = p.tree.enclosingOf(op))
        expected[{p.names[p.trace->events.name[op]], device}].sizeIncrease += record.bytes;
    }
    for (const OperatorMemory& op : p.profile.operators) {
      const OperatorMemory& e = expected[{p.names[op.name], op.device}];
      EXPECT_EQ(std::tuple(op.selfSizeIncrease, op.selfAllocations, op.sizeIncrease),
                std::tuple(e.selfSizeIncrease, e.selfAllocations, e.sizeIncrease));
      increase[op.device] -= op.selfSizeIncrease;
    }
    EXPECT_EQ(p.profile.operators.size(), expected.size());
    for (const OperatorMemory& rest : p.profile.unattributed)
      EXPECT_EQ(increase[rest.device], rest.selfSizeIncrease);
  }
}

TEST(MemoryBlocks, liveFromAllocationToFree) {
  HandMadeRank rank;
  rank.op(0, 15, "maker");
  rank.memory(10, onGpu(100, 0xa)).memory(20, onGpu(50, 0xb)).memory(30, onGpu(-100, 0xa));
  rank.memory(40, onGpu(300, 0xa)).memory(12, onHost(9, 0xa)).memory(50, onGpu(-8, 0xc));
  const Profiled p(std::move(rank));
  const MemoryBlocks blocks = memoryBlocks(*p.trace, p.owners);
  const MemoryDevice gpu{false, 0};
  const auto at = [&](TimeNs t) {
    std::vector<std::int64_t> bytes;
    for (const MemoryBlock& block : liveBlocks(blocks, gpu, t)) bytes.push_back(block.bytes);
    return bytes;
  };
  EXPECT_EQ(at(5), (std::vector<std::int64_t>{8}));
  EXPECT_EQ(at(20), (std::vector<std::int64_t>{100, 50, 8}));
  EXPECT_EQ(at(30), (std::vector<std::int64_t>{50, 8}));
  EXPECT_EQ(at(1000), (std::vector<std::int64_t>{300, 50}));
  const MemoryBlock first = liveBlocks(blocks, gpu, 20, 1).at(0);
  EXPECT_EQ(p.names[p.trace->events.name[first.allocatedBy]], "maker");
  EXPECT_EQ(first.life, (TimeRange{10, 30}));
  EXPECT_EQ(p.trace->memory[first.release].bytes, -100);
  EXPECT_EQ(blocks.allocatedBefore, 1);
  EXPECT_EQ(blocks.allocatedBeforeBytes, 8);
  EXPECT_EQ(blocks.neverFreed, 3);
  EXPECT_EQ(blocks.neverFreedBytes, 359);
}

TEST(MemoryBlocks, anAddressInUseThatIsAllocatedAgainLostItsFree) {
  HandMadeRank rank;
  rank.memory(10, onGpu(100, 0xa))
      .memory(20, onGpu(50, 0xa))
      .memory(30, onGpu(1))
      .memory(40, onGpu(-50, 0xa));
  const Profiled p(std::move(rank));
  const MemoryBlocks blocks = memoryBlocks(*p.trace, p.owners);
  ASSERT_EQ(blocks.blocks.size(), 2U); // a record without an address makes none
  EXPECT_EQ(blocks.withoutFree, 1);
  EXPECT_EQ(blocks.neverFreed, 0);
  EXPECT_EQ(blocks.blocks[0].life, (TimeRange{10, 20}));
  EXPECT_EQ(blocks.blocks[1].life, (TimeRange{20, 40}));
}

TEST(MemoryBlocks, bytesOfLiveBlocksFollowTheLevel) {
  std::mt19937 random(9);
  HandMadeRank rank;
  std::map<std::uint64_t, std::int64_t> live;
  std::int64_t allocated = 0;
  for (TimeNs t = 0; t < 500; ++t) {
    const std::uint64_t address = 1 + random() % 20;
    const auto found = live.find(address);
    const std::int64_t bytes =
        found == live.end() ? static_cast<std::int64_t>(1 + random() % 1000) : -found->second;
    if (found == live.end())
      live[address] = bytes;
    else
      live.erase(found);
    allocated += bytes;
    rank.memory(t, onGpu(bytes, address, allocated));
  }
  const Profiled p(std::move(rank));
  const MemoryBlocks blocks = memoryBlocks(*p.trace, p.owners);
  for (const MemoryLevel& level : p.profile.devices[0].levels) {
    std::int64_t sum = 0;
    for (const MemoryBlock& block : liveBlocks(blocks, {false, 0}, level.time)) sum += block.bytes;
    ASSERT_EQ(sum, level.allocated) << level.time;
  }
}

TEST(MemoryGrowth, whatEachStepFreesAgainIsNoLeak) {
  std::vector<MemoryLevel> levels;
  std::vector<TimeRange> steps;
  for (TimeNs step = 0; step < 6; ++step) {
    levels.push_back({step * 100 + 10, 1000 + step * 10, -1});
    levels.push_back({step * 100 + 80, 100, -1});
    steps.push_back({step * 100, step * 100 + 100});
  }
  const auto bySteps = memoryBySteps(levels, steps);
  ASSERT_EQ(bySteps.size(), 6U);
  EXPECT_EQ(bySteps[3].minimum, 100);
  EXPECT_EQ(bySteps[3].peak.allocated, 1030);
  const auto growth = memoryGrowth(bySteps);
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->bytesPerStep, 0);
  EXPECT_FALSE(growth->isLeak());
}

// Of the first step nobody knows what it began with.
TEST(MemoryGrowth, theFirstStepIsComparedAsTheOthersAre) {
  std::vector<MemoryLevel> levels;
  std::vector<TimeRange> steps;
  for (TimeNs step = 0; step < 3; ++step) {
    steps.push_back({step * 10, step * 10 + 10});
    const std::int64_t kept = 100 + 64 * step;
    levels.push_back({step * 10 + 1, kept, -1});
    levels.push_back({step * 10 + 2, kept + 1000, -1});
    levels.push_back({step * 10 + 9, kept, -1});
  }
  const auto growth = memoryGrowth(memoryBySteps(levels, steps));
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->growingSteps, 2);
  EXPECT_DOUBLE_EQ(growth->bytesPerStep, 64);
}

TEST(MemoryGrowth, aStepWithoutARecordHasTheLevelItBeganWith) {
  const std::vector<MemoryLevel> levels{{1, 100, -1}, {25, 300, -1}};
  const std::vector<TimeRange> steps{{0, 10}, {10, 20}, {20, 30}};
  const auto bySteps = memoryBySteps(levels, steps);
  ASSERT_EQ(bySteps.size(), 3U);
  EXPECT_EQ(bySteps[1].minimum, 100);
  EXPECT_EQ(bySteps[1].peak.time, 10);
  EXPECT_EQ(bySteps[2].minimum, 300);
}

TEST(MemoryGrowth, aLevelThatRisesWithEveryStepIsALeakWhateverOneStepDoes) {
  std::vector<StepMemory> steps;
  for (TimeNs i = 0; i < 20; ++i)
    steps.push_back({{i * 10, i * 10 + 10}, i == 7 ? 0 : 5000 + i * 64, {i * 10, 9000, -1}});
  const auto growth = memoryGrowth(steps);
  ASSERT_TRUE(growth);
  EXPECT_DOUBLE_EQ(growth->bytesPerStep, 64);
  EXPECT_EQ(growth->growingSteps, 18);
  EXPECT_TRUE(growth->isLeak());
  EXPECT_FALSE(memoryGrowth(std::span(steps).first(2)));
}

TEST(MemoryGrowth, moreStepsThanAreComparedKeepTheSlope) {
  std::vector<StepMemory> steps;
  for (TimeNs i = 0; i < 2500; ++i) steps.push_back({{i, i + 1}, i * 8, {i, i * 8, -1}});
  EXPECT_DOUBLE_EQ(memoryGrowth(steps)->bytesPerStep, 8);
}

TEST(MemoryGrowth, aStepThatNeedsMuchMoreThanTheOthersIsASpike) {
  std::vector<StepMemory> steps;
  constexpr std::int64_t kGigabyte = 1 << 30;
  for (TimeNs i = 0; i < 8; ++i)
    steps.push_back({{i, i + 1}, 0, {i, kGigabyte + (i == 5 ? kGigabyte / 2 : i), -1}});
  const auto spikes = memorySpikes(steps);
  ASSERT_EQ(spikes.size(), 1U);
  EXPECT_EQ(spikes[0].step, 5U);
  EXPECT_NEAR(static_cast<double>(spikes[0].typicalPeak), static_cast<double>(kGigabyte), 8);
  EXPECT_TRUE(memorySpikes(steps, kGigabyte).empty());
}

} // namespace rankscope
