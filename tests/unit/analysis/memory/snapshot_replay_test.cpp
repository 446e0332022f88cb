// SPDX-License-Identifier: GPL-3.0-or-later
// Allocations and frees of memory snapshots, forward and back: blocks, errors, roles. Covers
// core/analysis/memory/stack_role, core/analysis/memory/memory_role, core/analysis/memory/block_stack and
// core/analysis/memory/oom_advice.
#include "core/analysis/memory/snapshot_replay.h"

#include "core/analysis/memory/block_stack.h"
#include "core/analysis/memory/oom_advice.h"
#include "core/report/snapshot_tables.h"
#include "tests/unit/io/snapshots/memory_oracles.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::fileOf;
using test::memoryFolder;
using test::resultsOfSnapshot;

// A device with one segment of 4 MiB at 0x1000000, all free at the end.
struct HandMade {
  MemorySnapshot snapshot;

  explicit HandMade(std::int64_t requested = 0) {
    SnapshotDevice& device = snapshot.devices.emplace_back();
    device.segments.push_back({.address = 0x1000000, .bytes = 4 << 20, .blockCount = 1});
    device.blocks.push_back({.address = 0x1000000,
                             .bytes = 4 << 20,
                             .requested = requested,
                             .state = requested > 0 ? BlockState::Active : BlockState::Inactive});
  }
  void add(AllocatorAction action, std::uint64_t address, std::int64_t bytes) {
    AllocatorEntry entry;
    entry.action = action;
    entry.address = address;
    entry.bytes = bytes;
    snapshot.devices.front().entries.push_back(entry);
  }
  [[nodiscard]] DeviceReplay replay() const {
    return replayDevice(snapshot, snapshot.devices.front(), stackRoles(snapshot.stacks));
  }
};

} // namespace

TEST(SnapshotReplay, undoesPiecesOfExpandableSegments) {
  HandMade made;
  made.snapshot.devices.front().segments.front().expandable = true;
  made.add(AllocatorAction::SegmentMap, 0x1000000, 2 << 20);
  made.add(AllocatorAction::SegmentMap, 0x1000000 + (2 << 20), 2 << 20);
  made.add(AllocatorAction::SegmentMap, 0x1000000 + (4 << 20), 2 << 20);
  made.add(AllocatorAction::SegmentUnmap, 0x1000000 + (4 << 20), 2 << 20);
  const DeviceReplay replay = made.replay();
  EXPECT_EQ(replay.startReserved, 0);
  const std::vector<std::int64_t> sizes{0, 2 << 20, 4 << 20, 6 << 20, 4 << 20};
  for (std::int32_t entry = kBeforeFirst; entry <= replay.last(); ++entry) {
    const SegmentMap map = segmentsAt(replay, entry);
    const std::int64_t expected = sizes[static_cast<std::size_t>(std::int64_t{entry} + 1)];
    EXPECT_EQ(map.segments.size(), expected > 0 ? 1U : 0U) << entry;
    EXPECT_EQ(map.releasable, expected);
  }
  EXPECT_EQ(replay.peakReserved.bytes, 6 << 20);
}

TEST(SnapshotReplay, tellsWhyMemoryRanOut) {
  const auto cause = [](std::int64_t asked, std::uint64_t driverFree, std::int64_t held) {
    HandMade made(held);
    AllocatorEntry oom;
    oom.action = AllocatorAction::OutOfMemory;
    oom.bytes = asked;
    oom.address = driverFree;
    made.snapshot.devices.front().entries.push_back(oom);
    SnapshotDevice& device = made.snapshot.devices.front();
    if (held > 0) { // at the middle of the segment
      device.blocks = {
          {.address = 0x1000000, .bytes = 1 << 20},
          {.address = 0x1100000, .bytes = 2 << 20, .requested = held, .state = BlockState::Active},
          {.address = 0x1300000, .bytes = 1 << 20}};
      device.segments.front().blockCount = 3;
    }
    return made.replay().ooms.front().cause;
  };
  EXPECT_EQ(cause(3 << 20, 0, 0), OomCause::OtherPool);
  EXPECT_EQ(cause(5 << 20, 2 << 20, 0), OomCause::Retry);
  EXPECT_EQ(cause(3 << 19, 0, 2 << 20), OomCause::Fragmentation);
  EXPECT_EQ(cause(64 << 20, 1 << 20, 2 << 20), OomCause::Full);
}

TEST(SnapshotReplay, tellsTheFirstAndTheLastOfSeveralErrors) {
  HandMade made;
  made.add(AllocatorAction::OutOfMemory, 1 << 20, 64 << 20);
  EXPECT_TRUE(oomSentence(made.replay()).starts_with("Out of memory: asked for 64.0 MiB; "));
  made.add(AllocatorAction::OutOfMemory, 1 << 20, 32 << 20);
  made.add(AllocatorAction::OutOfMemory, 0, 3 << 20);
  const std::string sentence = oomSentence(made.replay());
  EXPECT_TRUE(sentence.starts_with("Out of memory, 3 times. First (entry 0): asked for 64.0 MiB; "))
      << sentence;
  EXPECT_NE(sentence.find("The device is full: 59.0 MiB are missing. Last (entry 2): asked for 3.0 MiB; "),
            std::string::npos)
      << sentence;
  EXPECT_NE(sentence.find("is kept for blocks of another size"), std::string::npos) << sentence;
}

// What is missing is said first, and where the file ends.
TEST(SnapshotReplay, saysFirstThatTheFileIsCut) {
  HandMade made;
  made.snapshot.partial = true;
  made.snapshot.bytes = 36085;
  made.snapshot.settings = {{"expandable_segments", "True"}};
  EXPECT_EQ(
      snapshotQuality(made.replay()).front(),
      "The file is truncated at byte 36085: its history, if it had one, is missing, and so may be segments.");
  const auto markOf = [](const MemorySnapshot& snapshot) {
    const ResultTable table = snapshotsTable(*resultsOfSnapshot(snapshot));
    return exactText(table, 0, *table.columnNamed("truncated"));
  };
  EXPECT_EQ(markOf(made.snapshot), "1");
  made.add(AllocatorAction::Alloc, 0x1000000, 512);
  EXPECT_EQ(truncationSentence(made.snapshot),
            "The file is truncated at byte 36085: what follows its entries may be missing.");
  made.snapshot.settings.clear();
  EXPECT_EQ(truncationSentence(made.snapshot), "The file is truncated at byte 36085: its last entries may be "
                                               "missing. Curves are computed from its end, "
                                               "so that they may be wrong.");
  made.snapshot.partial = false;
  EXPECT_EQ(truncationSentence(made.snapshot), "");
  EXPECT_EQ(markOf(made.snapshot), "0");
}

// More was freed than was there: bytes do not become negative.
TEST(SnapshotReplay, aDamagedCurveDoesNotGoBelowZero) {
  HandMade made;
  made.add(AllocatorAction::Alloc, 0x1000000, 512);
  const DeviceReplay replay = made.replay();
  EXPECT_EQ(replay.startActive, 0);
  for (const std::int64_t level : replay.active) EXPECT_GE(level, 0);
}

// Of several devices, only the one whose times step back says so.
TEST(SnapshotReplay, saysOfWhichDeviceTimesStepBack) {
  HandMade made;
  made.add(AllocatorAction::Alloc, 0x1000000, 512);
  const auto told = [&] {
    const std::vector<std::string> lines = snapshotQuality(made.replay());
    return std::ranges::find(lines, "Times step back once.") != lines.end();
  };
  EXPECT_FALSE(told());
  made.snapshot.devices.emplace_back().timeStepsBack = 1;
  EXPECT_FALSE(told());
  made.snapshot.devices.front().timeStepsBack = 1;
  EXPECT_TRUE(told());
}

TEST(SnapshotReplay, saysWhoseTheFreeBlockIs) {
  HandMade made;
  SnapshotDevice& device = made.snapshot.devices.front();
  device.segments.front().stream = 7;
  device.segments.front().pool = made.snapshot.stacks.addText("0,1");
  AllocatorEntry oom;
  oom.action = AllocatorAction::OutOfMemory;
  oom.bytes = 3 << 20;
  device.entries.push_back(oom);
  const DeviceReplay replay = made.replay();
  const OomReport& report = replay.ooms.front();
  EXPECT_EQ(report.cause, OomCause::OtherPool);
  EXPECT_EQ(report.holeStream, 7U);
  const std::string sentence = oomSentence(replay);
  EXPECT_TRUE(
      sentence.ends_with("another stream or pool: to stream 7, and stream 0 asked; in private pool (0,1)."))
      << sentence;
  const std::string advice = oomAdvice(replay);
  EXPECT_TRUE(
      advice.starts_with("Only CUDA graphs or a torch.cuda.MemPool may allocate in private pool (0,1)"))
      << advice;
}

TEST(SnapshotReplay, advisesByWhatIsLargestAndHowTheAllocatorIsSet) {
  HandMade made(900);
  SnapshotDevice& device = made.snapshot.devices.front();
  StackPool& stacks = made.snapshot.stacks;
  const std::uint32_t frame =
      stacks.addFrame({stacks.addText("/env/torch/optim/adam.py"), stacks.addText("step"), 1});
  device.blocks.front().stack = stacks.addStack(std::vector<std::uint32_t>{frame});
  made.add(AllocatorAction::Alloc, 0x1000000, 900);
  device.entries.back().stack = device.blocks.front().stack;
  made.add(AllocatorAction::OutOfMemory, 0, 64 << 20);
  const std::string full = oomAdvice(made.replay());
  EXPECT_TRUE(full.starts_with("Largest then: optimizer state 900 B. ZeRO-1")) << full;
  made.snapshot.settings = {{"expandable_segments", "False"}};
  // More than any hole, less than what is free.
  device.entries.back().bytes = 3 << 20;
  device.entries.back().address = 1 << 20;
  device.blocks = {{.address = 0x1000000, .bytes = 2 << 20, .requested = 900, .state = BlockState::Active},
                   {.address = 0x1200000, .bytes = 2 << 20}};
  device.segments.front().blockCount = 2;
  EXPECT_EQ(made.replay().ooms.front().cause, OomCause::Fragmentation);
  EXPECT_NE(oomAdvice(made.replay()).find("expandable_segments:True"), std::string::npos);
  made.snapshot.settings = {{"expandable_segments", "True"}};
  EXPECT_EQ(oomAdvice(made.replay()).find("expandable_segments:True"), std::string::npos);
  EXPECT_EQ(snapshotQuality(made.replay()).front(), "Allocator: expandable_segments:True.");
}

TEST(SnapshotReplay, countsContradictions) {
  HandMade made;
  made.add(AllocatorAction::Alloc, 0x1000000, 512);
  made.add(AllocatorAction::Alloc, 0x1000000, 1024);
  made.add(AllocatorAction::FreeCompleted, 0x1000000, 99);
  made.add(AllocatorAction::Alloc, 0x1001000, 512);
  const DeviceReplay replay = made.replay();
  EXPECT_EQ(replay.contradictions, 2U);
  EXPECT_EQ(replay.lost, 1U);
  const auto says = [](const DeviceReplay& of, const char* line) {
    const std::vector<std::string> lines = snapshotQuality(of);
    return std::ranges::find(lines, line) != lines.end();
  };
  EXPECT_TRUE(says(replay, "3 entries contradict each other."));
  HandMade one;
  one.add(AllocatorAction::Alloc, 0x1000000, 512);
  EXPECT_TRUE(says(one.replay(), "1 entry contradicts the others."));
}

TEST(SnapshotReplay, rolesFollowWhatOutlivesItsPartOfTheStep) {
  HandMade made;
  StackPool& stacks = made.snapshot.stacks;
  const auto stack = [&](const char* file, const char* function) {
    const std::uint32_t frame = stacks.addFrame({stacks.addText(file), stacks.addText(function), 1});
    return stacks.addStack(std::vector<std::uint32_t>{frame});
  };
  const std::uint32_t forward = stack("/env/site-packages/torch/nn/modules/module.py", "_call_impl");
  const std::uint32_t backward = stack("engine.cpp", "torch::autograd::Engine::evaluate_function");
  const std::uint32_t optimizer = stack("C:\\env\\torch\\optim\\adam.py", "step");
  const std::uint32_t own = stack("/data/me/torchtitan/optim/x.py", "step");
  const auto add = [&](AllocatorAction action, std::uint64_t address, std::uint32_t of) {
    made.add(action, address, 512);
    made.snapshot.devices.front().entries.back().stack = of;
  };
  add(AllocatorAction::Alloc, 0x1, forward);   // an activation
  add(AllocatorAction::Alloc, 0x2, forward);   // a temporary
  add(AllocatorAction::Free, 0x2, 0);          //
  add(AllocatorAction::Alloc, 0x3, backward);  // a gradient
  add(AllocatorAction::Alloc, 0x4, backward);  // detail
  add(AllocatorAction::Free, 0x4, 0);          //
  add(AllocatorAction::Free, 0x1, 0);          //
  add(AllocatorAction::Alloc, 0x5, optimizer); // state
  add(AllocatorAction::Alloc, 0x6, optimizer); // a temporary
  add(AllocatorAction::Free, 0x6, 0);          //
  add(AllocatorAction::Alloc, 0x7, own);       // other
  add(AllocatorAction::Alloc, 0x8, forward);   // the next step
  add(AllocatorAction::Free, 0x3, 0);
  std::map<std::uint64_t, MemoryRole> roles;
  const DeviceReplay replay = made.replay();
  for (const BlockLife& life : replay.lives) roles[life.address] = life.role;
  EXPECT_EQ(roles[1], MemoryRole::Activation);
  EXPECT_EQ(roles[2], MemoryRole::Temporary);
  EXPECT_EQ(roles[3], MemoryRole::Gradient);
  EXPECT_EQ(roles[4], MemoryRole::AutogradDetail);
  EXPECT_EQ(roles[5], MemoryRole::OptimizerState);
  EXPECT_EQ(roles[6], MemoryRole::Temporary);
  EXPECT_EQ(roles[7], MemoryRole::Other);
}

TEST(BlockStack, stacksBlocksInTheOrderOfTheirAllocation) {
  HandMade made;
  made.add(AllocatorAction::Alloc, 0x1, 100);
  made.add(AllocatorAction::Alloc, 0x2, 10);
  made.add(AllocatorAction::Alloc, 0x3, 200);
  made.add(AllocatorAction::Free, 0x1, 100);
  made.add(AllocatorAction::Free, 0x3, 200);
  made.add(AllocatorAction::Free, 0x2, 10);
  const DeviceReplay replay = made.replay();
  const BlockStack stack(replay);
  const std::vector<std::int32_t> ends{0, 2, 2, 3, 5};
  const auto columns = stack.columns(0, ends, 50.0);
  ASSERT_EQ(columns.size(), 5U);
  EXPECT_EQ(columns[0].blocks, (std::vector<StackedBlock>{{0, 0}}));
  // The fullest entry of a column; the small block is in the middle of no pixel.
  EXPECT_EQ(columns[1].entry, 2);
  EXPECT_EQ(columns[1].active, 310);
  EXPECT_EQ(columns[1].blocks, (std::vector<StackedBlock>{{0, 0}, {2, 110}}));
  EXPECT_EQ(columns[2].active, 310) << "nothing happened in it";
  // What was there before counts: it holds until the first entry of the column.
  EXPECT_EQ(columns[3].active, 310);
  EXPECT_EQ(columns[4].blocks, (std::vector<StackedBlock>{{2, 10}}));
  EXPECT_EQ(stack.columns(4, std::vector<std::int32_t>{4}, 50.0).front().entry, 3);
  EXPECT_EQ(stack.at(2, 105), (StackedBlock{1, 100}));
  EXPECT_EQ(stack.at(2, 310), std::nullopt);
  EXPECT_EQ(stack.at(3, 15), (StackedBlock{2, 10}));
}

TEST(BlockStack, addsUpInRealSnapshots) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(memoryFolder()), test::kNoRecordings);
  auto read = readSnapshot(fileOf("gpt_adamw_fullstep.pickle").string());
  ASSERT_TRUE(read.ok());
  const auto results = resultsOfSnapshot(std::move(read).value());
  const DeviceReplay& replay = results->snapshots.front().devices.front();
  std::vector<std::int32_t> ends;
  for (std::int32_t end = 499; end < replay.last(); end += 500) ends.push_back(end);
  const BlockStack stack(replay);
  for (const BlockColumn& column : stack.columns(0, ends, 1e6)) {
    EXPECT_EQ(column.active, replay.activeAt(column.entry));
    for (const StackedBlock& block : column.blocks) {
      const auto found = stack.at(column.entry, block.below);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(*found, block);
    }
  }
}

} // namespace rankscope
