// SPDX-License-Identifier: GPL-3.0-or-later
// The same generated jobs as traces of PyTorch's profiler and as exports of Nsight Systems, old and new, of a
// rank or of a host each.
#include "core/analysis/job/analysis.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/export/result_table.h"
#include "core/io/load/trace_loader.h"
#include "core/model/recorded_once.h"
#include "core/report/job_totals.h"
#include "core/report/summary_text.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_streams.h"
#include "tests/support/job_variants.h"
#include "tests/support/nsys_writer.h"
#include "tests/support/parallel_jobs.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/nsys/same_figures.h"
#include "tests/unit/io/opened_trace.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <regex>
#include <set>
#include <sqlite3.h>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::Expected;
using test::expectedTables;
using test::expectSameFigures;
using test::JobOptions;
using test::NsysFile;
using test::NsysReports;
using test::textOf;

using Versions = std::vector<NsysFile::Version>;

void expectSameJob(const std::function<void(JobOptions&)>& change, const test::StreamOptions& streams = {},
                   const Versions& versions = {NsysFile::Version::Old, NsysFile::Version::New}) {
  const test::TemporaryFolder folder;
  JobOptions options = test::smallJob();
  options.ranks = 2 * options.ranksPerNode;
  options.withMemory = false; // nsys records blocks of the driver, not of PyTorch
  options.clockOffsetNs.clear();
  change(options);
  test::generateJob(options, streams, folder.path() / "kineto");
  for (const auto version : versions) {
    SCOPED_TRACE(version == NsysFile::Version::Old ? "old" : "new");
    const fs::path to = folder.path() / (version == NsysFile::Version::Old ? "old" : "new");
    for (const NsysReports reports : {NsysReports::OfRanks, NsysReports::OfHosts}) {
      SCOPED_TRACE(reports == NsysReports::OfRanks ? "of ranks" : "of hosts");
      fs::remove_all(to);
      test::writeAsNsys(folder.path() / "kineto", to, version, reports);
      expectSameFigures(folder.path() / "kineto", to, version == NsysFile::Version::New);
    }
  }
}

// A job of parallel_jobs.h in all forms.
void expectSameDivided(const std::function<void(const fs::path&)>& generate, const test::SameTables& ofNew,
                       const test::SameTables& ofOld) {
  const test::TemporaryFolder folder;
  generate(folder.path() / "kineto");
  for (const auto version : {NsysFile::Version::New, NsysFile::Version::Old}) {
    const bool payloads = version == NsysFile::Version::New;
    for (const NsysReports reports : {NsysReports::OfRanks, NsysReports::OfHosts}) {
      SCOPED_TRACE(std::string(payloads ? "new" : "old") +
                   (reports == NsysReports::OfRanks ? ", of ranks" : ", of hosts"));
      const fs::path to = folder.path() / "nsys";
      fs::remove_all(to);
      test::writeAsNsys(folder.path() / "kineto", to, version, reports);
      expectSameFigures(folder.path() / "kineto", to, payloads, payloads ? ofNew : ofOld);
    }
  }
}

// Both forms of a job in one folder, of each rank only one.
fs::path mixedFolder(const fs::path& folder, const std::function<bool(int)>& byNsys) {
  static const std::regex kRank("rank[_-]?([0-9]+)");
  for (const char* const form : {"kineto", "nsys"}) {
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder / form)) {
      std::smatch rank;
      const std::string name = file.path().filename().string();
      if (!file.is_regular_file() || !std::regex_search(name, rank, kRank)) continue;
      if (byNsys(std::stoi(rank[1].str())) != (std::string_view(form) == "nsys")) continue;
      const fs::path to = folder / "mixed" / fs::relative(file.path(), folder / form);
      fs::create_directories(to.parent_path());
      fs::copy_file(file.path(), to);
    }
  }
  return folder / "mixed";
}

// Renames ranges in all exports of a folder.
void renameRanges(const fs::path& folder, const std::string& from, const std::string& to) {
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder)) {
    if (file.path().extension() != ".sqlite") continue;
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.path().c_str(), &database), SQLITE_OK);
    const std::string sql = fmt::format("UPDATE NVTX_EVENTS SET text = replace(text, '{0}', '{1}'); "
                                        "UPDATE StringIds SET value = replace(value, '{0}', '{1}')",
                                        from, to);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
}

} // namespace

TEST(NsysTruth, stepsThatTheProgramNamesAreThoseOfTheProfiler) {
  const test::TemporaryFolder folder;
  JobOptions options = test::smallJob();
  options.withMemory = false;
  options.clockOffsetNs.clear();
  test::generateJob(options, folder.path() / "kineto");
  test::writeAsNsys(folder.path() / "kineto", folder.path() / "nsys", NsysFile::Version::New);
  renameRanges(folder.path() / "nsys", "ProfilerStep#", "train.iteration ");
  expectSameFigures(folder.path() / "kineto", folder.path() / "nsys", true);
}

// Rank 1 by Nsight Systems, the others by PyTorch's profiler: one clock, and collectives of both recorders.
TEST(NsysTruth, ranksOfTwoRecordersMeetInTheirCollectives) {
  for (const auto version : {NsysFile::Version::New, NsysFile::Version::Old}) {
    SCOPED_TRACE(version == NsysFile::Version::Old ? "old" : "new");
    const test::TemporaryFolder folder;
    JobOptions options = test::smallJob();
    options.withMemory = false;
    options.ranksPerNode = options.ranks; // the exports name one host
    options.clockOffsetNs.clear();
    test::generateJob(options, folder.path() / "kineto");
    test::writeAsNsys(folder.path() / "kineto", folder.path() / "nsys", version);
    const fs::path mixed = mixedFolder(folder.path(), [](int rank) { return rank == 1; });
    const auto left = test::loadJob((folder.path() / "kineto").string());
    const auto right = test::loadJob(mixed.string());
    ASSERT_TRUE(left && right);
    ASSERT_EQ(right->ranks().size(), static_cast<std::size_t>(options.ranks));
    EXPECT_EQ(right->file(right->ranks()[1].file).format, "nsys");
    const JobReport recorded(std::make_shared<const Analysis>(left));
    const JobReport both(std::make_shared<const Analysis>(right));
    for (const Expected& expected : expectedTables()) {
      if (expected.table != "ranks" && expected.table != "collective_instances") continue;
      const TableSpec* const spec = tableSpec(expected.table);
      EXPECT_EQ(textOf(spec->make(recorded), expected.columns), textOf(spec->make(both), expected.columns))
          << expected.table;
    }
    const MatchCounts& counts = both.analysis().collectives().match.counts;
    EXPECT_EQ(counts.unmatched, 0u);
    EXPECT_EQ(counts.partial, 0u);
    EXPECT_GT(counts.complete, 0u);
    // Groups have the names that PyTorch's profiler recorded.
    for (const JobGroup& group : both.analysis().collectives().match.groups)
      EXPECT_FALSE(group.name.starts_with("0x")) << group.name;
  }
}

// Tensor parallelism reduces like replicas do. Without names of groups, it is not taken for them.
TEST(NsysTruth, communicatorsHaveMembersAndNoGuessedDimension) {
  const test::TemporaryFolder folder;
  JobOptions options = test::smallJob();
  options.withMemory = false;
  options.ranks = 4;
  options.ranksPerNode = 4;
  options.clockOffsetNs.clear();
  options.parallelism = test::Parallelism::Tensor;
  options.tensorRanks = 2;
  test::generateJob(options, folder.path() / "kineto");
  test::writeAsNsys(folder.path() / "kineto", folder.path() / "nsys", NsysFile::Version::New);
  const auto set = test::loadJob((folder.path() / "nsys").string());
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 4u);
  EXPECT_EQ(set->ranks()[3].rank, 3); // its communicators have two ranks each
  const JobReport report(std::make_shared<const Analysis>(set));
  std::set<std::vector<std::int32_t>> pairs;
  for (const JobGroup& group : report.analysis().collectives().match.groups) {
    EXPECT_TRUE(group.name.starts_with("0x")) << group.name;
    EXPECT_EQ(group.dimension, ParallelDimension::Unknown);
    if (group.size == 2) pairs.insert(group.members);
  }
  EXPECT_TRUE(pairs.contains({0, 1}) && pairs.contains({2, 3}));
  for (const ParallelGroup& group : report.parallel().dimensions.groups) {
    if (group.members == std::vector<std::int32_t>{0, 1} ||
        group.members == std::vector<std::int32_t>{2, 3}) {
      EXPECT_NE(group.dimension, RankDimension::Data) << group.evidence;
      EXPECT_NE(group.dimension, RankDimension::Sharded) << group.evidence;
    }
  }
}

// The same ranks in both forms in one folder: two captures, of which means have one.
TEST(NsysTruth, ranksThatBothProfilersRecordedCountOnce) {
  const test::TemporaryFolder folder;
  JobOptions options = test::smallJob();
  options.withMemory = false;
  options.ranksPerNode = options.ranks; // the exports name one host
  options.clockOffsetNs.clear();
  test::generateJob(options, folder.path() / "both");
  test::generateJob(options, folder.path() / "kineto");
  test::writeAsNsys(folder.path() / "kineto", folder.path() / "nsys", NsysFile::Version::New);
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder.path() / "nsys")) {
    const fs::path to = folder.path() / "both" / fs::relative(file.path(), folder.path() / "nsys");
    if (file.is_regular_file()) fs::copy_file(file.path(), to);
  }
  const auto alone = test::loadJob((folder.path() / "kineto").string());
  const auto both = test::loadJob((folder.path() / "both").string());
  ASSERT_TRUE(alone && both);
  const std::size_t ranks = alone->ranks().size();
  ASSERT_EQ(both->ranks().size(), 2 * ranks);
  for (std::size_t i = 0; i < 2 * ranks; ++i) {
    EXPECT_EQ(both->ranks()[i].rank, static_cast<int>(i / 2));
    EXPECT_EQ(both->ranks()[i].capture, static_cast<int>(i % 2) + 1);
    EXPECT_EQ(both->file(both->ranks()[i].file).format, i % 2 == 0 ? "kineto" : "nsys");
  }
  const JobReport expected(std::make_shared<const Analysis>(alone));
  const JobReport report(std::make_shared<const Analysis>(both));
  EXPECT_EQ(jobTotals(report.analysis()).steps, options.steps);
  EXPECT_EQ(jobTotals(report.analysis()).distinctRanks, options.ranks);
  EXPECT_EQ(report.keptAccount().steps, expected.keptAccount().steps);
  EXPECT_EQ(report.keptAccount().stepTime, expected.keptAccount().stepTime);
  EXPECT_EQ(report.keptAccount().leafTimes, expected.keptAccount().leafTimes);
  const std::string text = summaryText(report);
  EXPECT_NE(text.find(std::to_string(2 * ranks) + " recordings"), std::string::npos) << text;
  EXPECT_NE(text.find(" · " + std::to_string(options.steps) + " steps"), std::string::npos) << text;
  const std::string kernels = "Device time by kernel";
  const std::string sums = summaryText(expected);
  EXPECT_EQ(text.substr(text.find(kernels)), sums.substr(sums.find(kernels)));
  EXPECT_EQ(recordedOnce(*both, report.analysis().ranks()).size(), ranks);
  // Each capture has its own figures, which are equal.
  const ResultTable table = tableSpec("ranks")->make(report);
  ASSERT_EQ(table.rowCount(), 2 * ranks);
  const std::size_t busy = *table.columnNamed("gpu_busy_us");
  for (std::size_t i = 0; i < 2 * ranks; i += 2)
    EXPECT_EQ(exactText(table, i, busy), exactText(table, i + 1, busy));
}

TEST(NsysTruth, jobsGiveTheSameFiguresAsTracesOfThePyTorchProfiler) {
  expectSameJob([](JobOptions&) {});
  expectSameJob([](JobOptions& options) {
    options.straggler = {1, 2'000'000, 0, test::StragglerKind::Host};
    options.gaps = {{0, 1, 3'000'000, test::GapCause::DataLoader}, {2, 2, 1'500'000, test::GapCause::Sync}};
  });
}

TEST(NsysTruth, shardedAndTensorParallelJobsToo) {
  expectSameJob([](JobOptions& options) { options.parallelism = test::Parallelism::FullySharded; });
  // Without payloads, nothing divides the ranks into groups.
  expectSameJob(
      [](JobOptions& options) {
        options.ranks = 4;
        options.parallelism = test::Parallelism::Tensor;
        options.tensorRanks = 2;
      },
      {}, {NsysFile::Version::New});
}

// Steps of ranks begin at different times.
TEST(NsysTruth, chosenStepsAreThoseOfEachRankOfAFile) {
  const test::TemporaryFolder folder;
  JobOptions options;
  options.ranks = 4;
  options.ranksPerNode = 2;
  options.steps = 6;
  options.layers = 2;
  options.withMemory = false;
  test::generateJob(options, folder.path() / "kineto");
  test::writeAsNsys(folder.path() / "kineto", folder.path() / "nsys", NsysFile::Version::New,
                    NsysReports::OfHosts);
  const auto stepsOf = [&](const char* form) {
    LoadOptions load;
    load.threadCount = 2;
    load.filter.steps = LoadFilter::Steps{3, 4};
    Progress progress;
    const auto set = loadTraces({(folder.path() / form).string()}, load, progress);
    if (!set) return set.error().text();
    return textOf(tableSpec("steps")->make(JobReport(std::make_shared<const Analysis>(*set))), {});
  };
  const std::string expected = stepsOf("kineto");
  EXPECT_EQ(std::ranges::count(expected, '\n'), 2 * options.ranks) << expected;
  EXPECT_EQ(stepsOf("nsys"), expected);
}

// One host has two ranks, the other one: its environment is still that of what started the ranks.
TEST(NsysTruth, theRankOfALoneProcessIsThatOfNcclNotOfItsLauncher) {
  const test::TemporaryFolder folder;
  JobOptions options = test::smallJob();
  options.withMemory = false;
  options.clockOffsetNs.clear();
  ASSERT_EQ(options.ranks % options.ranksPerNode, 1);
  test::generateJob(options, folder.path() / "kineto");
  test::writeAsNsys(folder.path() / "kineto", folder.path() / "nsys", NsysFile::Version::New,
                    NsysReports::OfHosts);
  expectSameFigures(folder.path() / "kineto", folder.path() / "nsys", true);
}

// On two hosts.
TEST(NsysTruth, pipelinesToo) {
  for (const int pipelineRanks : {4, 8}) {
    SCOPED_TRACE(std::to_string(pipelineRanks) + " stages");
    test::PipelineJob job;
    job.pipelineRanks = pipelineRanks;
    job.replicas = 16 / pipelineRanks;
    job.microbatches = 4;
    job.steps = 2;
    expectSameDivided([&](const fs::path& folder) { test::generatePipelineJob(job, folder); },
                      {{"pipeline_stages", "pipeline_actions"}, false, true},
                      {{"pipeline_stages", "pipeline_actions"}, true, true});
  }
}

TEST(NsysTruth, shardsWithTensorParallelismToo) {
  test::ShardedJob job;
  job.ranks = 16;
  job.layers = 2;
  job.steps = 2;
  expectSameDivided([&](const fs::path& folder) { test::generateShardedJob(job, folder); },
                    {{"fsdp_units"}, false, true}, {{}, true, true});
}

TEST(NsysTruth, expertsToo) {
  test::ExpertJob job;
  job.ranks = 16;
  job.steps = 2;
  expectSameDivided([&](const fs::path& folder) { test::generateExpertJob(job, folder); }, {{}, false, true},
                    {{}, true, true});
}

TEST(NsysTruth, jobsWithRowsOfSynchronizationToo) {
  test::StreamOptions streams;
  streams.syncRows = true;
  streams.secondStream = true;
  expectSameJob([](JobOptions&) {}, streams);
}

} // namespace rankscope
