// SPDX-License-Identifier: GPL-3.0-or-later
// What torch.compile shows of itself: regions, graphs, breaks and compilation.
// Covers core/report/compiled_table.
#include "core/analysis/operators/compiled_regions.h"

#include "core/export/csv.h"
#include "core/io/load/trace_loader.h"
#include "core/report/compiled_table.h"
#include "core/report/digest_rows.h"
#include "tests/support/digest_job.h"
#include "tests/support/shared_data.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

// A frame that breaks once: two regions in each of two steps with eager operators between, the second
// compiled again in the second step.
HandMadeRank brokenModel() {
  HandMadeRank rank;
  for (TimeNs step = 0; step < 2; ++step) {
    const TimeNs at = step * 100'000;
    const std::string second = step == 0 ? "1/0" : "1/1";
    rank.annotation(at, 90'000, "ProfilerStep#" + std::to_string(step));
    rank.op(at + 100, 50, "TorchDynamo Cache Lookup");
    rank.op(at + 1'000, 20'000, "Torch-Compiled Region: 0/0")
        .annotation(at + 2'000, 18'000, "## Call CompiledFxGraph fabcdefghijk ##")
        .launched(at + 3'000, 7, at + 30'000, 5'000, "triton_poi_fused_add_0");
    rank.op(at + 25'000, 10'000, "aten::copy_").op(at + 26'000, 2'000, "aten::to");
    rank.launched(at + 30'000, 7, at + 40'000, 1'000, "copy_kernel");
    rank.op(at + 40'000, 20'000, "Torch-Compiled Region: " + second)
        .annotation(at + 41'000, 18'000, "## Call CompiledFxGraph f" + second.substr(2) + "345678 ##")
        .launched(at + 42'000, 7, at + 60'000, 2'000, "gemm");
  }
  rank.python(170'000, 15'000, "compile_inner (dynamo_timed)");
  return rank;
}

} // namespace

TEST(CompiledRegions, areTheRegionsOfDynamoWithTheirKernels) {
  const Analysis analysis(HandMadeJob().add(0, brokenModel()).build());
  const RankIndex rank(0);
  const CompiledRegions found = compiledRegions(*analysis.trace().rank(rank).trace, analysis.trace().names(),
                                                analysis.callTree(rank), analysis.wholeStepWindows(rank));
  ASSERT_EQ(found.regions.size(), 3U);
  const CompiledRegion& first = found.regions[0];
  EXPECT_EQ(first.name, "0/0");
  EXPECT_EQ(first.frame, 0);
  EXPECT_EQ(first.recompilation, 0);
  EXPECT_EQ(first.graphs, std::vector<std::string>{"fabcdefg"});
  EXPECT_EQ(first.calls, 2);
  EXPECT_EQ(std::int64_t{first.host}, 40'000);
  EXPECT_EQ(std::int64_t{first.device}, 10'000);
  EXPECT_EQ(first.kernels, 2);
  EXPECT_EQ(first.breaks, 2);
  ASSERT_EQ(first.eagerAfter.size(), 1U); // what aten::copy_ calls is its own
  EXPECT_EQ(analysis.trace().names()[first.eagerAfter[0].first], "aten::copy_");
  EXPECT_EQ(first.eagerAfter[0].second, 2);
  EXPECT_EQ(found.regions[2].name, "1/1");
  EXPECT_EQ(found.regions[2].recompilation, 1);
  EXPECT_EQ(found.regions[1].breaks, 0); // the next step is no break
  EXPECT_EQ(found.eagerKernels, 2);
  EXPECT_EQ(std::int64_t{found.eagerDevice}, 2'000);
  EXPECT_EQ(found.lookups, 2);
  EXPECT_EQ(found.compilations, 1);
  EXPECT_EQ(std::int64_t{found.compileTime}, 15'000);
  EXPECT_EQ(compiledRegionsTable(analysis).rowCount(), 6U); // and [eager], [guards], [compilation]
}

TEST(CompiledRegions, areInADigest) {
  const Analysis analysis(HandMadeJob().add(0, brokenModel()).add(1, brokenModel()).build());
  const auto digest = openedDigest(test::digestJob(analysis));
  ASSERT_TRUE(digest.ok());
  const JobReport report(std::make_shared<const Analysis>(*digest));
  EXPECT_EQ(toCsv(tableOf(report, *tableSpec("compiled_regions"))), toCsv(compiledRegionsTable(analysis)));
}

TEST(CompiledRegions, callsBelongToTheGraphAroundThem) {
  const Analysis analysis(HandMadeJob().add(0, brokenModel()).build());
  const RankTrace& trace = *analysis.trace().rank(RankIndex(0)).trace;
  const CompiledCalls calls = compiledCalls(analysis.trace().names(), analysis.callTree(RankIndex(0)));
  std::int64_t compiled = 0;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const std::uint32_t graph = calls.graphOf[trace.deviceDetail(event).launch.value];
    if (graph == 0) continue;
    ++compiled;
    const std::string text = calls.graphs[graph - 1].text();
    const bool second = analysis.trace().names()[trace.events.name[event]] == "gemm";
    EXPECT_TRUE(second ? text.starts_with("1/") : text == "0/0 fabcdefg") << text;
  }
  EXPECT_EQ(compiled, 4);
}

TEST(CompiledRegions, withoutThemThereAreNoRows) {
  HandMadeRank rank;
  rank.op(0, 10'000, "aten::mm").launched(1'000, 7, 20'000, 1'000, "gemm");
  EXPECT_EQ(compiledRegionsTable(Analysis(HandMadeJob().add(0, std::move(rank)).build())).rowCount(), 0U);
}

TEST(CompiledRegions, ofARecordingAddUpToItsKernels) {
  const auto files = test::recordingsBelow(test::sharedFolder() / "traces" / "torch-compile-triton");
  RANKSCOPE_SKIP_UNLESS(!files.empty(), test::kNoRecordings);
  Progress progress;
  const auto loaded = loadTraces({files.front().string()}, {}, progress);
  ASSERT_TRUE(loaded);
  const Analysis analysis(*loaded);
  const ResultTable table = compiledRegionsTable(analysis);
  std::int64_t kernels = 0;
  std::int64_t time = 0;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    if (!table.isEmpty(row, *table.columnNamed("kernels")))
      kernels += std::get<std::int64_t>(table.at(row, *table.columnNamed("kernels")));
    if (!table.isEmpty(row, *table.columnNamed("device_us")))
      time += std::get<std::int64_t>(table.at(row, *table.columnNamed("device_us")));
  }
  const RankTrace& trace = *analysis.trace().rank(RankIndex(0)).trace;
  EXPECT_EQ(kernels, static_cast<std::int64_t>(trace.deviceEnd.value - trace.deviceBegin.value));
  std::int64_t durations = 0;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value)
    durations += trace.events.duration[event];
  EXPECT_EQ(time, durations);
  EXPECT_EQ(std::get<std::string_view>(table.at(0, *table.columnNamed("region"))), "0/0");
  EXPECT_EQ(std::get<std::string_view>(table.at(0, *table.columnNamed("graphs"))), "fal4xpia");
}

} // namespace rankscope
