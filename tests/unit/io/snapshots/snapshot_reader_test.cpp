// SPDX-License-Identifier: GPL-3.0-or-later
// Memory snapshots and timelines of real jobs against figures of an independent reading, and made ones. In
// one file, because all compare with the same figures. Covers core/io/snapshots/timeline_reader,
// core/io/pickle/stack_reader, core/model/stack_pool, core/model/memory_snapshot, core/model/memory_timeline,
// core/model/side_files, core/analysis/memory/snapshot_replay, core/analysis/memory/stack_role,
// core/analysis/memory/memory_role, core/analysis/memory/block_stack, core/analysis/memory/oom_advice,
// core/report/block_groups, core/report/snapshot_tables, core/report/snapshot_text, core/report/side_results.
#include "core/io/snapshots/snapshot_reader.h"

#include "core/analysis/memory/block_stack.h"
#include "core/analysis/memory/oom_advice.h"
#include "core/analysis/memory/snapshot_replay.h"
#include "core/io/snapshots/timeline_reader.h"
#include "core/report/block_groups.h"
#include "core/report/snapshot_tables.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

fs::path memoryFolder() {
  return test::sharedFolder() / "memory";
}

// The file that an oracle is about, where it lies: compressed or not.
fs::path fileOf(const std::string& name) {
  for (const fs::path& folder : {memoryFolder() / "snapshots", memoryFolder() / "timelines",
                                 test::sharedFolder() / "traces" / "memory-snapshot"}) {
    for (const char* ending : {"", ".gz"}) {
      if (fs::exists(folder / (name + ending))) return folder / (name + ending);
    }
  }
  return {};
}

std::vector<std::string> oraclesEnding(std::string_view ending) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(memoryFolder() / "oracles", failed)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A JSON file of figures.
class Oracle {
 public:
  explicit Oracle(const std::string& name) {
    auto read = readPlainFile((memoryFolder() / "oracles" / name).string());
    EXPECT_TRUE(read.ok());
    if (read) m_file = std::move(read).value();
  }
  [[nodiscard]] const ValueTree& values() const { return m_file.values; }
  [[nodiscard]] ValueId at(std::initializer_list<std::string_view> path, ValueId from = kNoValue) const {
    ValueId id = from == kNoValue ? m_file.root : from;
    for (const std::string_view key : path) id = values().member(id, key);
    return id;
  }
  [[nodiscard]] std::int64_t integer(std::initializer_list<std::string_view> path,
                                     ValueId from = kNoValue) const {
    return values().integer(at(path, from)).value_or(INT64_MIN);
  }

 private:
  PlainFile m_file;
};

void comparePeak(const Oracle& oracle, ValueId expected, const SnapshotPeak& peak,
                 const SnapshotDevice& device) {
  EXPECT_EQ(peak.bytes, oracle.integer({"bytes"}, expected));
  const auto event = oracle.values().integer(oracle.at({"event"}, expected));
  if (event) {
    EXPECT_EQ(peak.entry, *event);
  }
  const auto time = oracle.values().integer(oracle.at({"time_us"}, expected));
  if (time && peak.entry >= 0) {
    EXPECT_EQ(device.entries[static_cast<std::size_t>(peak.entry)].time, *time);
  }
}

void compareEnd(const Oracle& oracle, ValueId device, const DeviceReplay& replay) {
  const ValueId end = oracle.at({"end"}, device);
  EXPECT_EQ(replay.end.reserved, oracle.integer({"reserved"}, end));
  EXPECT_EQ(replay.end.activeRequested, oracle.integer({"active_requested"}, end));
  EXPECT_EQ(replay.end.allocatedRequested, oracle.integer({"allocated_requested"}, end));
  EXPECT_EQ(replay.end.activeRounded, oracle.integer({"active_rounded"}, end));
  EXPECT_EQ(replay.end.allocatedRounded, oracle.integer({"allocated_rounded"}, end));
  EXPECT_EQ(replay.end.roundingLoss(), oracle.integer({"rounding_loss"}, end));
  EXPECT_EQ(replay.end.releasable, oracle.integer({"free_in_empty_segments"}, end));
  EXPECT_EQ(replay.end.stranded, oracle.integer({"free_stranded"}, end));
  EXPECT_EQ(replay.end.largestFree, oracle.integer({"largest_free"}, end));
  EXPECT_NEAR(replay.end.fragmentation().value_or(-1),
              *oracle.values().real(oracle.at({"fragmentation"}, end)), 1e-6);
  const ValueId start = oracle.at({"start"}, device);
  EXPECT_EQ(replay.startActive, oracle.integer({"active_requested"}, start));
  EXPECT_EQ(replay.startFromBlocks, oracle.integer({"active_from_blocks"}, start));
  EXPECT_EQ(replay.startActive, replay.startFromBlocks);
  EXPECT_EQ(replay.startAllocated, oracle.integer({"allocated_requested"}, start));
  EXPECT_EQ(replay.startReserved, oracle.integer({"reserved"}, start));
}

std::string frameOrNone(const SnapshotResults& result, const BlockLife& life) {
  const std::uint32_t frame = result.roles.ownFrame[life.stack];
  return frame == kNoFrame ? std::string("(none)") : result.snapshot->stacks.frameText(frame);
}

void comparePeakBlocks(const Oracle& oracle, ValueId device, const SnapshotResults& result,
                       const DeviceReplay& replay) {
  const ValueTree& values = oracle.values();
  const std::vector<std::uint32_t> live = liveBlocks(replay, replay.peakActive.entry);
  EXPECT_EQ(static_cast<std::int64_t>(live.size()), oracle.integer({"live_at_peak", "blocks"}, device));
  std::size_t i = 0;
  values.eachItem(oracle.at({"top10_at_peak"}, device), [&](ValueId item) {
    ASSERT_LT(i, live.size());
    const BlockLife& life = replay.lives[live[i++]];
    EXPECT_EQ(static_cast<std::int64_t>(life.address), oracle.integer({"addr"}, item));
    EXPECT_EQ(life.bytes, oracle.integer({"bytes"}, item));
    if (const auto event = values.integer(values.member(item, "alloc_event"))) {
      EXPECT_EQ(life.allocated, *event);
    }
    EXPECT_EQ(static_cast<std::int64_t>(result.snapshot->stacks.stack(life.stack).size()),
              oracle.integer({"frames"}, item));
    const std::string_view frame = values.text(values.member(item, "user_frame"));
    EXPECT_EQ(frameOrNone(result, life), frame.empty() ? "(none)" : frame);
  });
  std::map<std::string, std::int64_t> expected, found;
  values.eachMember(oracle.at({"bytes_at_peak_by_stack_class"}, device), [&](ValueId key, ValueId value) {
    expected.emplace(values.text(key), *values.integer(value));
  });
  for (const auto& [name, bytes] : bytesByStackClass(replay, replay.peakActive.entry))
    found.emplace(name, bytes);
  EXPECT_EQ(found, expected);
  std::map<std::string, std::int64_t> byFrame;
  for (const std::uint32_t index : live)
    byFrame[frameOrNone(result, replay.lives[index])] += replay.lives[index].bytes;
  values.eachItem(oracle.at({"bytes_at_peak_by_user_frame"}, device), [&](ValueId item) {
    const std::string frame(values.text(values.item(item, 0)));
    EXPECT_EQ(byFrame[frame], *values.integer(values.item(item, 1))) << frame;
  });
}

void compareOoms(const Oracle& oracle, ValueId device, const DeviceReplay& replay) {
  std::size_t i = 0;
  oracle.values().eachItem(oracle.at({"oom"}, device), [&](ValueId item) {
    ASSERT_LT(i, replay.ooms.size());
    const OomReport& oom = replay.ooms[i++];
    EXPECT_EQ(oom.entry, oracle.integer({"event"}, item));
    EXPECT_EQ(oom.asked, oracle.integer({"requested"}, item));
    EXPECT_EQ(oom.driverFree, oracle.integer({"device_free"}, item));
    EXPECT_EQ(oom.active, oracle.integer({"active_before"}, item));
    EXPECT_EQ(oom.reserved, oracle.integer({"reserved_before"}, item));
    EXPECT_EQ(oom.cached, oracle.integer({"cached_free"}, item));
  });
  EXPECT_EQ(i, replay.ooms.size());
}

std::shared_ptr<const SideResults> resultsOf(MemorySnapshot snapshot) {
  auto files = std::make_shared<SideFiles>();
  files->snapshots.push_back(std::move(snapshot));
  return sideResults(files, 1);
}

std::shared_ptr<const SideResults> madeSnapshot(const test::SnapshotShape& shape) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "rank3_snapshot.pickle";
  std::ofstream file(path, std::ios::binary);
  test::writeSnapshot(shape, [&](std::string_view part) { file << part; });
  file.close();
  auto read = readSnapshot(path);
  EXPECT_TRUE(read.ok());
  return resultsOf(std::move(read).value());
}

} // namespace

TEST(SnapshotReader, equalsTheFiguresOfRealSnapshots) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(memoryFolder()), test::kNoRecordings);
  std::size_t compared = 0;
  for (const std::string& name : oraclesEnding(".oracle.json")) {
    const Oracle oracle(name + ".oracle.json");
    if (oracle.at({"pickle_bytes"}) == kNoValue) continue;
    SCOPED_TRACE(name);
    const auto plain = readPlainFile(fileOf(name).string());
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(plain->protocol, oracle.integer({"protocol"}));
    auto snapshot = snapshotOf(*plain);
    ASSERT_TRUE(snapshot.ok());
    EXPECT_EQ(snapshot->damaged, 0U);
    EXPECT_EQ(snapshot->sizesApart, 0U);
    EXPECT_FALSE(snapshot->partial);
    const auto results = resultsOf(std::move(snapshot).value());
    const SnapshotResults& result = results->snapshots.front();
    std::size_t devices = 0;
    oracle.values().eachMember(oracle.at({"devices"}), [&](ValueId key, ValueId device) {
      ASSERT_LT(devices, result.devices.size());
      const DeviceReplay& replay = result.devices[devices++];
      EXPECT_EQ(std::to_string(replay.device->device), oracle.values().text(key));
      EXPECT_EQ(static_cast<std::int64_t>(replay.device->entries.size()), oracle.integer({"events"}, device));
      EXPECT_EQ(static_cast<std::int64_t>(replay.device->segments.size()),
                oracle.integer({"segments"}, device));
      EXPECT_EQ(static_cast<std::int64_t>(replay.contradictions),
                oracle.integer({"check", "alloc_over_open_block_or_size_change"}, device));
      EXPECT_EQ(static_cast<std::int64_t>(replay.lost),
                oracle.integer({"check", "open_alloc_without_final_block"}, device));
      compareEnd(oracle, device, replay);
      comparePeak(oracle, oracle.at({"peak_active_requested"}, device), replay.peakActive, *replay.device);
      comparePeak(oracle, oracle.at({"peak_allocated_requested"}, device), replay.peakAllocated,
                  *replay.device);
      comparePeak(oracle, oracle.at({"peak_reserved"}, device), replay.peakReserved, *replay.device);
      comparePeakBlocks(oracle, device, result, replay);
      compareOoms(oracle, device, replay);
    });
    EXPECT_EQ(devices, result.devices.size());
    ++compared;
  }
  EXPECT_GE(compared, 9U);
}

// Wherever a file was cut, the text says that it was: it is neither empty nor without history.
TEST(SnapshotReader, aCutFileIsNoSnapshotWithoutHistory) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(memoryFolder()), test::kNoRecordings);
  const fs::path whole = fileOf("rank0_memory_snapshot.pickle");
  const test::TemporaryFolder folder;
  const std::string path = folder / "cut.pickle";
  std::size_t read = 0;
  for (const int share : {1, 5, 20, 50, 80, 99}) {
    fs::copy_file(whole, path, fs::copy_options::overwrite_existing);
    fs::resize_file(path, fs::file_size(whole) * static_cast<std::uintmax_t>(share) / 100);
    auto cut = readSnapshot(path);
    if (!cut.ok()) continue;
    ++read;
    const std::string text = snapshotText(*resultsOf(std::move(cut).value()));
    EXPECT_NE(text.find("truncated"), std::string::npos) << share << " %: " << text;
    EXPECT_EQ(text.find("No history"), std::string::npos) << share << " %: " << text;
    EXPECT_EQ(text.find("is empty"), std::string::npos) << share << " %: " << text;
  }
  EXPECT_GT(read, 2U);
}

TEST(SnapshotReader, namesTheCauseOfARealOutOfMemoryError) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(memoryFolder()), test::kNoRecordings);
  auto read = readSnapshot(fileOf("rank0_memory_snapshot.pickle").string());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->rank, 0);
  const auto results = resultsOf(std::move(read).value());
  const DeviceReplay& replay = results->snapshots.front().devices.front();
  ASSERT_EQ(replay.ooms.size(), 1U);
  EXPECT_EQ(replay.ooms.front().cause, OomCause::Fragmentation);
  EXPECT_NE(oomSentence(replay).find("Fragmentation"), std::string::npos);
  EXPECT_NE(snapshotText(*results).find("expandable_segments:True"), std::string::npos);
  const ResultTable table = snapshotsTable(*results);
  ASSERT_EQ(table.rowCount(), 1U);
  EXPECT_EQ(exactText(table, 0, *table.columnNamed("verdict")), "fragmentation");
  EXPECT_EQ(exactText(table, 0, *table.columnNamed("oom_asked_bytes")), "4202692608");
}

TEST(SnapshotReader, theBlocksOfAnyTimeAddUpToTheCurve) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(memoryFolder()), test::kNoRecordings);
  for (const char* name : {"gpt_adamw_fullstep.pickle", "windows_python_stacks.pickle", "small.pickle"}) {
    auto read = readSnapshot(fileOf(name).string());
    ASSERT_TRUE(read.ok());
    const auto results = resultsOf(std::move(read).value());
    const SnapshotResults& result = results->snapshots.front();
    const DeviceReplay& replay = result.devices.front();
    const std::int32_t step = std::max(1, replay.last() / 7);
    std::size_t groupings = 0;
    for (std::int32_t entry = kBeforeFirst; entry <= replay.last(); entry += step) {
      std::int64_t sum = 0;
      for (const std::uint32_t index : liveBlocks(replay, entry)) sum += replay.lives[index].bytes;
      EXPECT_EQ(sum, replay.activeAt(entry)) << name << " " << entry;
      std::int64_t reserved = 0;
      for (const SegmentState& segment : segmentsAt(replay, entry).segments) reserved += segment.bytes;
      EXPECT_EQ(reserved, replay.reservedAt(entry)) << name << " " << entry;
      std::int64_t grown = 0;
      std::int64_t held = 0;
      for (const BlockGroup& group :
           blockGroups(result, replay, static_cast<BlockGrouping>(groupings++ % kBlockGroupings),
                       kBeforeFirst, entry)) {
        grown += group.growth;
        held += group.bytes;
      }
      EXPECT_EQ(grown, replay.activeAt(entry) - replay.startActive);
      EXPECT_EQ(held, replay.activeAt(entry));
    }
    const SegmentMap end = segmentsAt(replay, replay.last());
    EXPECT_EQ(end.releasable, replay.end.releasable);
    EXPECT_EQ(end.stranded, replay.end.stranded);
    EXPECT_EQ(end.largestHole, replay.end.largestFree);
  }
}

TEST(SnapshotReader, readsMadeSnapshots) {
  const auto results = madeSnapshot({.entries = 2500, .stacks = 50, .frames = 8});
  const SnapshotResults& result = results->snapshots.front();
  EXPECT_EQ(result.snapshot->rank, 3);
  EXPECT_EQ(result.snapshot->stacks.stackCount(), 51U);
  const DeviceReplay& replay = result.devices.front();
  EXPECT_EQ(replay.device->entries.size(), 2500U);
  EXPECT_EQ(replay.contradictions + replay.lost, 0U);
  EXPECT_EQ(replay.startActive, 0);
  EXPECT_EQ(replay.peakActive.bytes, 999);
  EXPECT_EQ(snapshotBlocksTable(*results).rowCount(), 1U);
  EXPECT_EQ(snapshotSegmentsTable(*results).rowCount(), 1U);
  EXPECT_NE(snapshotJson(*results).find("\"peak_active\""), std::string::npos);
}

namespace {

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

TEST(SnapshotReader, doesNotInventWhatTheDriverHadFree) {
  test::PickleWriter to;
  to.dictOf([&] {
    to.text("segments");
    to.listOf([] {});
    to.text("device_traces");
    to.listOf([&] {
      to.listOf([&] {
        to.dictOf([&] {
          to.key("action", "oom");
          to.key("size", 64 << 20);
          to.key("stream", 0);
        });
      });
    });
  });
  const test::TemporaryFolder folder;
  const std::string path = folder / "snapshot.pickle";
  std::ofstream(path, std::ios::binary) << to.take();
  auto read = readSnapshot(path);
  ASSERT_TRUE(read.ok());
  const auto results = resultsOf(std::move(read).value());
  const DeviceReplay& replay = results->snapshots.front().devices.front();
  ASSERT_EQ(replay.ooms.size(), 1U);
  EXPECT_EQ(replay.ooms.front().driverFree, std::nullopt);
  const std::string sentence = oomSentence(replay);
  EXPECT_NE(sentence.find("the driver had an unknown amount free"), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find("missing"), std::string::npos) << sentence;
  const ResultTable table = snapshotsTable(*results);
  EXPECT_EQ(exactText(table, 0, *table.columnNamed("oom_free_bytes")), "");
  EXPECT_NE(snapshotJson(*results).find("\"driver_free\": null"), std::string::npos);
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
    const ResultTable table = snapshotsTable(*resultsOf(snapshot));
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

TEST(SnapshotReader, aCutFileWithoutSegmentsIsNotEmpty) {
  test::PickleWriter to;
  to.dictOf([&] {
    to.text("segments");
    to.listOf([] {});
  });
  std::string bytes = to.take();
  bytes.resize(bytes.size() - 2); // without the end of the dictionary
  const test::TemporaryFolder folder;
  const std::string path = folder / "cut.pickle";
  std::ofstream(path, std::ios::binary) << bytes;
  auto read = readSnapshot(path);
  ASSERT_TRUE(read.ok()) << read.error().text();
  const auto results = resultsOf(std::move(read).value());
  const std::string truncated =
      "The file is truncated at byte " + std::to_string(bytes.size()) + ": what it held is missing.";
  EXPECT_EQ(snapshotText(*results), path + "\n  " + truncated + "\n");
  EXPECT_NE(snapshotJson(*results).find("\"truncated_at_byte\": " + std::to_string(bytes.size())),
            std::string::npos);
  EXPECT_NE(snapshotJson(*results).find(truncated), std::string::npos);
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

TEST(SnapshotReader, saysWhereSizesOfSegmentsAreNotThoseOfTheirBlocks) {
  const auto apart = [](std::int64_t said, std::int64_t total) {
    test::PickleWriter to;
    to.listOf([&] {
      to.dictOf([&] {
        to.key("device", 0);
        to.key("address", 4096);
        to.key("total_size", total);
        to.key("active_size", said);
        to.text("blocks");
        to.listOf([&] {
          for (const char* state : {"active_allocated", "inactive"})
            to.dictOf([&] {
              to.key("size", 2048);
              to.key("state", state);
            });
        });
      });
    });
    const test::TemporaryFolder folder;
    const std::string path = folder / "snapshot.pickle";
    std::ofstream(path, std::ios::binary) << to.take();
    auto read = readSnapshot(path);
    EXPECT_TRUE(read.ok());
    return read->sizesApart;
  };
  EXPECT_EQ(apart(2048, 4096), 0U);
  EXPECT_EQ(apart(4096, 4096), 1U);
  EXPECT_EQ(apart(2048, 8192), 1U);
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
  const auto results = resultsOf(std::move(read).value());
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

TEST(TimelineReader, equalsTheFiguresOfRealTimelines) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(memoryFolder()), test::kNoRecordings);
  std::size_t compared = 0;
  for (const std::string& name : oraclesEnding(".oracle.json")) {
    const Oracle oracle(name + ".oracle.json");
    if (oracle.at({"form"}) == kNoValue) continue;
    SCOPED_TRACE(name);
    // "paired_adam.timeline.json" is timeline.json in the folder paired_adam.
    fs::path path = fileOf(name);
    if (path.empty())
      path = memoryFolder() / "timelines" / name.substr(0, name.find('.')) / name.substr(name.find('.') + 1);
    const auto read = readMemoryTimeline(path.string());
    ASSERT_TRUE(read.ok()) << read.error().text();
    const std::int64_t unit = read->raw ? 1 : 1000;
    const ValueTree& values = oracle.values();
    EXPECT_EQ(read->raw, values.text(oracle.at({"form"})) == "raw");
    EXPECT_EQ(static_cast<std::int64_t>(read->rows), oracle.integer({read->raw ? "rows" : "points"}));
    EXPECT_EQ(read->points.front().time, oracle.integer({read->raw ? "first_ns" : "first_us"}) * unit);
    EXPECT_EQ(read->points.back().time, oracle.integer({read->raw ? "last_ns" : "last_us"}) * unit);
    if (read->raw) {
      EXPECT_EQ(read->preexisting, oracle.integer({"preexisting_bytes"}));
      EXPECT_EQ(static_cast<std::int64_t>(read->timesWithNegative),
                oracle.integer({"times_with_a_negative_category"}));
      EXPECT_EQ(static_cast<std::int64_t>(read->stepsBack), oracle.integer({"unsorted"}));
    }
    const TimelinePoint& peak = read->points[read->peak];
    EXPECT_EQ(peak.total(), oracle.integer({"peak", "bytes"}));
    EXPECT_EQ(peak.time, oracle.integer({"peak", read->raw ? "time_ns" : "time_us"}) * unit);
    static constexpr std::array<std::string_view, kTimelineCategories> kNames{
        "PARAMETER",  "OPTIMIZER_STATE", "INPUT",           "TEMPORARY",
        "ACTIVATION", "GRADIENT",        "AUTOGRAD_DETAIL", "Unknown"};
    for (std::size_t c = 0; c < kTimelineCategories; ++c) {
      // Categories that never come are not listed.
      const auto expected = [&](ValueId of) {
        return values.integer(values.member(of, kNames[c])).value_or(0);
      };
      EXPECT_EQ(peak.bytes[c], expected(oracle.at({"peak", "by_category"}))) << kNames[c];
      EXPECT_EQ(read->largest[c], expected(oracle.at({"max_by_category"}))) << kNames[c];
      EXPECT_EQ(read->points.back().bytes[c], expected(oracle.at({"end"}))) << kNames[c];
    }
    ++compared;
  }
  EXPECT_GE(compared, 9U);
}

TEST(StackPools, aCopyOutlivesWhatItWasCopiedFrom) {
  const std::string name = "a text that is longer than a string holds in itself";
  auto first = std::make_unique<StackPool>();
  const std::uint32_t id = first->addText(name);
  StackPool copy(*first);
  StackPool assigned;
  assigned = *first;
  first.reset();
  EXPECT_EQ(copy.addText(name), id);
  EXPECT_EQ(assigned.addText(name), id);
  EXPECT_EQ(copy.text(id), name);
  const StackPool moved = std::move(copy);
  EXPECT_EQ(moved.text(id), name);
}

} // namespace rankscope
