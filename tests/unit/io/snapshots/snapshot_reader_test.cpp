// SPDX-License-Identifier: GPL-3.0-or-later
// Memory snapshots of real jobs against figures of an independent reading, and made ones. Covers
// core/io/pickle/stack_reader, core/model/memory_snapshot, core/model/side_files,
// core/report/snapshot_tables, core/report/snapshot_text, core/report/block_groups and
// core/report/side_results.
#include "core/io/snapshots/snapshot_reader.h"

#include "core/analysis/memory/snapshot_replay.h"
#include "core/report/block_groups.h"
#include "core/report/snapshot_tables.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/snapshots/memory_oracles.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::fileOf;
using test::memoryFolder;
using test::Oracle;
using test::oraclesEnding;
using test::resultsOfSnapshot;

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

std::shared_ptr<const SideResults> madeSnapshot(const test::SnapshotShape& shape) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "rank3_snapshot.pickle";
  std::ofstream file(path, std::ios::binary);
  test::writeSnapshot(shape, [&](std::string_view part) { file << part; });
  file.close();
  auto read = readSnapshot(path);
  EXPECT_TRUE(read.ok());
  return resultsOfSnapshot(std::move(read).value());
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
    const auto results = resultsOfSnapshot(std::move(snapshot).value());
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
    const std::string text = snapshotText(*resultsOfSnapshot(std::move(cut).value()));
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
  const auto results = resultsOfSnapshot(std::move(read).value());
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
    const auto results = resultsOfSnapshot(std::move(read).value());
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
  const auto results = resultsOfSnapshot(std::move(read).value());
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
  const auto results = resultsOfSnapshot(std::move(read).value());
  const std::string truncated =
      "The file is truncated at byte " + std::to_string(bytes.size()) + ": what it held is missing.";
  EXPECT_EQ(snapshotText(*results), path + "\n  " + truncated + "\n");
  EXPECT_NE(snapshotJson(*results).find("\"truncated_at_byte\": " + std::to_string(bytes.size())),
            std::string::npos);
  EXPECT_NE(snapshotJson(*results).find(truncated), std::string::npos);
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

} // namespace rankscope
