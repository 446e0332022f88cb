// SPDX-License-Identifier: GPL-3.0-or-later
// Exports made for the purpose: their ranks, clocks, steps, and what is no export. Covers
// core/io/nsys/nsys_export, core/io/nsys/nsys_report and core/io/nsys/nsys_steps.
#include "core/io/nsys/nsys_ranks.h"

#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "core/io/load/trace_readers.h"
#include "core/io/nsys/nsys_export.h"
#include "core/io/nsys/nsys_reader.h"
#include "core/io/nsys/nsys_report.h"
#include "tests/unit/io/nsys/made_export.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

using test::sqlText;

TEST(NsysRanks, correlationsCountPerProcessAndProcessesAreRanks) {
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

TEST(NsysRanks, otherProcessesOfTheOnlyRankAreItsTracksWithoutLaunches) {
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

TEST(NsysRanks, ranksComeFromTheEnvironmentOfTheOnlyProcess) {
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

TEST(NsysRanks, environmentsAreReadOfAllLayoutsAndOnlyWhatMatters) {
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

TEST(NsysRanks, clocksOfOneHostAreAlignedByItsMonotonicClock) {
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

TEST(NsysRanks, timesAreSessionTimesShiftedOrUtc) {
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

TEST(NsysRanks, otherDatabasesAndReportsSayWhatTheyAre) {
  TemporaryFolder folder;
  const auto messageOf = [](const std::string& path) {
    Progress progress;
    const auto loaded = loadTraces({path}, {1, std::nullopt}, progress);
    return loaded ? std::string("loaded") : loaded.error().message;
  };
  {
    NsysFile file(folder / "other.sqlite");
    file.run("CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT)"); // nvprof's
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

// Each form that is no readable export says what it is and what to do.
TEST(NsysRanks, otherFormsOfExportsSayWhatToDo) {
  TemporaryFolder folder;
  const auto messageOf = [&](const std::string& name, std::string_view text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    Progress progress;
    const auto loaded = loadTraces({folder / name}, {1, std::nullopt}, progress);
    return loaded ? std::string("loaded") : loaded.error().message;
  };
  const auto expect = [&](const std::string& name, std::string_view text, std::string_view part) {
    const std::string message = messageOf(name, text);
    EXPECT_NE(message.find(part), std::string::npos) << name << ": " << message;
  };
  constexpr std::string_view kPointer = "version https://git-lfs.github.com/spec/v1\n"
                                        "oid sha256:0123456789abcdef\nsize 123456789\n";
  for (const char* const name : {"pointer.sqlite", "pointer.nsys-rep", "pointer.json"})
    expect(name, kPointer, "a Git LFS pointer, not the file itself; fetch it (git lfs pull)");
  expect("tables.arrow", std::string_view("ARROW1\0\0", 8), "export as SQLite instead");
  expect("tables.h5", "\x89HDF\r\n\x1a\n rest", "export as SQLite instead");
  expect("table.parquet", "PAR1 rest", "export as SQLite instead");
  // In a folder, names are enough.
  const TemporaryFolder mixed;
  {
    NsysFile file(mixed / "trace_rank0.sqlite");
    file.kernel(NsysFile::process(kPid), 0, 7, 10, 20, "k", 0);
  }
  std::filesystem::create_directory(mixed / "trace_rank1_pqtdir");
  for (const char* const name :
       {"trace_rank2.sqlite.gz", "trace_rank3.arrow", "trace_rank4.h5", "trace_rank1_pqtdir/KERNEL.parquet"})
    std::ofstream(mixed / name) << "x";
  const auto set = loadJob(mixed.path().string());
  ASSERT_TRUE(set);
  std::map<std::string, std::string> notes;
  for (const FileRecord& record : set->files())
    notes[std::filesystem::path(record.path).filename().string()] = record.note;
  EXPECT_NE(notes["trace_rank1_pqtdir"].find("export as SQLite instead"), std::string::npos);
  EXPECT_NE(notes["trace_rank2.sqlite.gz"].find("decompress it (gunzip)"), std::string::npos);
  EXPECT_NE(notes["trace_rank3.arrow"].find("export as SQLite instead"), std::string::npos);
  EXPECT_NE(notes["trace_rank4.h5"].find("export as SQLite instead"), std::string::npos);
  EXPECT_EQ(notes.size(), 5u);
}

// Two exports of one report, of which one has only a part, and the captures of one session.
TEST(NsysRanks, otherExportsOfAReportAreLeftOut) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, std::int64_t first, std::int64_t kernels, bool uuid) {
    NsysFile file(folder / name);
    file.session(kUtc, 0, "node-a");
    if (uuid) file.capture("PROFILING_SESSION_UUID", "b1946ac9");
    for (std::int64_t i = 0; i < kernels; ++i)
      file.kernel(NsysFile::process(kPid), 0, 7, first + 100 * i, first + 100 * i + 50, "k", 0);
  };
  for (const bool uuid : {true, false}) {
    write("part.sqlite", 1000, 3, uuid);
    write("whole.sqlite", 1000, 5, false); // by an exporter that does not write it
    write("later.sqlite", 9'000'000, 2, uuid);
    const auto set = loadJob(folder.path().string());
    ASSERT_TRUE(set);
    std::uint64_t events = 0;
    for (const RankEntry& entry : set->ranks()) events += entry.trace->events.size();
    EXPECT_EQ(events, 5u); // the later capture is a job of its own
    bool named = false;
    for (const FileRecord& record : set->files()) {
      if (record.path.ends_with("later.sqlite")) {
        EXPECT_EQ(record.note.find("another export"), std::string::npos) << record.note;
      }
      if (record.path.ends_with("part.sqlite"))
        named = record.note.find("another export of the same report as " + (folder / "whole.sqlite")) !=
                std::string::npos;
    }
    EXPECT_TRUE(named);
    for (const char* const name : {"part.sqlite", "whole.sqlite", "later.sqlite"})
      std::filesystem::remove(folder / name);
  }
}

TEST(NsysRanks, aJournalBesideAnExportMeansThatItIsNotFinished) {
  Export file;
  fillStep(file, kPid, 0);
  std::ofstream(file.path() + "-wal") << "";
  EXPECT_FALSE(hasDiagnostic(*file.open()->ranks().front().trace, "journal"));
  std::ofstream(file.path() + "-wal") << "pages";
  EXPECT_TRUE(hasDiagnostic(*file.open()->ranks().front().trace,
                            "a journal stands beside the file: the export is still running"));
}

TEST(NsysRanks, aReportBesideItsExportIsNamedAndNotRead) {
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

TEST(NsysRanks, stepsAreChosenByTheirNumbers) {
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

// emit_nvtx appends the number of the record function: it is not the step's.
TEST(NsysRanks, stepsOfEmitNvtxAreChosenByTheirNumbers) {
  Export file;
  const std::int64_t thread = NsysFile::thread(kPid, kPid);
  for (std::int64_t step = 0; step < 4; ++step) {
    const std::int64_t at = 1000 * step;
    const std::string number = std::to_string(step);
    file->range(thread, at, at + 900, "ProfilerStep#" + number + ", op_id = " + std::to_string(90 + step));
    file->range(thread, at + 50, at + 800, "aten::mm, seq = " + number + ", op_id = 3");
    file->call(thread, at + 100, at + 200, "cudaLaunchKernel_v7000", step + 1);
    file->kernel(NsysFile::process(kPid), 0, 7, at + 300, at + 400, "k", step + 1);
  }
  const std::atomic<bool> cancel{false};
  EXPECT_EQ(stepNumbers(file.path(), cancel), (LoadFilter::Steps{0, 3}));
  Progress progress;
  LoadOptions options;
  options.filter.steps = LoadFilter::Steps{1, 2};
  const auto loaded = loadTraces({file.path()}, options, progress);
  ASSERT_TRUE(loaded);
  EXPECT_EQ((*loaded)->ranks().front().trace->events.size(), 8u);
  const Analysis analysis(*loaded);
  ASSERT_EQ(analysis.steps(RankIndex(0)).size(), 2u);
  EXPECT_EQ(analysis.steps(RankIndex(0))[0].number, 1);
}

// A name that repeats without a number marks steps by their order. What covers less is part of a step.
TEST(NsysRanks, stepsWithoutNumbersAreChosenByTheirOrder) {
  Export file;
  const std::int64_t thread = NsysFile::thread(kPid, kPid);
  for (std::int64_t step = 0; step < 4; ++step) {
    const std::int64_t at = 1000 * step;
    file->range(thread, at, at + 900, "train_step");
    for (std::int64_t part = 0; part < 3; ++part)
      file->range(thread, at + 100 * part, at + 100 * part + 10, "train_batch");
    file->call(thread, at + 100, at + 200, "cudaLaunchKernel_v7000", step + 1);
    file->kernel(NsysFile::process(kPid), 0, 7, at + 300, at + 800, "k", step + 1);
  }
  const std::atomic<bool> cancel{false};
  EXPECT_EQ(stepNumbers(file.path(), cancel), (LoadFilter::Steps{0, 3}));
  const auto eventsOf = [&](LoadFilter::Steps steps, std::string_view remark) {
    Progress progress;
    LoadOptions options;
    options.filter.steps = steps;
    const auto loaded = loadTraces({file.path()}, options, progress);
    EXPECT_TRUE(loaded);
    EXPECT_TRUE(hasDiagnostic(*(*loaded)->ranks().front().trace, remark)) << remark;
    return (*loaded)->ranks().front().trace->events.size();
  };
  EXPECT_EQ(eventsOf({2, 3}, "loaded steps 2 to 3 by their order"), 12u);
  EXPECT_EQ(eventsOf({9, 9}, "no NVTX range marks step 9: everything was loaded; marked are steps 0 to 3"),
            24u);
}

TEST(NsysRanks, ranksOfBothProfilersAreOneJob) {
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

// nsys.md: marks of a moment with names of steps cut steps, too.
TEST(NsysRanks, marksCutSteps) {
  Export file;
  const std::int64_t thread = NsysFile::thread(kPid, kPid);
  for (const auto& [time, name] :
       std::map<int, std::string>{{1000, "step 4"}, {3000, "step 5"}, {3500, "note"}, {6000, "step 6"}}) {
    const std::string at = std::to_string(time);
    file->run("INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (" + at +
              ", 34, " + sqlText(name) + ", " + std::to_string(thread) + ", 0)");
    file->call(thread, time + 100, time + 200, "cudaLaunchKernel", time);
    file->kernel(NsysFile::process(kPid), 0, 7, time + 300, time + 1500, "gemm", time);
  }
  const auto set = file.open();
  ASSERT_TRUE(set);
  const Analysis analysis(set);
  const std::vector<Step>& steps = analysis.steps(RankIndex(0));
  ASSERT_EQ(steps.size(), 2u);
  const TimeNs base = set->ranks().front().trace->events.begin[named(*set, "step 4")];
  EXPECT_EQ(steps[0].number, 4);
  EXPECT_EQ(steps[0].range, (TimeRange{base, base + 2000}));
  EXPECT_EQ(steps[1].number, 5);
  EXPECT_EQ(steps[1].range, (TimeRange{base + 2000, base + 5000}));
  // A load of step 5 alone has its calls.
  LoadOptions options;
  options.threadCount = 2;
  options.filter.steps = LoadFilter::Steps{5, 5};
  const std::atomic<bool> cancel{false};
  EXPECT_EQ(stepNumbers(file.path(), cancel), (LoadFilter::Steps{4, 5}));
  Progress progress;
  const auto part = loadTraces({file.path()}, options, progress);
  ASSERT_TRUE(part);
  EXPECT_EQ((*part)->ranks().front().trace->deviceDetails.size(), 2u); // of "step 5" and of "note"
}

} // namespace rankscope
