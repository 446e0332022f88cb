// SPDX-License-Identifier: GPL-3.0-or-later
// Where files beside recordings are on the timeline: calls of Flight Recorder dumps, memory snapshots with
// the same clock. Covers core/report/hang_places, core/report/snapshot_clock.
#include "core/io/load/trace_loader.h"
#include "core/report/hang_places.h"
#include "core/report/snapshot_clock.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

constexpr std::int64_t kBase = 1'700'000'000'000'000'000;

std::shared_ptr<const Analysis> analysisOf(const test::TraceText& trace, const char* name = "rank3.json") {
  const test::TemporaryFolder folder;
  const std::string path = folder / name;
  test::writeTraceFile(path, trace.text());
  Progress progress;
  auto job = loadTraces({path}, {}, progress);
  EXPECT_TRUE(job.ok());
  return std::make_shared<const Analysis>(*job);
}

test::TraceText recording() {
  test::TraceText trace;
  trace.distributedInfo(3, 4).baseTime(kBase);
  trace.addCpuOp(1, 0, 300'000'000, "train");
  return trace;
}

FlightRecord dumpOf(int rank, std::int64_t sequence, std::int64_t created) {
  FlightRecord record;
  record.rank = rank;
  FlightEntry& entry = record.entries.emplace_back();
  entry.groupName = record.stacks.addText("0");
  entry.sequence = sequence;
  entry.created = created;
  return record;
}

} // namespace

TEST(HangPlaces, leadToTheCollectiveOrToTheTimeOfTheCall) {
  test::TraceText trace = recording();
  const char* const group =
      R"("Collective name": "allreduce", "Group size": 4, "Process Group Name": "0", "Seq": 7)";
  trace.addRuntime(1, 9'000'000, 1'000, "cudaLaunchKernel", 5);
  trace.addKernel(0, 7, 10'000'000, 5'000'000, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL()", 5, group);
  const auto analysis = analysisOf(trace);
  const auto placeOf = [&](const FlightRecord& record) {
    return hangPlace(*analysis, record, record.entries.front());
  };
  const auto ran = placeOf(dumpOf(3, 7, kBase + 9'000'000));
  ASSERT_TRUE(ran.has_value());
  EXPECT_TRUE(ran->event.valid());
  const auto never = placeOf(dumpOf(3, 8, kBase + 200'000'000));
  ASSERT_TRUE(never.has_value());
  EXPECT_FALSE(never->event.valid()) << "it did not run";
  EXPECT_EQ(never->range.begin.ns(), kBase + 200'000'000);
  // The same number of an earlier run of the program.
  EXPECT_FALSE(placeOf(dumpOf(3, 7, kBase + 100'000'000))->event.valid());
  EXPECT_FALSE(placeOf(dumpOf(2, 7, kBase + 9'000'000)).has_value()) << "not recorded";
  EXPECT_FALSE(placeOf(dumpOf(3, 7, kBase + 9'000'000'000)).has_value()) << "after the recording";
}

TEST(SnapshotClocks, areTheSameWhereAnnotationsBeginTogether) {
  test::TraceText trace = recording();
  for (int i = 0; i < 3; ++i) trace.addAnnotation(1, i * 100'000'000, 50'000'000, "step");
  for (int i = 0; i < 30; ++i) trace.addAnnotation(1, i * 1'000'000, 500'000, "often");
  const auto analysis = analysisOf(trace);
  const auto clockOf = [&](std::int64_t shiftMicroseconds, const char* name, std::optional<int> rank) {
    MemorySnapshot snapshot;
    snapshot.rank = rank;
    SnapshotDevice& device = snapshot.devices.emplace_back();
    for (int i = 0; i < 3; ++i)
      device.annotations.push_back(
          {snapshot.stacks.addText(name), kBase / 1000 + i * 100'000 + shiftMicroseconds, kNoMicroseconds});
    return snapshotClock(*analysis, snapshot, device);
  };
  const auto same = clockOf(120, "step", 3);
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->pairs, 3U);
  EXPECT_EQ(same->medianApart, 120'000);
  EXPECT_TRUE(same->isSame());
  EXPECT_TRUE(clockOf(120, "step", std::nullopt)->isSame()) << "the only recording";
  EXPECT_FALSE(clockOf(30'000, "step", 3)->isSame());
  EXPECT_FALSE(clockOf(120, "step", 2).has_value()) << "another rank";
  EXPECT_FALSE(clockOf(120, "other", 3).has_value());
  // It would be near to one of them at any time.
  EXPECT_FALSE(clockOf(120, "often", 3).has_value());
}

} // namespace rankscope
