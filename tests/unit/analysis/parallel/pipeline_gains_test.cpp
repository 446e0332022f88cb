// SPDX-License-Identifier: GPL-3.0-or-later
// Gains of slow ranks and slow stages of generated pipelines against the same pipelines without the fault.
#include "core/analysis/parallel/pipeline_gains.h"

#include "core/analysis/findings/findings.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "core/report/job_report.h"
#include "tests/support/parallel_jobs.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/analysis/findings/finding_jobs.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rankscope {

namespace {

using test::PipelineJob;
using test::PipelineOrder;

struct Generated {
  std::unique_ptr<JobReport> report;
  TimeNs step = 0;
};

Generated generated(const PipelineJob& job) {
  const test::TemporaryFolder folder;
  const test::PipelineTruth truth = generatePipelineJob(job, folder.path());
  Progress progress;
  auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return {std::make_unique<JobReport>(std::make_shared<const Analysis>(*loaded)), truth.stepNs};
}

std::vector<PipelineJob> healthyJobs() {
  std::vector<PipelineJob> jobs;
  for (const PipelineOrder order :
       {PipelineOrder::GPipe, PipelineOrder::OneForwardOneBackward, PipelineOrder::ZeroBubble,
        PipelineOrder::InterleavedOneForwardOneBackward}) {
    PipelineJob job;
    job.order = order;
    job.stagesPerRank = order == PipelineOrder::InterleavedOneForwardOneBackward ? 2 : 1;
    job.steps = 4;
    jobs.push_back(job);
  }
  return jobs;
}

std::string textOf(const PipelineJob& job) {
  return fmt::format("order {}, {} replicas, {} microbatches, slow stage {}, slow rank {}",
                     static_cast<int>(job.order), job.replicas, job.microbatches, job.slowStage,
                     job.slowRank);
}

void expectGain(const Generated& slow, const Finding* found, TimeNs truth, const std::string& text) {
  ASSERT_NE(found, nullptr) << text << findingsText(*slow.report);
  ASSERT_TRUE(found->gain.has_value()) << text;
  const double tolerance = std::max(0.05 * static_cast<double>(truth), 0.15 * kMs);
  EXPECT_NEAR(static_cast<double>(found->gain->low), static_cast<double>(truth), tolerance) << text;
  EXPECT_GE(static_cast<double>(found->gain->high), static_cast<double>(truth) - tolerance) << text;
}

} // namespace

// A stage that waits for the others until they are done is neither slow nor idle without a reason.
TEST(PipelineGains, healthyPipelinesHaveNoStraggler) {
  for (PipelineJob job : healthyJobs()) {
    for (const int replicas : {1, 2}) {
      job.replicas = replicas;
      const Generated healthy = generated(job);
      const std::string text = textOf(job) + "\n" + findingsText(*healthy.report);
      for (const Finding& finding : healthy.report->findings())
        EXPECT_EQ(finding.severity, Severity::Info) << text;
      EXPECT_EQ(findingIn(*healthy.report, FindingKind::Straggler), nullptr) << text;
      EXPECT_EQ(findingIn(*healthy.report, FindingKind::UnexplainedIdle), nullptr) << text;
      EXPECT_EQ(healthy.report->keptAccount().timeOf("queue.unexplained"), 0) << text;
    }
  }
}

TEST(PipelineGains, ofASlowStageIsWhatItsTwinTakesLess) {
  for (PipelineJob job : healthyJobs()) {
    if (job.stagesPerRank > 1) continue; // two stages per rank: half of the rank's work is slow
    for (const int microbatches : {4, 8}) {
      job.microbatches = microbatches;
      job.slowStage = -1;
      const TimeNs healthy = generated(job).step;
      for (const int stage : {0, 1, 3}) {
        job.slowStage = stage;
        job.slowPermille = 1'300;
        const Generated slow = generated(job);
        const Finding* const found = findingIn(*slow.report, FindingKind::Straggler);
        expectGain(slow, found, slow.step - healthy, textOf(job));
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(slow.report->analysis().trace().rank(found->rank).rank, stage);
      }
    }
  }
}

TEST(PipelineGains, ofASlowRankAmongReplicasIsWhatItsTwinTakesLess) {
  for (PipelineJob job : healthyJobs()) {
    for (const int replicas : {1, 2}) {
      job.replicas = replicas;
      job.slowRank = -1;
      const TimeNs healthy = generated(job).step;
      job.slowRank = 2 * replicas + replicas - 1;
      job.slowRankNs = 12 * kMs;
      const Generated slow = generated(job);
      const Finding* const found = findingIn(*slow.report, FindingKind::Straggler);
      expectGain(slow, found, slow.step - healthy, textOf(job));
    }
  }
}

// All replicas of a stage are slow: no rank is a straggler, and what is gained depends on why.
TEST(PipelineGains, ofUnequalStagesReachWhatATwinTakesLess) {
  for (PipelineJob job : healthyJobs()) {
    if (job.stagesPerRank > 1) continue;
    job.replicas = 2;
    job.slowStage = -1;
    const TimeNs healthy = generated(job).step;
    for (const int stage : {0, 2}) {
      job.slowStage = stage;
      job.slowPermille = 1'300;
      const Generated slow = generated(job);
      const std::string text = textOf(job) + "\n" + findingsText(*slow.report);
      EXPECT_EQ(findingIn(*slow.report, FindingKind::Straggler), nullptr) << text;
      const Finding* const found = findingIn(*slow.report, FindingKind::PipelineImbalance);
      ASSERT_NE(found, nullptr) << text;
      EXPECT_LE(found->gain->low, slow.step - healthy) << text;
      EXPECT_GE(found->gain->high, slow.step - healthy) << text;
    }
  }
}

TEST(PipelineGains, countTransfersOnceAndPausesAsTimeOfTheRank) {
  const auto orders = plannedSchedule(ScheduleKind::OneForwardOneBackward, 2, 1, 1);
  const std::vector<std::vector<TimeNs>> durations{{10, 20}, {30, 40}};
  EXPECT_EQ(replayOf(orders, durations).window, 100);
  EXPECT_EQ(replayOf(orders, durations, 3).window, 106);
  // The backward action of the last stage begins 7 after its forward action.
  const std::vector<std::vector<TimeRange>> times{{{100, 110}, {195, 215}}, {{113, 143}, {150, 190}}};
  ASSERT_EQ(leastTransfer(orders, times), 3);
  EXPECT_FALSE(leastTransfer({}, {}));
  const std::vector<std::vector<TimeNs>> own = ownDurations(orders, times, 3);
  EXPECT_EQ(own, (std::vector<std::vector<TimeNs>>{{10, 22}, {30, 47}})) << "the transfer back took 5";
  EXPECT_EQ(hullOf(times), (TimeRange{100, 215}));
  EXPECT_EQ(replayOf(orders, own, 3).window, 115) << "as long as it took";
  EXPECT_EQ(hullOf({}), TimeRange{});
}

} // namespace rankscope
