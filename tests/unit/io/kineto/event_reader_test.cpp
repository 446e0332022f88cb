// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_details.h"
#include "core/io/kineto/event_slicer.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace rankscope {
namespace {

using test::TemporaryFolder;
using test::TraceText;

std::shared_ptr<const TraceSet> load(const std::string& path, unsigned threads = 2) {
  Progress progress;
  auto loaded = loadTraces({path}, {threads, std::nullopt}, progress);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().text();
    return nullptr;
  }
  return *loaded;
}

// One file's text, opened as a job.
struct Opened {
  TemporaryFolder folder;
  std::shared_ptr<const TraceSet> set;
  const RankTrace* trace = nullptr;

  explicit Opened(std::string_view text, const std::string& name = "rank0.json", unsigned threads = 2) {
    test::writeTraceFile(folder / name, text);
    set = load(folder / name, threads);
    if (set) trace = set->ranks().front().trace.get();
  }
  [[nodiscard]] EventIndex named(std::string_view name) const {
    for (std::size_t i = 0; i < trace->events.size(); ++i) {
      if (set->names()[trace->events.name[EventIndex(i)]] == name) return EventIndex(i);
    }
    return {};
  }
  [[nodiscard]] std::uint64_t count(DiagnosticKind kind) const { return trace->diagnostics.count(kind); }
};

std::string wrapped(const std::string& events) {
  return "{\"traceEvents\": [" + events + "]}";
}

TEST(EventReader, keepsNanosecondsOfEpochTimesExactly) {
  const Opened file(
      wrapped(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1694128201435418.123,"dur":0.777,
                                "args":{"device":0,"stream":7,"correlation":5}})"));
  const EventIndex k = file.named("k");
  EXPECT_EQ(file.trace->events.begin[k], 1694128201435418123);
  EXPECT_EQ(file.trace->events.duration[k], 777);
  EXPECT_EQ(file.trace->deviceDetail(k).stream, 7);
}

TEST(EventReader, addsTheBaseTimeWhereverItStands) {
  const std::string event = R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":2.5,"dur":1})";
  for (const std::string& text : {"{\"baseTimeNanoseconds\": 1000000, \"traceEvents\": [" + event + "]}",
                                  "{\"traceEvents\": [" + event + "], \"baseTimeNanoseconds\": 1000000}"}) {
    const Opened file(text);
    EXPECT_EQ(file.trace->events.begin[EventIndex(0)], 1002500) << text;
  }
}

TEST(EventReader, keepsThreadsOfAnyWidthAndSignApart) {
  const auto op = [](const std::string& tid, const std::string& name) {
    return R"({"ph":"X","cat":"cpu_op","name":")" + name + R"(","pid":1,"tid":)" + tid +
           R"(,"ts":1,"dur":5})";
  };
  const Opened file(wrapped(op("1", "main") + "," + op("-1029147072", "negative") + "," +
                            op("139998012345678901", "wide") + "," + op("\"1\"", "quoted")));
  EXPECT_EQ(file.trace->tracks.size(), 3u);
  EXPECT_NE(file.trace->trackOf(file.named("negative")), file.trace->trackOf(file.named("main")));
  EXPECT_NE(file.trace->trackOf(file.named("wide")), file.trace->trackOf(file.named("main")));
  EXPECT_EQ(file.trace->trackOf(file.named("quoted")), file.trace->trackOf(file.named("main")))
      << "1.8 quoted its thread ids";
}

TEST(EventReader, readsBareArraysAndArgumentsThatComeFirst) {
  const Opened file(
      R"([{"args":{"correlation":9,"device":1,"stream":3,"bytes":64},"name":"Memcpy HtoD","tid":3,
                         "pid":1,"dur":2,"ts":10,"cat":"gpu_memcpy","ph":"X"}])");
  const EventIndex copy = file.named("Memcpy HtoD");
  EXPECT_EQ(file.trace->deviceDetail(copy).bytes, 64);
  EXPECT_EQ(file.trace->deviceDetail(copy).device, 1);
  EXPECT_EQ(file.trace->events.link[copy], 9u);
}

TEST(EventReader, pairsBeginsWithEnds) {
  const auto half = [](const char* phase, const char* name, int time) {
    return std::string(R"({"ph":")") + phase + R"(","cat":"cpu_op","name":")" + name +
           R"(","pid":1,"tid":1,"ts":)" + std::to_string(time) + "}";
  };
  const Opened file(wrapped(half("B", "outer", 0) + "," + half("B", "inner", 1) + "," + half("E", "", 3) +
                            "," + half("E", "", 9) + "," + half("E", "", 12) + "," + half("B", "open", 20)));
  EXPECT_EQ(file.trace->events.range(file.named("inner")), (TimeRange{1000, 3000}));
  EXPECT_EQ(file.trace->events.range(file.named("outer")), (TimeRange{0, 9000}));
  EXPECT_EQ(file.trace->parentOf(file.named("inner")), file.named("outer"));
  EXPECT_EQ(file.count(DiagnosticKind::Skipped), 1u) << "the end without a begin";
  EXPECT_EQ(file.count(DiagnosticKind::Repaired), 1u) << "the begin without an end";
  EXPECT_EQ(file.trace->fileEvents, 6u);
}

TEST(EventReader, linksKernelsToTheirLaunches) {
  TraceText text;
  text.addRuntime(1, 100, 50, "cudaLaunchKernel", 11).addRuntime(1, 200, 50, "cudaGraphLaunch", 12);
  text.addKernel(0, 7, 400, 10, "a", 11).addKernel(0, 7, 500, 10, "b", 12).addKernel(0, 7, 600, 10, "c", 12);
  text.addKernel(0, 7, 700, 10, "stray", 99);
  const Opened file(text.text());
  const RankTrace& trace = *file.trace;
  EXPECT_EQ(trace.deviceDetail(file.named("a")).launch, file.named("cudaLaunchKernel"));
  const auto launched = trace.launchedBy(file.named("cudaGraphLaunch"));
  ASSERT_EQ(launched.size(), 2u);
  EXPECT_EQ(launched[0], file.named("b"));
  EXPECT_FALSE(trace.deviceDetail(file.named("stray")).launch.valid());
}

TEST(EventReader, givesOverlappingKernelsOfOneStreamARowEach) {
  TraceText text;
  text.addKernel(0, 7, 0, 1000, "first")
      .addKernel(0, 7, 900, 1000, "second")
      .addKernel(0, 7, 2000, 10, "third");
  const Opened file(text.text());
  EXPECT_EQ(file.trace->tracks.size(), 1u);
  EXPECT_EQ(file.trace->tracks[0].rowCount, 2u);
  EXPECT_EQ(file.trace->deviceDetails.size(), 3u) << "none may vanish";
}

TEST(EventReader, takesMemoryEventsWithAndWithoutCategory) {
  const Opened file(wrapped(
      R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":5,"args":{"Device Type":1,"Device Id":0,"Bytes":-512}},
         {"ph":"X","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":6,"dur":0,
          "args":{"Device Type":1,"Device Id":0,"Bytes":512,"Addr":18446744073709551615,"Total Allocated":100,
                  "Total Reserved":2097152}})"));
  ASSERT_EQ(file.trace->memory.size(), 2u);
  EXPECT_EQ(file.trace->memory[0].bytes, -512);
  EXPECT_EQ(file.trace->memory[0].totalAllocated, -1) << "not recorded is not 0";
  EXPECT_EQ(file.trace->memory[1].address, UINT64_MAX);
  EXPECT_EQ(file.trace->memory[1].totalReserved, 2097152);
}

TEST(EventReader, joinsForwardAndBackward) {
  TraceText text;
  text.addCpuOp(1, 100, 50, "aten::mm").addCpuOp(2, 500, 50, "MmBackward0");
  text.addFlow('s', 3, 100, 1, 100, "fwdbwd").addFlow('f', 3, 100, 2, 500, "fwdbwd");
  text.addFlow('f', 4, 100, 2, 500, "fwdbwd");
  const Opened file(text.text());
  ASSERT_EQ(file.trace->forwardBackward.size(), 1u) << "an arrow without a start is none";
  EXPECT_EQ(file.trace->forwardBackward[0].from, file.named("aten::mm"));
  EXPECT_EQ(file.trace->forwardBackward[0].to, file.named("MmBackward0"));
}

std::string syncArgs(const std::string& kind, int stream, int correlation, const std::string& waitedFor) {
  return R"("cuda_sync_kind": ")" + kind + R"(", "stream": )" + std::to_string(stream) +
         R"(, "correlation": )" + std::to_string(correlation) + R"(, "device": 0)" + waitedFor;
}

// Stream 7 works, an event is recorded after its first kernel, stream 20 waits for that event.
TraceText eventWaitText() {
  TraceText text;
  text.addRuntime(1, 100, 50, "cudaLaunchKernel", 11).addKernel(0, 7, 1000, 900, "produced", 11);
  text.addRuntime(1, 200, 20, "cudaEventRecord", 12);
  text.addRuntime(1, 300, 50, "cudaLaunchKernel", 13).addKernel(0, 7, 1900, 500, "later", 13);
  text.addRuntime(1, 400, 20, "cudaStreamWaitEvent", 14);
  text.addRuntime(1, 500, 50, "cudaLaunchKernel", 15).addKernel(0, 20, 1950, 100, "consumer", 15);
  text.addRuntime(1, 600, 2000, "cudaEventSynchronize", 16)
      .addRuntime(1, 2700, 10, "cudaStreamSynchronize", 17);
  return text;
}

TEST(EventReader, findsTheWorkThatAWaitForAnEventStandsBetween) {
  TraceText text = eventWaitText();
  const std::string recorded = R"(, "wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 12)";
  text.addSlice("cuda_sync", 0, 20, 405, 3, "Stream Wait Event",
                syncArgs("Stream Wait Event", 20, 14, recorded));
  text.addSlice("cuda_sync", 0, -1, 610, 1900, "Event Sync", syncArgs("Event Sync", -1, 16, recorded));
  text.addSlice("cuda_sync", 0, 7, 2705, 3, "Stream Sync", syncArgs("Stream Sync", 7, 17, ""));
  const Opened file(text.text());
  ASSERT_EQ(file.trace->waits.size(), 3u);
  const auto waitOf = [&](std::string_view name) {
    return *std::ranges::find(file.trace->waits, file.named(name), &EventWait::sync);
  };
  const EventWait stream = waitOf("Stream Wait Event");
  EXPECT_EQ(stream.call, file.named("cudaStreamWaitEvent"));
  EXPECT_EQ(stream.record, file.named("cudaEventRecord"));
  EXPECT_EQ(stream.before, file.named("produced")) << "what came later is not waited for";
  EXPECT_EQ(stream.after, file.named("consumer"));
  const EventWait host = waitOf("Event Sync");
  EXPECT_EQ(host.before, file.named("produced"));
  EXPECT_FALSE(host.after.valid());
  EXPECT_EQ(waitOf("Stream Sync").before, file.named("later"));
}

TEST(EventReader, claimsNothingOfAWaitWhoseEventIsNotKnown) {
  TraceText text = eventWaitText();
  const std::string unknown = R"(, "wait_on_stream": -1, "wait_on_cuda_event_record_corr_id": -1)";
  text.addSlice("cuda_sync", 0, 20, 405, 3, "Stream Wait Event",
                syncArgs("Stream Wait Event", 20, 14, unknown));
  const Opened file(text.text());
  ASSERT_EQ(file.trace->waits.size(), 1u);
  EXPECT_FALSE(file.trace->waits[0].record.valid());
  EXPECT_FALSE(file.trace->waits[0].before.valid());
  EXPECT_EQ(file.trace->waits[0].after, file.named("consumer")) << "who waits is known all the same";
}

TEST(EventReader, takesCollectiveArgumentsFromKernels) {
  TraceText text;
  text.addCollective(0, 20, 100, 50, "allreduce", 4096, 8);
  const Opened file(text.text());
  ASSERT_EQ(file.trace->collectives.size(), 1u);
  const CollectiveDetail& detail = file.trace->collectives[0];
  EXPECT_EQ(file.set->names()[detail.operation], "allreduce");
  EXPECT_EQ(detail.inElements, 4096);
  EXPECT_EQ(detail.groupSize, 8);
  EXPECT_EQ(file.trace->tracks[0].role, StreamRole::Communication);
}

TEST(EventReader, takesWhatABackEndMovesFromItsTensors) {
  const auto moved = [](const std::string& shapes) {
    const Opened file(wrapped(
        R"({"ph":"X","cat":"user_annotation","name":"gloo:all_reduce","pid":1,"tid":2,"ts":1,"dur":5,"args":)"
        R"({"External id": 3, "Input Dims": )" +
        shapes + R"(, "Input type": ["float"]}})"));
    const CollectiveDetail* detail = file.trace->collectiveOf(file.named("gloo:all_reduce"));
    EXPECT_NE(detail, nullptr) << shapes;
    if (detail == nullptr) return std::int64_t{-2};
    EXPECT_EQ(file.set->names()[detail->dtype], "float");
    return detail->inElements;
  };
  EXPECT_EQ(moved("[[4096]]"), 4096);
  EXPECT_EQ(moved("[[8, 1024, 3], [7]]"), 8 * 1024 * 3 + 7);
  EXPECT_EQ(moved("[[[5], [2, 3]]]"), 11) << "a list of tensors";
  EXPECT_EQ(moved("[[]]"), 1) << "a scalar";
  EXPECT_EQ(moved("[[-1, 5], [10]]"), -1) << "an absurd shape makes the sum unknown";
  EXPECT_EQ(moved("[[4611686018427387904], [4611686018427387904], [10]]"), -1);
  EXPECT_EQ(moved(std::string(900, '[') + std::string(900, ']')), -1) << "nobody nests tensors so deep";
}
TEST(EventReader, readsTheOtherRankOfATransfer) {
  const Opened file(wrapped(
      R"({"ph":"X","cat":"cpu_op","name":"c10d::send","pid":1,"tid":2,"ts":1,"dur":5,"args":)"
      R"({"External id": 3, "Concrete Inputs": ["", "", "7", "0"], "Input Dims": [[[4]], [], [], []]}})"));
  const CollectiveDetail* detail = file.trace->collectiveOf(file.named("c10d::send"));
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->peer, 7);
}
TEST(EventReader, takesABaseTimeBeyondAllTimeForNone) {
  const Opened file(R"({"baseTimeNanoseconds": 9223372036854775807, "traceEvents": [)"
                    R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":3,"dur":1}]})");
  EXPECT_EQ(file.trace->events.begin[file.named("op")], 3'000);
  EXPECT_EQ(file.count(DiagnosticKind::Skipped), 1u);
}
// 2^32 + 1 is not device 1.
TEST(EventReader, takesADeviceNumberThatDoesNotFitForNone) {
  const Opened file(wrapped(
      R"({"ph":"X","cat":"kernel","name":"process","pid":4294967297,"tid":7,"ts":1,"dur":1,"args":{"stream":7}},)"
      R"({"ph":"X","cat":"kernel","name":"argument","pid":0,"tid":7,"ts":3,"dur":1,"args":{"device":4294967298}},)"
      R"({"ph":"X","cat":"kernel","name":"largest","pid":2147483647,"tid":7,"ts":5,"dur":1,"args":{}},)"
      R"({"ph":"X","cat":"kernel","name":"fits","pid":3,"tid":7,"ts":7,"dur":1,"args":{}},)"
      R"({"ph":"X","cat":"kernel","name":"none","pid":-7,"tid":7,"ts":9,"dur":1,"args":{"device":4294967295}},)"
      R"({"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":11,"args":)"
      R"({"Bytes":512,"Addr":1,"Device Type":1,"Device Id":4294967296}})"));
  const auto deviceOf = [&](std::string_view name) {
    return file.trace->deviceDetail(file.named(name)).device;
  };
  EXPECT_EQ(deviceOf("process"), -1);
  EXPECT_EQ(deviceOf("argument"), 0); // its process says it
  EXPECT_EQ(deviceOf("largest"), 2147483647);
  EXPECT_EQ(deviceOf("fits"), 3);
  EXPECT_EQ(deviceOf("none"), -1); // -1 without its sign is no damage
  ASSERT_EQ(file.trace->memory.size(), 1U);
  EXPECT_EQ(file.trace->memory.front().device, -1);
  EXPECT_EQ(file.trace->devices, (std::vector<int>{-1, 0, 3, 2147483647}));
  EXPECT_EQ(file.count(DiagnosticKind::Repaired), 3U);
  EXPECT_EQ(file.trace->diagnostics.items().front().at.readerBits(), wrapped("").find("]"));
}
TEST(EventReader, takesDevicePropertiesThatDoNotFitForNone) {
  const Opened file(
      R"({"deviceProperties": [{"id": 4294967297, "name": "GPU", "computeMajor": -9, "numSms": 132},)"
      R"({"id": 2, "name": "GPU", "computeMajor": 9}], "traceEvents": [)"
      R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":3,"dur":1}]})");
  ASSERT_EQ(file.trace->metadata.devices.size(), 2U);
  EXPECT_EQ(file.trace->metadata.devices[0].id, -1);
  EXPECT_EQ(file.trace->metadata.devices[0].computeMajor, 0);
  EXPECT_EQ(file.trace->metadata.devices[0].multiprocessors, 132);
  EXPECT_EQ(file.trace->metadata.devices[1].id, 2);
  EXPECT_EQ(file.count(DiagnosticKind::Skipped), 2U);
}
TEST(EventReader, knowsTheOperatorsOfTheProfilerThatWroteNoCategories) {
  const Opened file(
      R"([{"name":"aten::mm","ph":"X","ts":1,"dur":2,"tid":1,"pid":"CPU functions","args":{}},)"
      R"({"name":"forward","ph":"X","ts":0,"dur":9,"tid":1,"pid":"CPU functions","args":{}},)"
      R"({"name":"gloo:all_reduce","ph":"X","ts":4,"dur":2,"tid":2,"pid":"CPU functions","args":{}}])");
  EXPECT_EQ(file.trace->events.kind[file.named("aten::mm")], EventKind::CpuOp);
  EXPECT_EQ(file.trace->events.kind[file.named("forward")], EventKind::Annotation);
  EXPECT_EQ(file.trace->events.kind[file.named("gloo:all_reduce")], EventKind::HostCollective);
}
TEST(EventReader, mendsOneDamagedEventAndLeavesTheOthersAlone) {
  const std::string good = R"({"ph":"X","cat":"cpu_op","name":"good","pid":1,"tid":1,"ts":1,"dur":1})";
  const std::string events[] = {
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"bad\xff\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1}",
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"bad\n\x01\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1}",
      R"({"ph":"X","cat":"cpu_op","name":"bad "x"","pid":1,"tid":1,"ts":3,"dur":1})",
      R"({"ph":"X","cat":"cpu_op","name":"bad","pid":1,"tid":1,"ts":3,"dur":1,})",
  };
  for (const std::string& bad : events) {
    const Opened file(wrapped(good + "," + bad + "," + good));
    EXPECT_EQ(file.trace->fileEvents, 3u) << bad;
    EXPECT_EQ(file.trace->events.size(), 3u) << bad;
    EXPECT_EQ(file.count(DiagnosticKind::Repaired), 1u) << bad;
    ASSERT_FALSE(file.trace->diagnostics.items().empty());
    EXPECT_EQ(file.trace->diagnostics.items()[0].at.readerBits(), 17u + good.size() + 1)
        << "where it begins in the file";
  }
}

TEST(EventReader, keepsABackslashThatEscapesNothing) {
  const Opened file(
      wrapped(R"({"ph":"X","cat":"cpu_op","name":"C:\q \\ \"","pid":1,"tid":1,"ts":3,"dur":1})"));
  EXPECT_TRUE(file.named("C:\\q \\ \"").valid());
}

TEST(EventReader, skipsWhatCannotBeReadAndSaysWhere) {
  const std::string good = R"({"ph":"X","cat":"cpu_op","name":"good","pid":1,"tid":1,"ts":1,"dur":1})";
  const Opened file(
      wrapped(good + R"(,{"ph":"X","name":"no time","pid":1,"tid":1,"dur":1},)" +
              R"({"ph":"X","name":"NaN time","pid":1,"tid":1,"ts":NaN,"dur":1},)" +
              R"({"ph":"X","name":"late","pid":1,"tid":1,"ts":9223372036854775,"dur":9223372036854775})"));
  EXPECT_EQ(file.trace->fileEvents, 4u);
  EXPECT_EQ(file.trace->events.size(), 1u);
  EXPECT_EQ(file.count(DiagnosticKind::Skipped), 3u);
}

TEST(EventReader, opensWhatATruncatedFileStillHolds) {
  TraceText text;
  for (int i = 0; i < 50; ++i) text.addCpuOp(1, i * 100, 50, "op");
  const std::string whole = text.text();
  const Opened file(std::string_view(whole).substr(0, whole.rfind("\"dur\"") + 8));
  EXPECT_EQ(file.trace->events.size(), 49u) << "the last event may end inside a number";
  EXPECT_EQ(file.count(DiagnosticKind::Skipped), 1u);
}

// Enough events for several slices, in the layouts that writers use.
std::string manyEvents(const char* between, const char* colon, int count) {
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += between;
    const std::string n = std::to_string(i);
    text += std::string("{\"ph\"") + colon + "\"X\",\"cat\"" + colon + "\"cpu_op\",\"name\"" + colon +
            "\"aten::op" + std::to_string(i % 700) + "\",\"pid\"" + colon + "1,\"tid\"" + colon +
            std::to_string(i % 3) + ",\"ts\"" + colon + n + ".125,\"dur\"" + colon + "2.5,\"args\"" + colon +
            "{\"External id\"" + colon + n + ",\"Input Dims\"" + colon + "[[64, 128], [128, 256]]}}";
  }
  return text + "], \"traceName\": \"x\"}";
}

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
  const auto set = load(folder.path().string());
  ASSERT_EQ(set->ranks().size(), 2u);
  ASSERT_EQ(set->files().size(), 4u);
  const auto file = [&](std::string_view ending) {
    return *std::ranges::find_if(set->files(), [&](const FileRecord& f) { return f.path.ends_with(ending); });
  };
  EXPECT_FALSE(file("config.json").rank);
  EXPECT_NE(file("config.json").note.find("no event array"), std::string::npos);
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
  const auto set = load(folder.path().string());
  ASSERT_EQ(set->ranks().size(), 2u);
  EXPECT_EQ(set->ranks()[0].trace->extent, set->ranks()[1].trace->extent);
  EXPECT_NE(set->files()[1].note.find("base time"), std::string::npos);
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

TEST(EventDetails, listsEveryFieldOfAnEventFromPlainAndCompressedFiles) {
  const std::string text = manyEvents(",\n", ": ", 9000);
  for (const char* name : {"rank0.json", "rank0.json.gz"}) {
    const Opened file(text, name);
    const auto fields = readEventFields(file.folder / name, file.trace->events.source[EventIndex(4000)]);
    ASSERT_TRUE(fields) << fields.error().text();
    const auto value = [&](std::string_view key) {
      const auto found = std::ranges::find(*fields, key, &EventField::key);
      return found == fields->end() ? "missing" : found->value;
    };
    EXPECT_EQ(value("name"), file.set->names()[file.trace->events.name[EventIndex(4000)]]);
    EXPECT_EQ(value("External id"), std::to_string(file.trace->events.link[EventIndex(4000)]));
    EXPECT_EQ(value("Input Dims"), "[[64, 128], [128, 256]]");
  }
}

} // namespace
} // namespace rankscope
