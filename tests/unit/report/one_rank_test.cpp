// SPDX-License-Identifier: GPL-3.0-or-later
// Which jobs are said to have one rank. Covers core/report/one_rank.
#include "core/report/one_rank.h"

#include "core/report/job_report.h"
#include "core/report/key_figures.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <memory>
#include <utility>

namespace rankscope {

namespace {

HandMadeRank rankWithoutCollectives() {
  HandMadeRank events;
  events.annotation(0, 1'000, "ProfilerStep#1");
  events.kernel(7, 100, 500, "gemm");
  return events;
}

TEST(OneRank, collectivesOfNcclWithoutADeviceAreOfMoreRanks) {
  const auto jobWith = [](const char* collective) {
    HandMadeRank events;
    events.annotation(0, 1'000, "ProfilerStep#1").op(100, 50, "aten::mm");
    if (collective) events.hostCollective(300, 20, collective);
    HandMadeJob job;
    job.add(0, std::move(events));
    return job.build();
  };
  const auto job = std::make_shared<const Analysis>(jobWith("nccl:all_reduce"));
  const Analysis& called = *job;
  EXPECT_FALSE(hasOneRank(called));
  EXPECT_TRUE(callsUnrecordedCollectives(called));
  EXPECT_TRUE(called.collectiveCalls(RankIndex(0)).empty());
  const JobReport report(job);
  const OverviewFigures figures = overviewFigures(report.analysis(), report.account());
  EXPECT_EQ(keyFigureTexts(figures, called.trace())[static_cast<std::size_t>(KeyFigure::Exposed)].note,
            "collectives were called, but their device time was not recorded");
  EXPECT_TRUE(hasOneRank(Analysis(jobWith(nullptr))));
  EXPECT_FALSE(callsUnrecordedCollectives(Analysis(jobWith("gloo:all_reduce"))));
}

TEST(OneRank, aFileAloneWithoutCollectivesIsAJobOfOneRank) {
  HandMadeJob alone;
  alone.add(0, rankWithoutCollectives());
  EXPECT_TRUE(hasOneRank(Analysis(alone.build())));
  HandMadeJob ofFour;
  ofFour.setWorldSize(4);
  ofFour.add(0, rankWithoutCollectives());
  EXPECT_FALSE(hasOneRank(Analysis(ofFour.build())));
  HandMadeJob two;
  two.add(0, rankWithoutCollectives());
  two.add(1, rankWithoutCollectives());
  EXPECT_FALSE(hasOneRank(Analysis(two.build())));
  // Others were not recorded.
  HandMadeJob ofMany;
  HandMadeRank communicates = rankWithoutCollectives();
  communicates.collective(8, 700, 100, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  ofMany.add(0, std::move(communicates));
  EXPECT_FALSE(hasOneRank(Analysis(ofMany.build())));
}

} // namespace

} // namespace rankscope
