// SPDX-License-Identifier: GPL-3.0-or-later
// What is read of every event, whatever wrote it, and what is repaired, skipped and reported. Covers the way
// from text to a recording: core/io/kineto/kineto_reader, core/io/kineto/event_parser,
// core/io/kineto/event_fields, core/io/kineto/event_intake, core/io/kineto/trace_metadata,
// core/model/begin_end_pairs.
#include "tests/support/trace_text.h"
#include "tests/unit/io/opened_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {
namespace {

using test::Opened;
using test::TraceText;

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
  EXPECT_EQ(detail->peer, TransferPeer::of(7, PeerNumbering::Group));
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

} // namespace
} // namespace rankscope
