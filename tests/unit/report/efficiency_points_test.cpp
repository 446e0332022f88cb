// SPDX-License-Identifier: GPL-3.0-or-later
// Points of the roofline in a digest: the costliest of a rank, and what says that there were more. That the
// checks leave nothing out: each part of the idle time is in a row.
#include "core/report/efficiency_points.h"

#include "core/analysis/digest/digest_bounds.h"
#include "core/io/load/trace_loader.h"
#include "core/report/efficiency_checklist.h"
#include "core/report/efficiency_view.h"
#include "tests/support/digest_job.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

// A step with so many products, each of another size and longer than the one before.
std::shared_ptr<const TraceSet> jobOfProducts(const test::TemporaryFolder& folder, std::int64_t count) {
  test::TraceText text;
  text.metadata("deviceProperties", R"([{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "numSms": 108}])");
  text.addStep(1, 0, count * 2'000);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string side = std::to_string(64 + 8 * i);
    text.addCpuOp(1, 100 + 1'000 * i, 500, "aten::mm",
                  R"("Input Dims": [[64, )" + side + "], [" + side +
                      R"(, 64]], "Input type": ["c10::Half", "c10::Half"])");
    text.addRuntime(1, 200 + 1'000 * i, 100, "cudaLaunchKernel", i + 1);
    text.addKernel(0, 7, 2'000 + 1'500 * i, 100 + i, "ampere_fp16_s16816gemm_fp16_128x128_tn", i + 1);
  }
  test::writeTraceFile(folder / "rank0.json", text.text());
  Progress progress;
  auto loaded = loadTraces({folder.path().string()}, {}, progress);
  return loaded.ok() ? *loaded : nullptr;
}

JobPoints pointsOfDigest(const Analysis& analysis) {
  const auto digest = openedDigest(test::digestJob(analysis));
  if (!digest.ok()) return {};
  const JobReport report(std::make_shared<const Analysis>(*digest));
  return jobPoints(report, efficiencyFigures(report, {}).peaks);
}

std::unique_ptr<JobReport> reportOfTraceSet(const std::string& set) {
  Progress progress;
  auto job = loadTraces({(test::sharedFolder() / "traces" / set).string()}, {}, progress);
  return job.ok() ? std::make_unique<JobReport>(std::make_shared<const Analysis>(*job)) : nullptr;
}

EfficiencyCheck checkOf(const std::vector<EfficiencyCheck>& checks, std::string_view title) {
  const auto found = std::ranges::find(checks, title, &EfficiencyCheck::title);
  return found != checks.end() ? *found : EfficiencyCheck();
}

class ChecklistOfSets : public testing::TestWithParam<std::string> {};

} // namespace

TEST(EfficiencyPoints, ofADigestAreTheCostliest) {
  const std::size_t most = DigestBounds().points;
  const test::TemporaryFolder folder;
  const Analysis analysis(jobOfProducts(folder, static_cast<std::int64_t>(most) + 20));
  const JobReport report(std::make_shared<const Analysis>(analysis.sharedTrace()));
  const JobPoints all = jobPoints(report, efficiencyFigures(report, {}).peaks);
  ASSERT_EQ(all.operators.size(), most + 20);
  EXPECT_FALSE(all.shortened);
  const JobPoints kept = pointsOfDigest(analysis);
  ASSERT_EQ(kept.operators.size(), most);
  ASSERT_EQ(kept.products.size(), most);
  EXPECT_TRUE(kept.shortened);
  for (const std::size_t i : {std::size_t{0}, most - 1}) {
    EXPECT_EQ(kept.operators[i].shapes, all.operators[i].shapes);
    EXPECT_EQ(kept.operators[i].point.tflops, all.operators[i].point.tflops);
    EXPECT_EQ(kept.operators[i].kernel, all.operators[i].kernel);
    EXPECT_TRUE(kept.operators[i].calls.empty());
  }
}

// Nothing is concluded from the costliest alone.
TEST(EfficiencyPoints, ofADigestThatLacksSomeGiveNoVerdict) {
  const test::TemporaryFolder folder;
  const Analysis analysis(jobOfProducts(folder, static_cast<std::int64_t>(DigestBounds().points) + 20));
  const auto digest = openedDigest(test::digestJob(analysis));
  ASSERT_TRUE(digest.ok());
  const JobReport report(std::make_shared<const Analysis>(*digest));
  const EfficiencyView view = efficiencyView(report, {});
  EXPECT_TRUE(view.hfuPct.has_value());
  EXPECT_FALSE(view.bestTflops.has_value());
  EXPECT_FALSE(view.bestMixTflops.has_value());
  std::size_t unknown = 0;
  for (const EfficiencyCheck& check : efficiencyChecklist(report, view))
    if (check.title == "Mixed precision" || check.title == "Shapes")
      unknown += check.answer == CheckAnswer::Unknown ? 1 : 0;
  EXPECT_EQ(unknown, 2U);
}

TEST(EfficiencyPoints, ofADigestAreAllWithinItsBound) {
  const test::TemporaryFolder folder;
  const Analysis analysis(jobOfProducts(folder, 3));
  const JobPoints kept = pointsOfDigest(analysis);
  EXPECT_EQ(kept.operators.size(), 3U);
  EXPECT_FALSE(kept.shortened);
}

TEST_P(ChecklistOfSets, hasAllIdleTimeAndAllLayoutConversions) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  const auto report = reportOfTraceSet(GetParam());
  if (report == nullptr) return; // no recording of the profiler
  const EfficiencyView view = efficiencyView(*report, {});
  if (!view.hasKernels) return;
  const std::vector<EfficiencyCheck> checks = efficiencyChecklist(*report, view);
  double idle = 0;
  for (const char* const title :
       {"Synchronization", "Device allocation", "Launches and Python", "DataLoader", "Other idle"}) {
    const EfficiencyCheck check = checkOf(checks, title);
    EXPECT_FALSE(check.measured.empty()) << title;
    EXPECT_NE(check.answer, CheckAnswer::Unknown) << title;
    EXPECT_GE(check.time.value_or(0), 0) << title;
    idle += check.time.value_or(0);
  }
  const KeptAccount& kept = report->keptAccount();
  EXPECT_NEAR(idle, kept.classTimes[static_cast<std::size_t>(TimeClass::Idle)], 2);
  EXPECT_EQ(checkOf(checks, "Layout conversions").time, kept.timeOf("compute.layout"));
}

INSTANTIATE_TEST_SUITE_P(All, ChecklistOfSets, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

TEST(EfficiencyChecklist, namesWhatTheDeviceWaitsFor) {
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(test::sharedFolder()), test::kNoRecordings);
  const auto uncached = reportOfTraceSet("mi300-ddp-resnet18");
  const auto checks = efficiencyChecklist(*uncached, efficiencyView(*uncached, {}));
  const EfficiencyCheck allocation = checkOf(checks, "Device allocation");
  EXPECT_EQ(allocation.answer, CheckAnswer::Bad);
  EXPECT_EQ(allocation.measured, "89.3 % of the step");
  ASSERT_TRUE(allocation.finding);
  EXPECT_EQ(uncached->findings()[*allocation.finding].kind, FindingKind::CachingOff);
  const EfficiencyCheck layout = checkOf(checks, "Layout conversions");
  EXPECT_EQ(layout.answer, CheckAnswer::Bad);
  ASSERT_TRUE(layout.finding);
  EXPECT_EQ(uncached->findings()[*layout.finding].kind, FindingKind::LayoutConversions);
  EXPECT_EQ(checkOf(checks, "Other idle").measured, "0 % of the step");
  // What no row is about is in the rest, which says what it is.
  const auto startup = reportOfTraceSet("a100-alexnet");
  const EfficiencyCheck rest =
      checkOf(efficiencyChecklist(*startup, efficiencyView(*startup, {})), "Other idle");
  EXPECT_EQ(rest.answer, CheckAnswer::Bad);
  EXPECT_TRUE(rest.measured.ends_with(", largest part: Start-up")) << rest.measured;
}

} // namespace rankscope
