// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of operators and kernels that are split by a detail: their rows sum to those by name. Covers
// core/report/recording_rows.
#include "core/report/operator_rows.h"

#include "core/io/load/trace_loader.h"
#include "core/report/grouped_tables.h"
#include "core/report/job_report.h"
#include "core/report/kernels_table.h"
#include "core/report/operators_table.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <string>

namespace rankscope {

namespace {

using Sums = std::map<std::string, std::vector<std::int64_t>>;

// By the texts of `keys`, the sums of `figures`.
Sums sumsBy(const ResultTable& table, const std::vector<std::string>& keys,
            const std::vector<std::string>& figures) {
  Sums sums;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    std::string key;
    for (const std::string& column : keys) key += exactText(table, row, *table.columnNamed(column)) + "|";
    std::vector<std::int64_t>& sum = sums[key];
    sum.resize(figures.size());
    for (std::size_t i = 0; i < figures.size(); ++i)
      sum[i] += std::get<std::int64_t>(table.at(row, *table.columnNamed(figures[i])));
  }
  return sums;
}

const std::vector<std::string> kTimes{"calls", "host_self_us", "host_total_us", "device_self_us",
                                      "device_total_us"};

// A launch takes 2 us.
HandMadeRank rankOf(TimeNs extra) {
  HandMadeRank rank;
  rank.python(0, 1000 * kUs, "train.py(10): step").python(10 * kUs, 400 * kUs, "nn.Module: Net_0");
  rank.op(40 * kUs, (20 + extra) * kUs, "aten::mm")
      .op(500 * kUs, 7 * kUs, "aten::add")
      .op(600 * kUs, 30 * kUs, "aten::mm");
  rank.launched(45 * kUs, 7, 700 * kUs, (11 + extra) * kUs, "gemm")
      .launched(610 * kUs, 7, 900 * kUs, 5 * kUs, "gemm")
      .kernel(7, 950 * kUs, 3 * kUs, "gemm");
  return rank;
}

std::shared_ptr<const TraceSet> twoRanks() {
  HandMadeJob job;
  return job.add(0, rankOf(0)).add(1, rankOf(100)).build();
}

GroupsOfRank groupsBy(const Analysis& analysis, PythonDetail detail) {
  return [&analysis, detail](RankIndex rank) {
    return std::make_shared<const OperatorGroups>(
        groupByNameAndPython(*analysis.trace().rank(rank).trace, analysis.operatorTree(rank),
                             analysis.callTree(rank), analysis.trace().names(), detail));
  };
}

std::shared_ptr<const TraceSet> loaded(const std::filesystem::path& path) {
  Progress progress;
  const auto trace = loadTraces({path.string()}, {}, progress);
  return trace ? *trace : nullptr;
}

} // namespace

TEST(OperatorRows, eachRankByNameIsThePromisedTable) {
  const Analysis analysis(twoRanks());
  const OperatorRows each = operatorRows(analysis, {.each = true, .rank = {}});
  const ResultTable promised = operatorsTable(analysis);
  ASSERT_EQ(each.table->rowCount(), promised.rowCount());
  EXPECT_EQ(each.table->columns(), promised.columns());
  for (std::size_t row = 0; row < promised.rowCount(); ++row) {
    for (std::size_t column = 0; column < promised.columns().size(); ++column)
      EXPECT_EQ(exactText(*each.table, row, column), exactText(promised, row, column));
  }
}

TEST(OperatorRows, allRanksTogetherAreTheSumsOfEach) {
  const Analysis analysis(twoRanks());
  const Sums together = sumsBy(*operatorRows(analysis, {}).table, {"operator"}, kTimes);
  EXPECT_EQ(together, sumsBy(operatorsTable(analysis), {"operator"}, kTimes));
  EXPECT_EQ(together.at("aten::mm|"),
            (std::vector<std::int64_t>{4, 200 * kUs, 200 * kUs, 132 * kUs, 132 * kUs}));
}

// Rows of ranks are the sums of the rows of their captures.
TEST(OperatorRows, capturesOfARankAreOneRow) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 2;
  options.layers = 1;
  options.captures = 3;
  test::generateJob(options, folder.path());
  const auto trace = loaded(folder.path());
  ASSERT_TRUE(trace && trace->severalCaptures());
  const JobReport report(std::make_shared<const Analysis>(trace));
  const RecordingRows each{.each = true, .rank = {}};
  const RecordingRows joined{.each = true, .rank = {}, .joined = true};
  const auto expectJoined = [](const ResultTable& ofEach, const ResultTable& ofRanks,
                               const std::vector<std::string>& keys,
                               const std::vector<std::string>& figures) {
    EXPECT_FALSE(ofRanks.columnNamed("capture"));
    EXPECT_GT(ofRanks.rowCount(), 0U);
    EXPECT_LT(ofRanks.rowCount(), ofEach.rowCount());
    const Sums sums = sumsBy(ofRanks, keys, figures);
    EXPECT_EQ(sums, sumsBy(ofEach, keys, figures));
    EXPECT_EQ(sums.size(), ofRanks.rowCount()) << ofRanks.name() << ": a rank has several rows";
  };
  expectJoined(*operatorRows(report.analysis(), each).table, *operatorRows(report.analysis(), joined).table,
               {"rank", "operator"}, kTimes);
  expectJoined(kernelRowsTable(report.analysis(), each), kernelRowsTable(report.analysis(), joined),
               {"rank", "kernel", "kind"}, {"calls", "total_us"});
  const std::string phase(callGroupingText(CallGrouping::Phase));
  for (const auto& [table, key] : {std::pair("collectives", "operation"), std::pair("kernels", "kernel")})
    expectJoined(*groupedTable(report, table, CallGrouping::Phase, each, 1),
                 *groupedTable(report, table, CallGrouping::Phase, joined, 1), {"rank", key, phase},
                 {"calls", "total_us"});
}

TEST(OperatorRows, oneRankHasItsRowsAlone) {
  const Analysis analysis(twoRanks());
  const OperatorRows one = operatorRows(analysis, {.each = false, .rank = 1});
  EXPECT_EQ(sumsBy(*one.table, {"operator"}, kTimes).at("aten::mm|"),
            (std::vector<std::int64_t>{2, 150 * kUs, 150 * kUs, 116 * kUs, 116 * kUs}));
}

TEST(OperatorRows, rowsByModuleSumToThoseByName) {
  const Analysis analysis(twoRanks());
  const OperatorRows rows =
      operatorRows(analysis, {}, OperatorDetail::Module, groupsBy(analysis, PythonDetail::Module));
  EXPECT_TRUE(rows.known);
  EXPECT_EQ(sumsBy(*rows.table, {"operator"}, kTimes),
            sumsBy(*operatorRows(analysis, {}).table, {"operator"}, kTimes));
  const Sums byModule = sumsBy(*rows.table, {"operator", "module"}, kTimes);
  EXPECT_EQ(byModule.at("aten::mm|Net_0|").front(), 2);
  EXPECT_EQ(byModule.at("aten::mm||").front(), 2);
}

TEST(OperatorRows, aRankOfWhichNothingCanBeKnownCountsWithoutDetail) {
  const Analysis analysis(twoRanks());
  const OperatorRows rows =
      operatorRows(analysis, {}, OperatorDetail::Shapes, [](RankIndex) { return nullptr; });
  EXPECT_FALSE(rows.known);
  EXPECT_EQ(sumsBy(*rows.table, {"operator"}, kTimes),
            sumsBy(*operatorRows(analysis, {}).table, {"operator"}, kTimes));
}

TEST(KernelRows, byLaunchingOperatorSumToThoseByName) {
  const Analysis analysis(twoRanks());
  const std::vector<std::string> figures{"calls", "total_us"};
  const KernelDetails operators = launchingOperators(analysis);
  EXPECT_TRUE(operators.known());
  for (const bool each : {false, true}) {
    const RecordingRows rows{.each = each, .rank = {}};
    std::vector<std::string> keys{"kernel", "kind"};
    if (each) keys.insert(keys.begin(), {"rank", "capture"});
    EXPECT_EQ(sumsBy(kernelRowsTable(analysis, rows, &operators), keys, figures),
              sumsBy(kernelRowsTable(analysis, rows), keys, figures));
  }
  const Sums split = sumsBy(kernelRowsTable(analysis, {}, &operators), {"kernel", "operator"}, figures);
  EXPECT_EQ(split.at("gemm|aten::mm|"), (std::vector<std::int64_t>{4, 132 * kUs}));
  EXPECT_EQ(split.at("gemm||"), (std::vector<std::int64_t>{2, 6 * kUs}));
}

TEST(KernelRows, eachRankByNameIsThePromisedTable) {
  const Analysis analysis(twoRanks());
  const ResultTable each = kernelRowsTable(analysis, {.each = true, .rank = {}});
  const ResultTable promised = kernelsTable(analysis);
  ASSERT_EQ(each.rowCount(), promised.rowCount());
  EXPECT_EQ(each.columns(), promised.columns());
  for (std::size_t row = 0; row < promised.rowCount(); ++row) {
    for (std::size_t column = 0; column < promised.columns().size(); ++column)
      EXPECT_EQ(exactText(each, row, column), exactText(promised, row, column));
  }
}

class SharedOperators : public testing::TestWithParam<std::string> {};

TEST_P(SharedOperators, splitByWhatPythonSaysAndByLaunchTheySumToThoseByName) {
  const auto folder = test::sharedFolder() / "traces" / GetParam();
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  const auto trace = loaded(folder);
  ASSERT_TRUE(trace && !trace->ranks().empty());
  const Analysis analysis(trace);
  const Sums byName = sumsBy(*operatorRows(analysis, {}).table, {"operator"}, kTimes);
  for (const auto& [detail, python] : {std::pair(OperatorDetail::Module, PythonDetail::Module),
                                       std::pair(OperatorDetail::Stack, PythonDetail::Stack),
                                       std::pair(OperatorDetail::SourceLine, PythonDetail::SourceLine)}) {
    const OperatorRows rows = operatorRows(analysis, {}, detail, groupsBy(analysis, python));
    EXPECT_EQ(sumsBy(*rows.table, {"operator"}, kTimes), byName);
  }
  const KernelDetails operators = launchingOperators(analysis);
  EXPECT_EQ(sumsBy(kernelRowsTable(analysis, {}, &operators), {"kernel", "kind"}, {"calls", "total_us"}),
            sumsBy(kernelTotalsTable(analysis), {"kernel", "kind"}, {"calls", "total_us"}));
}

INSTANTIATE_TEST_SUITE_P(Sets, SharedOperators,
                         testing::Values("resnet50-v100-workers0", "h100-owlv2", "dlrm-8rank-v100",
                                         "cpu-only-rank34of300", "h100-qwen"),
                         [](const auto& param) { return test::testNameOf(param.param); });

} // namespace rankscope
