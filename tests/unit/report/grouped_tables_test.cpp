// SPDX-License-Identifier: GPL-3.0-or-later
// Tables split by parts of the model add up to the tables without: on small jobs whose parts are known, and
// on recordings. Covers core/analysis/stacks/call_groups and core/analysis/stacks/backward_joins.
#include "core/report/grouped_tables.h"

#include "core/analysis/stacks/backward_joins.h"
#include "core/io/load/trace_loader.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace rankscope {

namespace {

std::shared_ptr<const JobReport> reportOf(HandMadeRank rank) {
  return std::make_shared<const JobReport>(
      std::make_shared<const Analysis>(HandMadeJob().add(0, std::move(rank)).build()));
}

std::int64_t sumOf(const ResultTable& table, std::string_view column) {
  std::int64_t sum = 0;
  const std::size_t at = table.columnNamed(column).value();
  for (std::size_t row = 0; row < table.rowCount(); ++row)
    if (!table.isEmpty(row, at)) sum += std::get<std::int64_t>(table.at(row, at));
  return sum;
}

// By the text of a column, the sum of another.
std::map<std::string, std::int64_t> byKey(const ResultTable& table, std::string_view key,
                                          std::string_view column) {
  std::map<std::string, std::int64_t> sums;
  for (std::size_t row = 0; row < table.rowCount(); ++row)
    sums[exactText(table, row, table.columnNamed(key).value())] +=
        std::get<std::int64_t>(table.at(row, table.columnNamed(column).value()));
  return sums;
}

std::map<std::string, std::int64_t> kernelsBy(const JobReport& report, CallGrouping grouping) {
  return byKey(*groupedTable(report, "kernels", grouping, {.each = true, .rank = {}}, 2),
               callGroupingText(grouping), "total_us");
}

// Two layers, a backward function of the first, recomputation of the second, an optimizer and a stray kernel.
HandMadeRank training() {
  HandMadeRank rank;
  rank.python(0, 100'000, "nn.Module: Net_0");
  rank.python(1'000, 30'000, "nn.Module: Block_0").python(40'000, 30'000, "nn.Module: Block_1");
  rank.op(10'000, 10'000, "aten::mm").launched(12'000, 7, 20'000, 1'000, "gemm");
  rank.op(50'000, 10'000, "aten::mm").launched(52'000, 7, 60'000, 2'000, "gemm");
  rank.op(110'000, 20'000, "autograd::engine::evaluate_function: MmBackward0", "2");
  rank.op(111'000, 18'000, "MmBackward0", "2").launched(112'000, 7, 120'000, 4'000, "grad", "2");
  rank.op(140'000, 30'000, "autograd::engine::evaluate_function: CheckpointFunctionBackward", "2");
  rank.python(141'000, 20'000, "nn.Module: Block_1", "2");
  rank.op(142'000, 10'000, "aten::mm", "2").launched(143'000, 7, 150'000, 8'000, "gemm", "2");
  rank.annotation(200'000, 20'000, "Optimizer.step#SGD.step");
  rank.op(201'000, 10'000, "aten::add_").launched(202'000, 7, 210'000, 16'000, "add");
  rank.op(300'000, 10'000, "aten::item").launched(301'000, 7, 310'000, 32'000, "item");
  rank.arrow(10'000, "1", 111'000, "2");
  return rank;
}

} // namespace

TEST(GroupedTables, giveEachCallItsPartOfTheModel) {
  const auto report = reportOf(training());
  using Sums = std::map<std::string, std::int64_t>;
  EXPECT_EQ(kernelsBy(*report, CallGrouping::Module),
            (Sums{{"Net_0/Block_0", 5'000}, {"Net_0/Block_1", 10'000}, {"[no module]", 48'000}}));
  EXPECT_EQ(kernelsBy(*report, CallGrouping::Class), (Sums{{"Block", 15'000}, {"[no module]", 48'000}}));
  EXPECT_EQ(kernelsBy(*report, CallGrouping::Layer),
            (Sums{{"Block 0", 5'000}, {"Block 1", 10'000}, {"[no layer]", 48'000}}));
  EXPECT_EQ(kernelsBy(*report, CallGrouping::Phase), (Sums{{"forward", 3'000},
                                                           {"backward", 4'000},
                                                           {"recompute", 8'000},
                                                           {"optimizer", 16'000},
                                                           {"[no phase]", 32'000}}));
  EXPECT_EQ(kernelsBy(*report, CallGrouping::Graph), (Sums{{"[not compiled]", 63'000}}));
}

TEST(GroupedTables, existForSomeTablesOnly) {
  const auto report = reportOf(training());
  for (const std::string_view name : groupableTables()) {
    EXPECT_NE(tableSpec(name), nullptr) << name;
    const auto table = groupedTable(*report, name, CallGrouping::Layer, {.each = true, .rank = {}}, 1);
    ASSERT_NE(table, nullptr) << name;
    EXPECT_EQ(table->name(), std::string(name) + "_by_layer");
    EXPECT_TRUE(table->columnNamed("layer").has_value()) << name;
  }
  EXPECT_EQ(groupedTable(*report, "steps", CallGrouping::Layer, {}, 1), nullptr);
  for (const CallGrouping grouping : kCallGroupings)
    EXPECT_EQ(callGroupingNamed(callGroupingText(grouping)), grouping);
  EXPECT_FALSE(callGroupingNamed("rank").has_value());
}

// Numbers do not advance without grad: of the operators with the number of a function the last one is its
// own. A recording with arrows has nothing to read.
TEST(BackwardJoins, areBySequenceNumberWhereNoArrowsAre) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addCpuOp(1, 10'000, 1'000, "aten::mul", R"("Sequence number": 5, "Fwd thread id": 0)")
      .addCpuOp(1, 20'000, 1'000, "aten::mm", R"("Sequence number": 5, "Fwd thread id": 0)")
      .addCpuOp(1, 30'000, 1'000, "aten::add", R"("Sequence number": 6, "Fwd thread id": 0)")
      .addCpuOp(2, 50'000, 9'000, "MmBackward", R"("Sequence number": 5, "Fwd thread id": 1)")
      .addCpuOp(2, 51'000, 2'000, "aten::mm", R"("Sequence number": 9, "Fwd thread id": 0)")
      .addCpuOp(2, 70'000, 1'000, "AccumulateGrad", R"("Sequence number": 99, "Fwd thread id": 1)");
  const std::string path = (folder.path() / "trace.json").string();
  test::writeTraceFile(path, text.text());
  Progress progress;
  const auto loaded = loadTraces({path}, {}, progress);
  ASSERT_TRUE(loaded);
  const RankEntry& rank = (*loaded)->ranks()[0];
  const auto joins = backwardJoins(rank, (*loaded)->names(), callNesting(*rank.trace));
  ASSERT_EQ(joins.size(), 1U);
  const auto nameOf = [&](EventIndex event) { return (*loaded)->names()[rank.trace->events.name[event]]; };
  EXPECT_EQ(nameOf(joins[0].from), "aten::mm");
  EXPECT_EQ(nameOf(joins[0].to), "MmBackward");
}

class GroupedRecordings : public testing::TestWithParam<const char*> {};

TEST_P(GroupedRecordings, addUpToTheTablesWithoutAKey) {
  const auto files = test::recordingsBelow(test::sharedFolder() / "traces" / GetParam());
  RANKSCOPE_SKIP_UNLESS(!files.empty(), test::kNoRecordings);
  Progress progress;
  const auto loaded = loadTraces({files.front().string()}, {}, progress);
  ASSERT_TRUE(loaded);
  const JobReport report(std::make_shared<const Analysis>(*loaded));
  const Analysis& analysis = report.analysis();
  const RecordingRows rows{.each = true, .rank = {}};
  TimeNs idle = 0;
  for (const RankIndex rank : analysis.ranks()) {
    for (const GapTotal& total : analysis.gaps(rank).totals) idle += total.time;
    idle += analysis.gaps(rank).shorter.time;
  }
  const ResultTable kernels = tableSpec("kernels")->make(report);
  const ResultTable operators = tableSpec("operators")->make(report);
  const ResultTable collectives = tableSpec("collectives")->make(report);
  const ResultTable memory = tableSpec("memory")->make(report);
  const ResultTable flops = tableSpec("flops")->make(report);
  const ResultTable gemms = tableSpec("gemms")->make(report);
  for (const CallGrouping grouping : kCallGroupings) {
    const auto split = [&](std::string_view name) { return groupedTable(report, name, grouping, rows, 2); };
    EXPECT_EQ(sumOf(*split("kernels"), "total_us"), sumOf(kernels, "total_us"));
    EXPECT_EQ(sumOf(*split("kernels"), "calls"), sumOf(kernels, "calls"));
    for (const char* const figure : {"calls", "host_self_us", "device_self_us", "device_total_us"})
      EXPECT_EQ(sumOf(*split("operators"), figure), sumOf(operators, figure)) << figure;
    for (const char* const figure : {"calls", "total_us", "wait_us", "exposed_us"})
      EXPECT_EQ(sumOf(*split("collectives"), figure), sumOf(collectives, figure)) << figure;
    EXPECT_GE(sumOf(*split("memory"), "self_allocation_bytes"), sumOf(memory, "self_allocation_bytes"));
    EXPECT_EQ(sumOf(*split("gaps"), "idle_us"), idle);
    for (const char* const figure : {"calls", "flops", "device_us"}) {
      EXPECT_EQ(sumOf(*split("flops"), figure), sumOf(flops, figure)) << figure;
      EXPECT_EQ(sumOf(*split("gemms"), figure), sumOf(gemms, figure)) << figure;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, GroupedRecordings,
                         testing::Values("h100-bert-small", "mi300-resnet-checkpoint", "torch-compile-triton",
                                         "dlrm-8rank-v100"),
                         [](const auto& set) { return test::testNameOf(set.param); });

} // namespace rankscope
