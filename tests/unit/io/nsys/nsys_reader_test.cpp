// SPDX-License-Identifier: GPL-3.0-or-later
// Exports made for the purpose: what of which table becomes which event, links, details, damage. Covers
// core/io/nsys/nsys_database, core/io/nsys/nsys_details, core/io/nsys/nsys_graph_origins,
// core/io/nsys/nsys_diagnostics, core/io/nsys/nsys_joins and core/model/missing_part.
#include "core/io/nsys/nsys_reader.h"

#include "core/analysis/job/analysis.h"
#include "core/analysis/steps/phases.h"
#include "core/io/load/trace_loader.h"
#include "core/io/nsys/nsys_diagnostics.h"
#include "core/io/nsys/nsys_joins.h"
#include "core/model/missing_part.h"
#include "tests/unit/io/nsys/made_export.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

TEST(NsysReader, givesEventsLinksTimesAndDetailsAsOfPyTorch) {
  Export file;
  file->session(kUtc, 0, "node-a");
  file->run("INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA A100', 42949672960, 108, 65536, 167936, 64, "
            "32, 8, 0)");
  file->run("INSERT INTO PROCESSES VALUES (" + std::to_string(NsysFile::process(kPid)) + ", 100, 'python3')");
  fillStep(file, kPid, 0);
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankEntry& rank = set->ranks().front();
  const RankTrace& trace = *rank.trace;
  EXPECT_EQ(trace.events.size(), 6u);
  EXPECT_EQ(rank.host, "node-a");
  EXPECT_EQ(rank.gpu, "NVIDIA A100");
  const EventIndex kernel = named(*set, "void gemm<float>(int)");
  const EventIndex launch = named(*set, "cudaLaunchKernel");
  ASSERT_TRUE(kernel.valid() && launch.valid());
  EXPECT_EQ(trace.events.range(kernel), (TimeRange{kUtc + 3000, kUtc + 4000}));
  EXPECT_EQ(trace.events.kind[kernel], EventKind::Kernel);
  const DeviceDetail& detail = trace.deviceDetail(kernel);
  EXPECT_EQ(detail.launch, launch);
  EXPECT_EQ(detail.stream, 7);
  EXPECT_FLOAT_EQ(detail.blocksPerSm, 264.0F / 108);
  EXPECT_FLOAT_EQ(detail.occupancyPct, 100 * (264.0F / 108) * 4 / 64);
  const EventIndex copy = named(*set, "Memcpy HtoD (Pinned -> Device)");
  ASSERT_TRUE(copy.valid());
  EXPECT_EQ(trace.deviceDetail(copy).bytes, 4096);
  EXPECT_EQ(trace.deviceDetail(copy).launch, named(*set, "cudaMemcpyAsync"));
  const EventIndex op = named(*set, "aten::linear");
  ASSERT_TRUE(op.valid());
  EXPECT_EQ(trace.events.kind[op], EventKind::CpuOp);
  EXPECT_EQ(trace.parentOf(launch), op);
  EXPECT_EQ(trace.events.kind[named(*set, "ProfilerStep#3")], EventKind::Annotation);
  const auto fields = fieldsOf(rank, op);
  EXPECT_EQ(fields.at("Sequence number"), "7");
  EXPECT_EQ(fields.at("Record function id"), "12");
  EXPECT_EQ(fields.at("Input Dims"), "[[2, 3], []]");
  const auto ofKernel = fieldsOf(rank, kernel);
  EXPECT_EQ(ofKernel.at("grid"), "[264, 1, 1]");
  EXPECT_EQ(ofKernel.at("demangledName"), "void gemm<float>(int)");
  EXPECT_EQ(ofKernel.at("correlationId"), "11");
}

TEST(NsysReader, readsArgumentsOfManyEventsInOnePass) {
  Export file;
  fillStep(file, kPid, 0);
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankEntry& rank = set->ranks().front();
  std::vector<SourceRef> sources(rank.trace->events.source.span().begin(),
                                 rank.trace->events.source.span().end());
  std::ranges::sort(sources);
  const auto all = [&](EventArgument wanted) {
    std::vector<std::string> texts;
    EXPECT_FALSE(rank.details->arguments(
        sources, wanted, [&](std::size_t, std::string_view text) { texts.emplace_back(text); }));
    return texts;
  };
  EXPECT_EQ(all(EventArgument::InputShapes), std::vector<std::string>{"[[2, 3], []]"});
  EXPECT_EQ(all(EventArgument::LaunchShape), std::vector<std::string>{"[264, 1, 1] · [128, 1, 1]"});
  EXPECT_TRUE(all(EventArgument::CallStack).empty());
  EXPECT_EQ(all(EventArgument::OperatorInputs), std::vector<std::string>{"[[2, 3], []]\x1f\x1f\x1f"
                                                                         "7\x1f\x1f"});
}

TEST(NsysReader, waitsAreJoinedToTheRecordsOfTheirEvents) {
  Export file;
  const std::int64_t process = NsysFile::process(kPid);
  const std::int64_t thread = NsysFile::thread(kPid, kPid);
  const std::string pid = std::to_string(process);
  file->kernel(process, 0, 7, 2000, 3000, "producer", 1);
  file->kernel(process, 0, 20, 5000, 6000, "consumer", 4);
  file->call(thread, 1000, 1100, "cudaLaunchKernel_v7000", 1);
  file->call(thread, 1200, 1300, "cudaEventRecord_v3020", 2);
  file->call(thread, 1400, 1500, "cudaStreamWaitEvent_v3020", 3);
  file->call(thread, 1600, 1700, "cudaLaunchKernel_v7000", 4);
  file->call(thread, 7000, 8000, "cudaDeviceSynchronize_v3020", 5);
  file->run("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 0, 1, NULL, 7, 2, " + pid + ", 90, NULL)");
  // The type says 1, the call says wait: versions differ.
  file->run("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1410, 1420, 0, 1, NULL, 20, 3, " + pid +
            ", 1, 1, 90, NULL), (7010, 7900, 0, 1, NULL, 4294967295, 5, " + pid +
            ", 1, 1, 4294967295, NULL)");
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankTrace& trace = *set->ranks().front().trace;
  const EventIndex wait = named(*set, "Stream Wait Event");
  ASSERT_TRUE(wait.valid());
  EXPECT_TRUE(named(*set, "Context Sync").valid());
  ASSERT_EQ(trace.waits.size(), 2u);
  const auto waits = trace.waitsOf(wait);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].call, named(*set, "cudaStreamWaitEvent"));
  EXPECT_EQ(waits[0].record, named(*set, "cudaEventRecord"));
  EXPECT_EQ(waits[0].before, named(*set, "producer"));
  EXPECT_EQ(waits[0].after, named(*set, "consumer"));
}

TEST(NsysReader, forwardAndBackwardOperatorsAreLinkedBySequenceNumber) {
  Export file;
  const std::int64_t main = NsysFile::thread(kPid, kPid);
  const std::int64_t autograd = NsysFile::thread(kPid, kPid + 9);
  file->range(main, 1000, 2000, "aten::linear, seq = 5, op_id = 1");
  file->range(main, 1200, 1800, "aten::addmm, seq = 5, op_id = 2");
  file->range(autograd, 5000, 6000, "autograd::engine::evaluate_function: AddmmBackward0, op_id = 3");
  file->range(autograd, 5100, 5900, "AddmmBackward0, seq = 5, op_id = 4");
  file->range(autograd, 5200, 5300, "aten::mm, seq = 5, op_id = 5");
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankTrace& trace = *set->ranks().front().trace;
  ASSERT_EQ(trace.forwardBackward.size(), 1u);
  EXPECT_EQ(trace.forwardBackward[0].from, named(*set, "aten::addmm"));
  EXPECT_EQ(trace.forwardBackward[0].to, named(*set, "AddmmBackward0"));
}

TEST(NsysReader, domainsMarksAndOpenRangesHaveTheirPlaces) {
  Export file;
  const std::int64_t thread = NsysFile::thread(kPid, kPid);
  file->run("INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (-5, 75, 'NCCL', " +
            std::to_string(thread) + ", 1), (-4, 75, 'mine', " + std::to_string(thread) +
            ", 2), (700, 34, 'here', " + std::to_string(thread) + ", 0), (800, 59, 'open', " +
            std::to_string(thread) + ", 0)");
  file->run("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, endGlobalTid, domainId) VALUES "
            "(100, 600, 60, 'crossing', " +
            std::to_string(thread) + ", " + std::to_string(thread + 1) + ", 0)");
  file->range(thread, 100, 200, "ncclAllReduce", 1);
  file->range(thread, 300, 400, "of the program", 2);
  file->call(thread, 1000, 2000, "cudaFree_v3020", 0);
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankTrace& trace = *set->ranks().front().trace;
  const auto trackOf = [&](std::string_view name) {
    return trace.tracks[trace.trackOf(named(*set, name)).value];
  };
  EXPECT_EQ(trackOf("ncclAllReduce").kind, TrackKind::Other);
  EXPECT_EQ(trackOf("ncclAllReduce").thread, "100 NCCL");
  EXPECT_EQ(trackOf("of the program").kind, TrackKind::Annotations);
  EXPECT_EQ(trackOf("of the program").thread, "100");
  EXPECT_EQ(trackOf("crossing").thread, "NVTX ranges");
  EXPECT_EQ(trackOf("here").kind, TrackKind::Instants);
  EXPECT_EQ(trace.events.range(named(*set, "open")).end, 2000);
}

TEST(NsysReader, rowsThatAreNotReadableAreCountedAndTheRestIsKept) {
  Export file;
  const std::int64_t process = NsysFile::process(kPid);
  file->kernel(process, 0, 7, 5000, 4000, "backwards", 0);
  file->kernel(process, 0, 7, 1, INT64_MAX, "endless", 0);
  file->kernel(process, 0, 4294967295, 10, 20, "without a stream", 0);
  file->run("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 999, shortName = 999 WHERE rowid = 3");
  file->run("INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid) VALUES (1, 2, 12345, 3)");
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankTrace& trace = *set->ranks().front().trace;
  EXPECT_TRUE(named(*set, "#999").valid());
  EXPECT_EQ(trace.events.duration[named(*set, "backwards")], 0);
  EXPECT_FALSE(named(*set, "endless").valid());
  EXPECT_TRUE(hasDiagnostic(trace, "ends beyond the time range"));
  EXPECT_TRUE(hasDiagnostic(trace, "not in StringIds"));
}

TEST(NsysReader, missingColumnsAreNotRecordedAndMissingProcessesAreTheOnlyOne) {
  TemporaryFolder folder;
  const std::string path = folder / "old.sqlite";
  {
    NsysFile file(path);
    file.run("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "
             "end INTEGER, "
             "deviceId INTEGER, streamId INTEGER, correlationId INTEGER, shortName INTEGER)");
    const std::int64_t name = file.string("old_kernel");
    file.call(NsysFile::thread(kPid, kPid), 10, 20, "cudaLaunchKernel_v7000", 3);
    file.run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 40, 0, 7, 3, " + std::to_string(name) + ")");
  }
  const auto set = loadJob(path);
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 1u);
  const RankTrace& trace = *set->ranks().front().trace;
  EXPECT_EQ(trace.deviceDetail(named(*set, "old_kernel")).launch, named(*set, "cudaLaunchKernel"));
  EXPECT_EQ(trace.deviceDetail(named(*set, "old_kernel")).blocksPerSm, -1);
}

TEST(NsysReader, theSameEventsForAnyNumberOfThreadsAndRowsAtOnce) {
  Export file;
  const std::int64_t thread = NsysFile::thread(kPid, kPid);
  file->run("BEGIN");
  for (std::int64_t i = 0; i < 3000; ++i) {
    file->range(thread, 100 * i, 100 * i + 90,
                "aten::op" + std::to_string(i % 50) + ", op_id = " + std::to_string(i));
    file->call(thread, 100 * i + 10, 100 * i + 20, "cudaLaunchKernel_v7000", i + 1);
    file->kernel(NsysFile::process(kPid), 0, 7, 100 * i + 30, 100 * i + 50, "k" + std::to_string(i % 7),
                 i + 1);
  }
  file->run("COMMIT");
  const auto open = [&](std::int64_t rows, unsigned threads) {
    const NsysReader reader(rows);
    const TraceReaders readers{&reader};
    Progress progress;
    LoadOptions options;
    options.threadCount = threads;
    options.readers = &readers;
    auto loaded = loadTraces({file.path()}, options, progress);
    EXPECT_TRUE(loaded);
    EXPECT_EQ(progress.bytesDone, progress.bytesTotal);
    return *loaded;
  };
  const auto one = open(1 << 20, 1);
  const auto many = open(97, 4);
  const RankTrace& a = *one->ranks().front().trace;
  const RankTrace& b = *many->ranks().front().trace;
  EXPECT_EQ(a.events.size(), 9000u);
  EXPECT_TRUE(std::ranges::equal(a.events.begin.span(), b.events.begin.span()));
  EXPECT_TRUE(std::ranges::equal(a.events.name.span(), b.events.name.span()));
  EXPECT_TRUE(std::ranges::equal(a.events.source.span(), b.events.source.span()));
  EXPECT_EQ(a.byLaunch.size(), 3000u);
}

TEST(NsysReader, whatTheFileLacksIsSaidWithTheWayToRecordIt) {
  Export file;
  file->call(NsysFile::thread(kPid, kPid), 10, 20, "cudaFree_v3020", 0);
  const auto set = file.open();
  ASSERT_TRUE(set);
  std::set<std::string> titles;
  for (const Diagnostic& item : set->ranks().front().trace->diagnostics.items()) {
    if (const auto part = missingPartOf(item.text)) titles.emplace(part->first);
  }
  EXPECT_EQ(titles,
            (std::set<std::string>{"No GPU activity in this export", "No NVTX ranges", "No wall time"}));
}

// What nsys says, each once with its count, and what is in the file but not imported.
TEST(NsysReader, messagesOfNsysAndTablesOfOtherKindsAreNamed) {
  Export file;
  fillStep(file, kPid, 0);
  const std::string pid = std::to_string(NsysFile::process(kPid));
  for (int i = 0; i < 3; ++i)
    file->run("INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 0, 1, 2, 'Not all CUDA events might have been "
              "collected.', " +
              pid + ")");
  file->run("INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 0, 1, 1, 'Profiling has started.', " + pid +
            "), (1, 0, 1, 3, 'No symbols.', " + pid + ")");
  file->run("CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER); INSERT INTO SCHED_EVENTS VALUES (1, 2), "
            "(3, 4);"
            "CREATE TABLE COMPOSITE_EVENTS (start INTEGER); INSERT INTO COMPOSITE_EVENTS VALUES (1);"
            "CREATE TABLE OPENACC_LAUNCH_EVENTS (start INTEGER)");
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankTrace& trace = *set->ranks().front().trace;
  EXPECT_TRUE(hasDiagnostic(trace, "nsys: Not all CUDA events might have been collected. (3 times)"));
  EXPECT_TRUE(hasDiagnostic(trace, "nsys: No symbols."));
  EXPECT_FALSE(hasDiagnostic(trace, "Profiling has started"));
  EXPECT_TRUE(hasDiagnostic(trace, "not imported: COMPOSITE_EVENTS (1 row), SCHED_EVENTS (2 rows)"));
  EXPECT_FALSE(hasDiagnostic(trace, "OPENACC_LAUNCH_EVENTS")); // empty
  EXPECT_TRUE(hasDiagnostic(trace, "missing: CUDA events lost while recording - "));
}

// Tables that no recording at hand has, in the layout of the exporter's reference.
TEST(NsysReader, countersMemoryGraphsAndMpiHaveTheirPlaces) {
  Export file;
  const std::string pid = std::to_string(NsysFile::process(kPid));
  const std::string thread = std::to_string(NsysFile::thread(kPid, kPid));
  fillStep(file, kPid, 0);
  file->run("CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, "
            "typeName TEXT NOT NULL, metricId INTEGER NOT NULL, metricName TEXT NOT NULL)");
  file->run("CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER NOT NULL, "
            "metricId INTEGER NOT NULL, value INTEGER NOT NULL)");
  file->run("INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256, 1, 'GA100', 7, 'SMs Active [Throughput %]'), "
            "(257, 1, 'GA100', 7, 'SMs Active [Throughput %]')");
  file->run(
      "INSERT INTO GPU_METRICS VALUES (0, 1000, 256, 7, 40), (0, 2000, 256, 7, 80), (0, NULL, 256, 7, 1), "
      "(0, 1000, 256, 99, 5)");
  file->run("CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL, "
            "deviceId "
            "INTEGER NOT NULL, contextId INTEGER NOT NULL, address INTEGER NOT NULL, bytes INTEGER NOT NULL, "
            "memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL)");
  file->run("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1500, " + pid +
            ", 0, 1, 64, 4096, 2, 0), (2500, " + pid + ", 0, 1, 64, 4096, 2, 1)");
  file->run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId "
      "INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, "
      "globalPid INTEGER, graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL)");
  file->run("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (5000, 6000, 0, 1, 7, 11, " + pid +
            ", 3, 4), (0, 0, 0, 1, 7, 11, " + pid + ", 3, 4)");
  file->run(
      "CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId "
      "INTEGER, size INTEGER)");
  file->run("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (7000, 7100, " + thread + ", " +
            std::to_string(file->string("MPI_Allreduce")) + ", 8)");
  file->run("CREATE TABLE MPI_RANKS (globalTid INTEGER NOT NULL, rank INTEGER NOT NULL); INSERT INTO "
            "MPI_RANKS VALUES (" +
            thread + ", 6)");
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankTrace& trace = *set->ranks().front().trace;
  EXPECT_EQ(set->ranks().front().rank, 6);
  ASSERT_EQ(trace.counters.size(), 2u);
  const auto counter = [&](std::string_view name) {
    const auto found = std::ranges::find(trace.counters, name, &CounterSeries::name);
    return found == trace.counters.end() ? std::vector<double>() : found->values;
  };
  EXPECT_EQ(counter("SMs Active [Throughput %]"), (std::vector<double>{40, 80}));
  // Blocks of cudaMalloc are what PyTorch's allocator has reserved: no allocations, of no role.
  EXPECT_EQ(counter("Reserved memory (device allocations) [bytes]"), (std::vector<double>{4096, 0}));
  EXPECT_EQ(trace.memory.size(), 0u);
  const EventIndex graph = named(*set, "CUDA graph 3");
  ASSERT_TRUE(graph.valid());
  EXPECT_EQ(trace.events.kind[graph], EventKind::Kernel);
  EXPECT_EQ(trace.deviceDetail(graph).launch, named(*set, "cudaLaunchKernel"));
  EXPECT_TRUE(hasDiagnostic(trace, "CUDA graphs recorded as a whole"));
  EXPECT_EQ(trace.events.kind[named(*set, "MPI_Allreduce")], EventKind::HostCollective);
}

// A graph's node is a clone of the one that was captured; its creation lies in a call within an operator.
TEST(NsysReader, kernelsOfGraphsSayWhereTheyWereCaptured) {
  Export file;
  fillStep(file, kPid, 0);
  const std::string thread = std::to_string(NsysFile::thread(kPid, kPid));
  file->run("CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass "
            "INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, graphNodeId INTEGER NOT NULL, "
            "originalGraphNodeId INTEGER)");
  file->run("INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (2600, 2600, 82, " + thread +
            ", 1, 71, NULL), "
            "(8000, 8000, 82, " +
            thread + ", 1, 72, 71), (8100, 8100, 82, " + thread +
            ", 1, 73, 72), "
            "(8200, 8200, 82, " +
            thread + ", 1, 80, 81), (8300, 8300, 82, " + thread + ", 1, 81, 80)");
  file->kernel(NsysFile::process(kPid), 0, 7, 6000, 6500, "replayed", 30);
  file->kernel(NsysFile::process(kPid), 0, 7, 7000, 7500, "in a circle", 30);
  file->run("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = 73 WHERE start = 6000");
  file->run("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = 80 WHERE start = 7000");
  const auto set = file.open();
  ASSERT_TRUE(set);
  const auto fields = fieldsOf(set->ranks().front(), named(*set, "replayed"));
  EXPECT_EQ(fields.at("captured call"), "cudaLaunchKernel");
  EXPECT_EQ(fields.at("captured in"), "aten::linear < ProfilerStep#3");
  EXPECT_TRUE(fieldsOf(set->ranks().front(), named(*set, "in a circle")).contains("graphNodeId"));
  EXPECT_FALSE(fieldsOf(set->ranks().front(), named(*set, "void gemm<float>(int)")).contains("captured in"));
  // Its time is that of the operator, although the graph was launched elsewhere.
  const Analysis analysis(set);
  const RankTrace& trace = *set->ranks().front().trace;
  const OperatorTree& tree = analysis.operatorTree(RankIndex(0));
  EXPECT_EQ(tree.captureOf(named(*set, "replayed")), named(*set, "aten::linear"));
  EXPECT_FALSE(tree.captureOf(named(*set, "in a circle")).valid());
  EXPECT_EQ(tree.workOf(trace, named(*set, "void gemm<float>(int)")), named(*set, "aten::linear"));
  const OperatorProfile profile = operatorProfile(trace, tree, set->names());
  ASSERT_EQ(profile.operators.size(), 1u);
  EXPECT_EQ(profile.operators[0].deviceSelf, 1000 + 500 + 500); // kernel, copy and replay
  EXPECT_EQ(profile.unattributedDevice, 500);                   // in a circle
}

// DLProf and PyProf push a dict for each call. A range of the program that has the same name stays a phase.
TEST(NsysReader, dictsAreAnnotationsButNoPhasesOrSteps) {
  Export file;
  const std::int64_t thread = NsysFile::thread(kPid, kPid);
  file->range(thread, 100, 900, "{'traceMarker': ['a.py:1'], 'funcStack': '/<module>/forward'}");
  file->range(thread, 200, 800, "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': []}");
  file->range(thread, 1000, 1900, "forward");
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankTrace& trace = *set->ranks().front().trace;
  EXPECT_EQ(trace.events.kind[named(*set, "torch.nn.functional.conv2d")], EventKind::Annotation);
  const IntervalSet forward = hostPhases(trace, set->names(), kAllTime).forward;
  ASSERT_EQ(forward.ranges().size(), 1U);
  EXPECT_EQ(forward.ranges().front().length(), 900);
  Export repeated;
  for (std::int64_t call = 0; call < 5; ++call) {
    const std::int64_t at = 1000 * call;
    repeated->range(thread, at, at + 900, "{'mod': 'torch', 'op': 'conv2d', 'args': []}");
    repeated->call(thread, at + 100, at + 200, "cudaLaunchKernel_v7000", call + 1);
    repeated->kernel(NsysFile::process(kPid), 0, 7, at + 300, at + 800, "gemm", call + 1);
  }
  EXPECT_FALSE(Analysis(repeated.open()).wholeStepWindows(RankIndex(0)).areSteps());
}

} // namespace rankscope
