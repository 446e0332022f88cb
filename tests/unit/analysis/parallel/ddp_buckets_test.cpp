// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/ddp_buckets.h"

#include "core/analysis/parallel/bucket_times.h"
#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::shared_ptr<const Analysis> analysisOf(const std::filesystem::path& path) {
  Progress progress;
  auto job = loadTraces({path.string()}, {}, progress);
  return job.ok() ? std::make_shared<const Analysis>(*job) : nullptr;
}

std::shared_ptr<const Analysis> analysisOfShared(const char* set) {
  return analysisOf(test::sharedFolder() / "traces" / set);
}

} // namespace

TEST(DdpBuckets, areTheAllReducesOfTheBackwardPass) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.distributedInfo(0, 2);
  text.addStep(1, 0, 100'000).addAnnotation(1, 1'000, 9'000, "DistributedDataParallel.forward");
  text.addCpuOp(2, 20'000, 50'000, "autograd::engine::evaluate_function: AddmmBackward0");
  // An average of the loss before, two buckets in the backward pass, a flag of integers.
  const std::string_view call = "cudaLaunchKernelExC";
  text.addRuntime(1, 12'000, 100, call, 1).addCollective(0, 7, 13'000, 500, "allreduce", 1, 2, 1);
  text.addRuntime(2, 30'000, 100, call, 2).addCollective(0, 7, 31'000, 500, "allreduce", 300, 2, 2);
  text.addRuntime(2, 40'000, 100, call, 3).addCollective(0, 7, 41'000, 500, "allreduce", 120, 2, 3);
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto analysis = analysisOf(folder.path());
  ASSERT_NE(analysis, nullptr);
  const std::vector<DdpBucket> buckets = ddpBuckets(*analysis, RankIndex(0));
  ASSERT_EQ(buckets.size(), 2U);
  EXPECT_EQ(buckets[0].elements, 300);
  EXPECT_EQ(buckets[1].elements, 120);
  EXPECT_EQ(buckets[1].index, 1U);
  EXPECT_EQ(parametersOf(buckets), 420);
  // The other rank was not recorded: how long this one waited is not known.
  const ResultTable table = tableSpec("ddp_buckets")->make(JobReport(analysis));
  ASSERT_EQ(table.rowCount(), 2U);
  for (const char* const column : {"wait_us", "transfer_us"})
    EXPECT_TRUE(table.isEmpty(0, *table.columnNamed(column))) << column;
  EXPECT_FALSE(table.isEmpty(0, *table.columnNamed("exposed_us")));
  EXPECT_FALSE(parametersOf({}));
}

TEST(DdpBuckets, overlapEfficiencyLeavesOutTheLastBucket) {
  const auto bucket = [](TimeNs transfer, TimeNs exposed) {
    BucketTime time;
    time.parts = CallParts{50, transfer};
    time.exposedTransfer = exposed;
    return time;
  };
  std::vector<BucketTime> buckets{bucket(300, 0), bucket(300, 0), bucket(100, 100)};
  EXPECT_EQ(overlapEfficiencyPct(buckets), 100.0);
  buckets[1].exposedTransfer = 150;
  EXPECT_EQ(overlapEfficiencyPct(buckets), 75.0);
  EXPECT_FALSE(overlapEfficiencyPct(std::span(buckets).first(1)));
  buckets[0].parts.reset();
  EXPECT_FALSE(overlapEfficiencyPct(buckets)) << "how much was transfer is not known";
}

// 25,557,032 parameters has ResNet-50, 11,689,512 ResNet-18.
TEST(DdpBuckets, addUpToTheParametersOfRealModels) {
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(test::sharedFolder() / "traces"), test::kNoRecordings);
  const auto resnet50 = analysisOfShared("nccl-2ranks-derived");
  ASSERT_NE(resnet50, nullptr);
  for (const RankIndex rank : resnet50->ranks())
    EXPECT_EQ(parametersOf(ddpBuckets(*resnet50, rank)), 25'557'032);
  const auto resnet18 = analysisOfShared("mi300-resnet-checkpoint");
  ASSERT_NE(resnet18, nullptr);
  EXPECT_EQ(parametersOf(ddpBuckets(*resnet18, RankIndex(0))), 11'689'512);
  const auto without = analysisOfShared("h100-qwen");
  ASSERT_NE(without, nullptr);
  EXPECT_TRUE(ddpBuckets(*without, RankIndex(0)).empty());
}

} // namespace rankscope
