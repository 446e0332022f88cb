// SPDX-License-Identifier: GPL-3.0-or-later
// The same generated jobs as traces of PyTorch's profiler and as exports of Nsight Systems, old and new:
// every figure is the same but for what nsys does not record (allocations, Python, types and names of groups
// of collectives, strides of inputs, annotations on devices).
#include "core/analysis/job/analysis.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/export/result_table.h"
#include "core/model/recorded_once.h"
#include "core/report/job_totals.h"
#include "core/report/summary_text.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_streams.h"
#include "tests/support/job_variants.h"
#include "tests/support/nsys_writer.h"
#include "tests/support/temporary_folder.h"
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
using test::JobOptions;
using test::NsysFile;

// Columns of a table that must be equal; none: all.
struct Expected {
  std::string_view table;
  std::vector<std::string_view> columns;
};

const std::vector<Expected>& expectedTables() {
  static const std::vector<Expected> kTables{
      {"steps", {}},
      {"operators", {}},
      {"gaps", {}},
      {"critical_path_summary", {}},
      {"slowdown", {}},
      {"kernels",
       {"rank", "capture", "kernel", "kind", "calls", "total_us", "mean_us", "min_us", "max_us",
        "stddev_us"}},
      {"ranks",
       {"rank",
        "steps",
        "step_mean_us",
        "gpu_span_us",
        "gpu_busy_us",
        "compute_us",
        "communication_us",
        "overlap_us",
        "exposed_communication_us",
        "memory_us",
        "idle_us",
        "overlap_pct",
        "gpu_utilization_pct",
        "wait_us",
        "transfer_us",
        "collectives",
        "last_arrivals",
        "lateness_mean_us",
        "z_score",
        "slowdown",
        "straggler"}},
      {"collective_instances",
       {"id", "operation", "ranks", "first_begin_us", "last_begin_us", "end_us", "last_rank", "skew_us",
        "transfer_us"}},
  };
  return kTables;
}

std::string textOf(const ResultTable& table, const std::vector<std::string_view>& wanted) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (wanted.empty()) columns.push_back(c);
  }
  for (const std::string_view name : wanted) {
    const auto column = table.columnNamed(name);
    EXPECT_TRUE(column) << table.name() << " has no " << name;
    if (column) columns.push_back(*column);
  }
  std::string text;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    for (const std::size_t column : columns) text += exactText(table, row, column) + ",";
    text += '\n';
  }
  return text;
}

// What the payloads of NCCL add. Names of groups and types are not among it, so rows are in any order.
const std::vector<Expected>& expectedOfPayloads() {
  static const std::vector<Expected> kTables{
      {"collective_instances",
       {"operation", "bytes", "ranks", "first_begin_us", "last_begin_us", "end_us", "last_rank",
        "transfer_us"}},
      {"collectives",
       {"rank", "group_size", "operation", "calls", "bytes", "total_us", "wait_us", "transfer_us",
        "exposed_us", "algbw_gb_s", "busbw_gb_s"}},
  };
  return kTables;
}

std::string sortedLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  std::string sorted;
  for (const std::string& line : lines) sorted.append(line).append("\n");
  return sorted;
}

void expectSameCollectives(const JobReport& recorded, const JobReport& exported) {
  for (const Expected& expected : expectedOfPayloads()) {
    const TableSpec* const spec = tableSpec(expected.table);
    ASSERT_NE(spec, nullptr) << expected.table;
    EXPECT_EQ(sortedLines(textOf(spec->make(recorded), expected.columns)),
              sortedLines(textOf(spec->make(exported), expected.columns)))
        << expected.table;
  }
  const auto membersOf = [](const JobReport& report) {
    std::multiset<std::vector<std::int32_t>> members;
    for (const JobGroup& group : report.analysis().collectives().match.groups) members.insert(group.members);
    return members;
  };
  EXPECT_EQ(membersOf(recorded), membersOf(exported));
}

void expectSameFigures(const fs::path& kineto, const fs::path& nsys, bool payloads) {
  const auto left = test::loadJob(kineto.string());
  const auto right = test::loadJob(nsys.string());
  ASSERT_TRUE(left && right);
  ASSERT_EQ(left->ranks().size(), right->ranks().size());
  const JobReport recorded(std::make_shared<const Analysis>(left));
  const JobReport exported(std::make_shared<const Analysis>(right));
  for (const Expected& expected : expectedTables()) {
    const TableSpec* const spec = tableSpec(expected.table);
    ASSERT_NE(spec, nullptr) << expected.table;
    EXPECT_EQ(textOf(spec->make(recorded), expected.columns), textOf(spec->make(exported), expected.columns))
        << expected.table;
  }
  if (payloads) expectSameCollectives(recorded, exported);
}

using Versions = std::vector<NsysFile::Version>;

void expectSameJob(const std::function<void(JobOptions&)>& change, const test::StreamOptions& streams = {},
                   const Versions& versions = {NsysFile::Version::Old, NsysFile::Version::New}) {
  const test::TemporaryFolder folder;
  JobOptions options = test::smallJob();
  options.withMemory = false; // nsys records blocks of the driver, not of PyTorch
  options.clockOffsetNs.clear();
  change(options);
  test::generateJob(options, streams, folder.path() / "kineto");
  for (const auto version : versions) {
    SCOPED_TRACE(version == NsysFile::Version::Old ? "old" : "new");
    const fs::path to = folder.path() / (version == NsysFile::Version::Old ? "old" : "new");
    test::writeAsNsys(folder.path() / "kineto", to, version);
    expectSameFigures(folder.path() / "kineto", to, version == NsysFile::Version::New);
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

TEST(NsysTruth, jobsWithRowsOfSynchronizationToo) {
  test::StreamOptions streams;
  streams.syncRows = true;
  streams.secondStream = true;
  expectSameJob([](JobOptions&) {}, streams);
}

} // namespace rankscope
