// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of memory snapshots merged by their stacks.
#include "core/report/block_stacks.h"

#include "core/io/snapshots/snapshot_reader.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training_snapshot.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<const SideResults> resultsOf(MemorySnapshot snapshot) {
  auto files = std::make_shared<SideFiles>();
  files->snapshots.push_back(std::move(snapshot));
  return sideResults(files, 1);
}

std::int64_t wholeOf(const BlockStacks& stacks) {
  ExactSum sum;
  for (const StackSum& of : stacks.sums) sum += of.weight;
  return sum;
}

std::int64_t blocksOf(const BlockStacks& stacks) {
  std::int64_t sum = 0;
  for (const StackSum& of : stacks.sums) sum += of.count;
  return sum;
}

// The bytes below a path from the outermost frame on.
std::int64_t bytesBelow(const BlockStacks& stacks, std::initializer_list<std::string_view> path) {
  std::uint32_t node = StackTree::kRoot;
  for (const std::string_view frame : path) {
    const auto next = stacks.tree.find(node, frame);
    if (!next) return -1;
    node = *next;
  }
  return totalsOf(stacks.tree, stacks.sums)[node].weight;
}

} // namespace

TEST(BlockStacks, addUpToWhatIsAllocatedAtAnyTime) {
  const fs::path folder = test::sharedFolder() / "memory" / "snapshots";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), test::kNoRecordings);
  for (const char* name : {"gpt_adamw_fullstep.pickle.gz", "windows_python_stacks.pickle", "small.pickle"}) {
    auto read = readSnapshot((folder / name).string());
    ASSERT_TRUE(read.ok());
    const auto results = resultsOf(std::move(read).value());
    const SnapshotResults& result = results->snapshots.front();
    const DeviceReplay& replay = result.devices.front();
    const std::int32_t middle = replay.last() / 2;
    for (const std::int32_t entry : {kBeforeFirst, middle, replay.peakActive.entry, replay.last()}) {
      const BlockStacks stacks = blockStacks(result, replay, kBeforeFirst, entry);
      EXPECT_EQ(wholeOf(stacks), replay.activeAt(entry)) << name << " " << entry;
      EXPECT_EQ(blocksOf(stacks), static_cast<std::int64_t>(liveBlocks(replay, entry).size()));
      EXPECT_EQ(stacks.sums.size(), stacks.tree.size());
    }
    // What was allocated after a mark is a part of what is alive.
    EXPECT_LE(wholeOf(blockStacks(result, replay, middle, replay.last())), replay.activeAt(replay.last()));
  }
}

TEST(BlockStacks, beginWithTheOutermostFrame) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "rank0_snapshot.pickle";
  std::ofstream(path, std::ios::binary) << test::trainingSnapshot({.steps = 2, .layers = 4});
  auto read = readSnapshot(path);
  ASSERT_TRUE(read.ok());
  const auto results = resultsOf(std::move(read).value());
  const SnapshotResults& result = results->snapshots.front();
  const DeviceReplay& replay = result.devices.front();
  const std::int64_t parameters = std::int64_t{4} * (32 << 20);
  const BlockStacks end = blockStacks(result, replay, kBeforeFirst, replay.last());
  EXPECT_EQ(bytesBelow(end, {"(before recording)"}), parameters);
  EXPECT_EQ(bytesBelow(end, {"/data/me/train.py(44): step"}), -1);
  EXPECT_EQ(bytesBelow(end, {"/data/me/train.py(44): train_step",
                             "/env/lib/python3.12/site-packages/torch/optim/adamw.py(232): step"}),
            2 * parameters)
      << "two states of AdamW";
  // The states were allocated in the first step: nothing of the second outlives it.
  const BlockStacks later = blockStacks(result, replay, replay.last() * 3 / 4, replay.last());
  EXPECT_EQ(wholeOf(later), 0);
  const BlockStacks since = blockStacks(result, replay, 0, replay.last());
  EXPECT_EQ(bytesBelow(since, {"(before recording)"}), -1);
  EXPECT_EQ(wholeOf(since), 2 * parameters);
  const auto own = end.tree.find(StackTree::kRoot, "/data/me/train.py(44): train_step");
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(end.tree.frameAt(*own).kind, FrameKind::OwnPython);
}

// Builds of Python with debug information name the sources of the interpreter.
TEST(BlockStacks, leaveOutFramesThatSayNothingOfTheProgram) {
  const fs::path folder = test::sharedFolder() / "memory" / "snapshots";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), test::kNoRecordings);
  for (const char* file : {"no_times_torch21.pickle.gz", "gpt_adamw_fullstep.pickle.gz"}) {
    auto read = readSnapshot((folder / file).string());
    ASSERT_TRUE(read.ok());
    const auto results = resultsOf(std::move(read).value());
    const SnapshotResults& result = results->snapshots.front();
    const DeviceReplay& replay = result.devices.front();
    const BlockStacks stacks = blockStacks(result, replay, kBeforeFirst, replay.peakActive.entry);
    EXPECT_EQ(wholeOf(stacks), replay.peakActive.bytes);
    std::size_t own = 0;
    for (std::uint32_t node = 1; node < stacks.tree.size(); ++node) {
      const std::string_view name = stacks.tree.frameAt(node).text;
      for (const char* left : {"_PyEval", "PyVectorcall", "do_call_core", "slot_tp_call",
                               "partial_vectorcall", "builtin_exec_impl", "torch::unwind", "gather_with_cpp",
                               "run_mod", "pyrun_file", "cfunction_call"})
        EXPECT_FALSE(name.starts_with(left)) << name;
      own += name.find("modeling_llama.py") != std::string_view::npos ||
                     name.find("benchmark.py") != std::string_view::npos
                 ? 1
                 : 0;
    }
    EXPECT_GT(own, 0U) << file;
  }
}

} // namespace rankscope
