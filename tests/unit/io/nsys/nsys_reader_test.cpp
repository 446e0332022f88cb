// SPDX-License-Identifier: GPL-3.0-or-later
// Exports made for the purpose: what of which table becomes which event, ranks of several processes, clocks,
// links, details, damage. Covers core/io/nsys/nsys_database, core/io/nsys/nsys_details,
// core/io/nsys/nsys_export, core/io/nsys/nsys_joins, core/io/nsys/nsys_ranks, core/io/nsys/nsys_report,
// core/io/nsys/nsys_steps and core/model/missing_part. In one file, because the exports of its tests have the
// same parts.
#include "core/io/nsys/nsys_reader.h"

#include "core/io/load/trace_loader.h"
#include "core/io/nsys/nsys_joins.h"
#include "core/io/nsys/nsys_ranks.h"
#include "core/io/nsys/nsys_recordings.h"
#include "core/io/nsys/nsys_report.h"
#include "core/model/missing_part.h"
#include "tests/support/nsys_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/opened_trace.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope {
namespace {

using test::loadJob;
using test::NsysFile;
using test::sqlText;
using test::TemporaryFolder;

constexpr std::int64_t kUtc = 1'700'000'000'000'000'000;
constexpr std::int64_t kPid = 100;

// An export in a folder of its own.
class Export {
 public:
  explicit Export(const std::string& name = "trace.sqlite") : m_path(m_folder / name), m_file(m_path) {}

  NsysFile* operator->() { return &m_file; }
  [[nodiscard]] const std::string& path() const { return m_path; }
  [[nodiscard]] std::string folder() const { return m_folder.path().string(); }
  [[nodiscard]] std::shared_ptr<const TraceSet> open() const { return loadJob(m_path); }

 private:
  TemporaryFolder m_folder;
  std::string m_path;
  NsysFile m_file;
};

EventIndex named(const TraceSet& set, std::string_view name, std::size_t rank = 0) {
  const RankTrace& trace = *set.ranks().at(rank).trace;
  for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
    if (set.names()[trace.events.name[e]] == name) return e;
  }
  return {};
}

std::map<std::string, std::string> fieldsOf(const RankEntry& rank, EventIndex event) {
  std::map<std::string, std::string> fields;
  const auto read = rank.details->fields(rank.trace->events.source[event]);
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  if (read) {
    for (const EventField& field : *read) fields[field.key] = field.value;
  }
  return fields;
}

bool hasDiagnostic(const RankTrace& trace, std::string_view part) {
  for (const Diagnostic& item : trace.diagnostics.items()) {
    if (item.text.find(part) != std::string::npos) return true;
  }
  return false;
}

// One process that launches a kernel and a copy within an operator of a step.
void fillStep(Export& file, std::int64_t pid, std::int64_t device) {
  const std::int64_t thread = NsysFile::thread(pid, pid);
  file->range(thread, 1000, 9000, "ProfilerStep#3");
  file->range(thread, 2000, 5000, "aten::linear, seq = 7, op_id = 12, sizes = [[2, 3], []]");
  file->call(thread, 2500, 2900, "cudaLaunchKernel_v7000", 11);
  file->call(thread, 3000, 3100, "cudaMemcpyAsync_ptsz_v3020", 12);
  file->kernel(NsysFile::process(pid), device, 7, 3000, 4000, "void gemm<float>(int)", 11);
  file->copy(NsysFile::process(pid), device, 7, 4000, 4500, 4096, 12);
}

} // namespace

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

TEST(NsysReader, correlationsCountPerProcessAndProcessesAreRanks) {
  Export file;
  file->session(kUtc, 0, "node-a");
  fillStep(file, 201, 1);
  fillStep(file, 200, 0);
  file->call(NsysFile::thread(50, 50), 10, 20, "cuInit", 1); // the launcher
  const auto set = file.open();
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 2u);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const RankTrace& trace = *set->ranks()[rank].trace;
    EXPECT_EQ(set->ranks()[rank].rank, static_cast<int>(rank));
    EXPECT_EQ(trace.devices, std::vector<int>{static_cast<int>(rank)});
    EXPECT_EQ(trace.byLaunch.size(), 2u);
    EXPECT_EQ(trace.events.size(), 6u);
  }
  EXPECT_EQ(set->files().front().rankFrom, "device");
  EXPECT_TRUE(hasDiagnostic(*set->ranks()[0].trace, "1 events of processes that are no ranks"));
}

TEST(NsysReader, otherProcessesOfTheOnlyRankAreItsTracksWithoutLaunches) {
  Export file;
  fillStep(file, kPid, 0);
  file->call(NsysFile::thread(300, 301), 2000, 2100, "cudaLaunchKernel_v7000", 11);
  const auto set = file.open();
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 1u);
  const RankTrace& trace = *set->ranks()[0].trace;
  EXPECT_EQ(trace.events.size(), 7u);
  const EventIndex launch = trace.deviceDetail(named(*set, "void gemm<float>(int)")).launch;
  EXPECT_EQ(trace.tracks[trace.trackOf(launch).value].process, std::to_string(kPid));
}

TEST(NsysReader, ranksComeFromTheEnvironmentOfTheOnlyProcess) {
  Export file("report1.sqlite");
  file->session(kUtc, 0, "node-a");
  file->capture("PROCESS_0:ENVIRONMENT_VARIABLE", "WANDB_API_KEY=\"planted\"");
  file->capture("PROCESS_0:ENVIRONMENT_VARIABLE", "SLURM_PROCID=\"0\"");
  file->capture("PROCESS_0:ENVIRONMENT_VARIABLE", "RANK=\"5\"");
  file->capture("PROCESS_0:ENVIRONMENT_VARIABLE", "WORLD_SIZE=\"8\"");
  fillStep(file, kPid, 0);
  const auto set = file.open();
  ASSERT_TRUE(set);
  EXPECT_EQ(set->ranks().front().rank, 5);
  EXPECT_EQ(set->worldSize(), 8);
  EXPECT_EQ(set->files().front().rankFrom, "environment");
}

TEST(NsysReader, environmentsAreReadOfAllLayoutsAndOnlyWhatMatters) {
  std::map<std::string, std::int64_t, std::less<>> variables;
  takeEnvironment(std::string_view("A=1\0RANK=3\0PATH=/x;RANK=9\0", 27), variables);
  EXPECT_EQ(variables, (std::map<std::string, std::int64_t, std::less<>>{{"RANK", 3}}));
  variables.clear();
  takeEnvironment("A=1;LOCAL_RANK=2;KEY=secret;SLURM_PROCID=abc;WORLD_SIZE=16", variables);
  EXPECT_EQ(variables,
            (std::map<std::string, std::int64_t, std::less<>>{{"LOCAL_RANK", 2}, {"WORLD_SIZE", 16}}));
  NsysExport facts;
  facts.environment = {{"SLURM_PROCID", 2}, {"WORLD_SIZE", 4}, {"NODE_RANK", 1}};
  const RankEvidence only = rankEvidence(facts, 1, {}, true);
  EXPECT_EQ(only.rank, 2);
  EXPECT_EQ(only.worldSize, 4);
  EXPECT_EQ(only.nodeRank, 1);
  EXPECT_FALSE(rankEvidence(facts, 1, {}, false).rank); // the launcher's
  const std::vector<std::string> names{"main", "MPI Rank 3"};
  EXPECT_EQ(rankEvidence(facts, 1, names, false).rank, 3);
}

TEST(NsysReader, clocksOfOneHostAreAlignedByItsMonotonicClock) {
  TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    NsysFile file(folder / ("trace_rank" + std::to_string(rank) + ".sqlite"));
    // The wall clock was set back by 1 ms between the two sessions.
    file.session(kUtc + rank * 500'000, 1'000'000'000 + rank * 1'500'000, "node-a");
    file.kernel(NsysFile::process(kPid + rank), 0, 7, 10'000'000 - rank * 1'500'000,
                10'100'000 - rank * 1'500'000, "k", 0);
  }
  const auto set = loadJob(folder.path().string());
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 2u);
  EXPECT_EQ(set->ranks()[0].trace->events.begin[EventIndex(0)],
            set->ranks()[1].trace->events.begin[EventIndex(0)]);
}

TEST(NsysReader, timesAreSessionTimesShiftedOrUtc) {
  {
    Export shifted;
    shifted->session(kUtc, 0, "h");
    shifted->run("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_CONFIG_TIME_SHIFT', '500'), "
                 "('EXPORT_PARAM_TIME_SHIFT', '200')");
    shifted->kernel(NsysFile::process(kPid), 0, 7, 1500, 1600, "k", 0);
    EXPECT_EQ(shifted.open()->ranks().front().trace->events.begin[EventIndex(0)], kUtc + 1000 + 200);
  }
  Export normal;
  normal->session(kUtc, 0, "h");
  normal->kernel(NsysFile::process(kPid), 0, 7, kUtc + 70, kUtc + 80, "k", 0);
  EXPECT_EQ(normal.open()->ranks().front().trace->events.begin[EventIndex(0)], kUtc + 70);
  Export early;
  early->session(kUtc, 0, "h");
  early->kernel(NsysFile::process(kPid), 0, 7, -50, -10, "before", 0);
  early->kernel(NsysFile::process(kPid), 0, 7, -50, 10, "across", 0);
  const auto set = early.open();
  EXPECT_EQ(set->ranks().front().trace->events.size(), 1u);
  EXPECT_TRUE(hasDiagnostic(*set->ranks().front().trace, "1 events ended before the capture began"));
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

TEST(NsysReader, otherDatabasesAndReportsSayWhatTheyAre) {
  TemporaryFolder folder;
  const auto messageOf = [](const std::string& path) {
    Progress progress;
    const auto loaded = loadTraces({path}, {1, std::nullopt}, progress);
    return loaded ? std::string("loaded") : loaded.error().message;
  };
  {
    NsysFile file(folder / "other.sqlite");
    file.run("DROP TABLE StringIds");
  }
  EXPECT_NE(messageOf(folder / "other.sqlite").find("an SQLite database with the tables"), std::string::npos);
  const auto write = [&](const std::string& name, std::string_view text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  };
  const std::string report =
      messageOf(write("trace_rank3.nsys-rep", "NVIDIA Tegra Profiler Report 2026@1@3@425-261338342291v0.\n"));
  EXPECT_NE(report.find("(written by nsys 2026.1.3)"), std::string::npos) << report;
  EXPECT_NE(report.find("for f in *.nsys-rep; do nsys export --type=sqlite --include-blobs=true "
                        "--output=\"${f%.nsys-rep}.sqlite\" \"$f\"; done"),
            std::string::npos)
      << report;
  const std::string old = messageOf(write("old.qdrep", "NVIDIA Tegra Profiler Report 1.\n"));
  EXPECT_EQ(old.find("--include-blobs"), std::string::npos);
  EXPECT_NE(old.find("for f in *.qdrep;"), std::string::npos) << old;
  EXPECT_NE(messageOf(write("header.sqlite", std::string_view("SQLite format 3\0", 16))).find("database"),
            std::string::npos);
  EXPECT_EQ(reportVersion("NVIDIA Tegra Profiler Report 2024@5@1@113-x"), "2024.5.1");
  EXPECT_FALSE(exportsBlobs("2025.5.2"));
}

TEST(NsysReader, aReportBesideItsExportIsNamedAndNotRead) {
  Export file("job.sqlite");
  fillStep(file, kPid, 0);
  std::ofstream(file.folder() + "/job.nsys-rep") << "NVIDIA Tegra Profiler Report 2026@1@3@425-1v0.\n";
  const auto set = loadJob(file.folder());
  ASSERT_TRUE(set);
  EXPECT_EQ(set->ranks().size(), 1u);
  bool named = false;
  for (const FileRecord& record : set->files())
    named = named || record.note.find("the report that job.sqlite was exported from") != std::string::npos;
  EXPECT_TRUE(named);
}

TEST(NsysReader, stepsAreChosenByTheirNumbers) {
  Export file;
  const std::int64_t thread = NsysFile::thread(kPid, kPid);
  for (std::int64_t step = 0; step < 4; ++step) {
    file->range(thread, 1000 * step, 1000 * step + 900, "train.step_" + std::to_string(10 + step));
    file->call(thread, 1000 * step + 100, 1000 * step + 200, "cudaLaunchKernel_v7000", step + 1);
    file->kernel(NsysFile::process(kPid), 0, 7, 1000 * step + 300, 1000 * step + 400, "k", step + 1);
  }
  std::atomic<bool> cancel{false};
  const auto numbers = stepNumbers(file.path(), cancel);
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, (LoadFilter::Steps{10, 13}));
  Progress progress;
  LoadOptions options;
  options.filter.steps = LoadFilter::Steps{11, 12};
  const auto loaded = loadTraces({file.path()}, options, progress);
  ASSERT_TRUE(loaded);
  EXPECT_EQ((*loaded)->ranks().front().trace->events.size(), 6u);
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
  ASSERT_EQ(trace.counters.size(), 1u);
  EXPECT_EQ(trace.counters[0].name, "SMs Active [Throughput %]");
  EXPECT_EQ(trace.counters[0].values, (std::vector<double>{40, 80}));
  ASSERT_EQ(trace.memory.size(), 2u);
  EXPECT_EQ(trace.memory[0].bytes, 4096);
  EXPECT_EQ(trace.memory[1].bytes, -4096);
  EXPECT_EQ(trace.memory[0].device, 0);
  const EventIndex graph = named(*set, "CUDA graph 3");
  ASSERT_TRUE(graph.valid());
  EXPECT_EQ(trace.events.kind[graph], EventKind::Kernel);
  EXPECT_EQ(trace.deviceDetail(graph).launch, named(*set, "cudaLaunchKernel"));
  EXPECT_TRUE(hasDiagnostic(trace, "CUDA graphs recorded as a whole"));
  EXPECT_EQ(trace.events.kind[named(*set, "MPI_Allreduce")], EventKind::HostCollective);
}

TEST(NsysReader, ranksOfBothProfilersAreOneJob) {
  const TemporaryFolder folder;
  {
    NsysFile file(folder / "trace_rank1.sqlite");
    file.session(kUtc, 0, "node-a");
    file.kernel(NsysFile::process(kPid), 0, 7, 1000, 2000, "kernel", 0);
  }
  test::writeTraceFile(
      folder / "trace_rank0.json",
      R"({"baseTimeNanoseconds": 1700000000000000000, "traceEvents": [{"ph": "X", "cat": "kernel", )"
      R"("name": "kernel", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"device": 0, "stream": 7}}]})");
  const auto set = loadJob(folder.path().string());
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 2u);
  EXPECT_EQ(set->ranks()[0].trace->events.begin[EventIndex(0)],
            set->ranks()[1].trace->events.begin[EventIndex(0)]);
}

} // namespace rankscope
