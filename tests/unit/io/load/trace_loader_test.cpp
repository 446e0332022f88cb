// SPDX-License-Identifier: GPL-3.0-or-later
// From files to a job: slices and threads, files that are no traces, what a file without its end borrows.
// Covers core/io/load/file_loader, core/io/kineto/slice_flow and core/base/progress too.
#include "core/io/kineto/event_slicer.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/io/opened_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace rankscope {
namespace {

using test::loadJob;
using test::manyEvents;
using test::Opened;
using test::TemporaryFolder;
using test::TraceText;

void expectSameTraces(const RankTrace& a, const RankTrace& b) {
  EXPECT_TRUE(std::ranges::equal(a.events.begin.span(), b.events.begin.span()));
  EXPECT_TRUE(std::ranges::equal(a.events.duration.span(), b.events.duration.span()));
  EXPECT_TRUE(std::ranges::equal(a.events.name.span(), b.events.name.span()));
  EXPECT_TRUE(std::ranges::equal(a.events.kind.span(), b.events.kind.span()));
  EXPECT_TRUE(std::ranges::equal(a.events.link.span(), b.events.link.span()));
  EXPECT_TRUE(std::ranges::equal(a.events.source.span(), b.events.source.span()));
  EXPECT_EQ(a.tracks.size(), b.tracks.size());
  EXPECT_EQ(a.rows.size(), b.rows.size());
}

TEST(TraceLoader, givesEqualColumnsForAnyNumberOfThreadsAndWhenCompressed) {
  for (const char* between : {",", ",\n  ", " ,\r\n\t"}) {
    const std::string text = manyEvents(between, between[1] == '\0' ? ":" : ": ", 30000);
    ASSERT_GT(text.size(), 3 * EventSlicer::kSliceBytes);
    const Opened one(text, "rank0.json", 1);
    const Opened eight(text, "rank0.json", 8);
    const Opened compressed(text, "rank0.json.gz", 2);
    EXPECT_EQ(one.trace->fileEvents, 30000u);
    EXPECT_EQ(one.count(DiagnosticKind::Repaired), 0u);
    expectSameTraces(*one.trace, *eight.trace);
    expectSameTraces(*one.trace, *compressed.trace);
  }
}

TEST(TraceLoader, isNotMisledByEventsInsideArguments) {
  // Every argument looks like a boundary between events, so that nearly every cut is wrong.
  std::string text = "{\"traceEvents\": [";
  for (int i = 0; i < 12000; ++i) {
    if (i > 0) text += ',';
    text +=
        R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)" + std::to_string(i * 10) +
        R"(,"dur":5,"args":{"list":[{"ph":"X"},{"ph":"X"},{"ph":"X"},{"ph":"X"},{"ph":"X"},{"ph":"X"}],"more":")" +
        std::string(200, 'x') + "\"}}";
  }
  text += "]}";
  ASSERT_GT(text.size(), 3 * EventSlicer::kSliceBytes);
  for (const char* name : {"rank0.json", "rank0.json.gz"}) {
    const Opened file(text, name);
    EXPECT_EQ(file.trace->fileEvents, 12000u) << name;
    EXPECT_EQ(file.trace->events.size(), 12000u) << name;
    EXPECT_EQ(file.count(DiagnosticKind::Skipped) + file.count(DiagnosticKind::Repaired), 0u) << name;
  }
}

TEST(TraceLoader, mendsThousandsOfNamesInTimeThatGrowsWithTheFile) {
  std::string text = "{\"traceEvents\": [";
  for (int i = 0; i < 20000; ++i) {
    if (i > 0) text += ",\n";
    text += R"({"ph":"X","cat":"cpu_op","name":"say "hi","pid":1,"tid":1,"ts":)" + std::to_string(i * 10) +
            R"(,"dur":5,"args":{"External id":)" + std::to_string(i) + "}}";
  }
  text += "]}";
  const Opened file(text);
  EXPECT_EQ(file.trace->events.size(), 20000u);
  EXPECT_EQ(file.count(DiagnosticKind::Repaired), 20000u);
  EXPECT_EQ(file.count(DiagnosticKind::Skipped), 0u);
  EXPECT_TRUE(file.named("say \"hi").valid());
}

TEST(TraceLoader, readsFilesWhoseMetadataFillsManySlices) {
  const std::string blob =
      "\"{\\\"traceEvents\\\": [1, 2]}" + std::string(3 * EventSlicer::kSliceBytes, 'm') + "\"";
  TraceText text;
  text.metadata("blob", blob).distributedInfo(3, 8).addCpuOp(1, 0, 5, "op");
  for (const char* name : {"a.json", "a.json.gz"}) {
    const Opened file(text.text(), name);
    EXPECT_EQ(file.set->ranks().front().rank, 3);
    EXPECT_EQ(file.trace->metadata.worldSize, 8);
    EXPECT_EQ(file.trace->events.size(), 1u);
  }
}

TEST(TraceLoader, opensTheOtherFilesAndNamesTheOneThatIsNoTrace) {
  const TemporaryFolder folder;
  TraceText text;
  text.addCpuOp(1, 0, 5, "op");
  test::writeTraceFile(folder / "rank0.json", text.text());
  test::writeTraceFile(folder / "rank1.json.gz", text.text());
  test::writeTraceFile(folder / "config.json", "{\"lr\": 0.1}");
  test::writeTraceFile(folder / "empty.json", "");
  const auto set = loadJob(folder.path().string());
  ASSERT_EQ(set->ranks().size(), 2u);
  ASSERT_EQ(set->files().size(), 4u);
  const auto file = [&](std::string_view ending) {
    return *std::ranges::find_if(set->files(), [&](const FileRecord& f) { return f.path.ends_with(ending); });
  };
  EXPECT_FALSE(file("config.json").rank);
  EXPECT_NE(file("config.json").note.find("without \"traceEvents\"; it has \"lr\""), std::string::npos);
  EXPECT_NE(file("empty.json").note.find("empty"), std::string::npos);
  EXPECT_EQ(file("rank1.json.gz").rankFrom, "name");
}

TEST(TraceLoader, lendsTheOthersBaseTimeToAFileThatLostItsEnd) {
  const TemporaryFolder folder;
  const std::string begin = R"({"distributedInfo": {"rank": )";
  const std::string events =
      R"(, "world_size": 2}, "traceEvents": [{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":2915995397672.546,"dur":5})";
  test::writeTraceFile(folder / "a.json",
                       begin + "0" + events + R"(], "baseTimeNanoseconds": 1751410836000000000})");
  test::writeTraceFile(folder / "b.json", begin + "1" + events);
  const auto set = loadJob(folder.path().string());
  ASSERT_EQ(set->ranks().size(), 2u);
  EXPECT_EQ(set->ranks()[0].trace->extent, set->ranks()[1].trace->extent);
  EXPECT_NE(set->files()[1].note.find("base time"), std::string::npos);
}

// As CUPTI and rocprofiler number them; what no release has is not shown as one.
TEST(TraceLoader, readsTheVersionsOfTheSoftware) {
  const TemporaryFolder folder;
  const std::string events =
      R"("traceEvents": [{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":1,"dur":5}])";
  const auto metadataOf = [&](const std::string& members) {
    test::writeTraceFile(folder / "a.json", "{" + members + ", " + events + "}");
    return loadJob((folder / "a.json"))->ranks()[0].trace->metadata;
  };
  const TraceMetadata cuda = metadataOf(
      R"("cuda_runtime_version": 12040, "cuda_driver_version": 13000, "distributedInfo": {"nccl_version": "2.22.3"})");
  EXPECT_EQ(cuda.runtimeVersion, "CUDA 12.4");
  EXPECT_EQ(cuda.driverVersion, "CUDA 13.0");
  EXPECT_EQ(cuda.ncclVersion, "2.22.3");
  const TraceMetadata hip = metadataOf(R"("hip_runtime_version": 60443483, "hip_driver_version": -1)");
  EXPECT_EQ(hip.runtimeVersion, "HIP 6.4.43483");
  EXPECT_EQ(hip.driverVersion, "");
  EXPECT_EQ(hip.ncclVersion, "");
}

TEST(TraceLoader, progressEndsWithAllFilesAndBytesDone) {
  const TemporaryFolder folder;
  std::uint64_t bytes = 0;
  for (const char* name : {"rank0.json", "rank1.json", "rank2.json.gz"}) {
    test::writeTraceFile(folder / name, manyEvents(",", ":", 2000));
    bytes += std::filesystem::file_size(folder / name);
  }
  Progress progress;
  const auto set = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_TRUE(set);
  EXPECT_EQ(progress.stage.load(), LoadStage::Done);
  EXPECT_EQ(progress.filesDone.load(), 3U);
  EXPECT_EQ(progress.filesTotal.load(), 3U);
  EXPECT_EQ(progress.bytesDone.load(), bytes);
  EXPECT_EQ(progress.bytesTotal.load(), bytes);
  EXPECT_EQ(progress.eventsDone.load(), 6000U);
}

TEST(TraceLoader, saysWhyWhenNothingCouldBeRead) {
  const TemporaryFolder folder;
  Progress progress;
  const auto none = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("no trace files"), std::string::npos);
  const auto missing = loadTraces({folder / "missing.json"}, {}, progress);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text().find("missing.json"), std::string::npos);
}

TEST(TraceLoader, saysWhenNoRankHasTheCaptureAskedFor) {
  const TemporaryFolder folder;
  TraceText text;
  text.addCpuOp(1, 0, 5, "op");
  test::writeTraceFile(folder / "rank0.json", text.text());
  Progress progress;
  const auto none = loadTraces({folder.path().string()}, {1, 9}, progress);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("capture 9"), std::string::npos);
}

TEST(TraceLoader, stopsWhenCancelled) {
  const TemporaryFolder folder;
  test::writeTraceFile(folder / "rank0.json", manyEvents(",", ":", 1000));
  Progress progress;
  progress.cancel = true;
  const auto cancelled = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().kind, ErrorKind::Cancelled);
}

} // namespace
} // namespace rankscope
