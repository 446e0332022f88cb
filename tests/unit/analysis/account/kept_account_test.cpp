// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/kept_account.h"

#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// Steps of these lengths, in ms, each half computation.
HandMadeRank steps(const std::vector<int>& lengths) {
  HandMadeRank rank;
  TimeNs begin = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const TimeNs length = lengths[i] * kMs;
    rank.annotation(begin, length, "ProfilerStep#" + std::to_string(i));
    rank.launched(begin, 7, begin + length / 2, length / 2, "gemm");
    begin += length;
  }
  return rank;
}

KeptAccount keptOf(const Analysis& analysis) {
  return keptAccount(analysis, jobAccount(analysis, 1));
}

void expectPartsToAddUp(const KeptAccount& kept) {
  EXPECT_NEAR(std::accumulate(kept.leafTimes.begin(), kept.leafTimes.end(), 0.0), kept.stepTime, 1e-3);
  EXPECT_NEAR(std::accumulate(kept.classTimes.begin(), kept.classTimes.end(), 0.0), kept.stepTime, 1e-3);
}

} // namespace

TEST(KeptAccount, leavesOutALongFirstStep) {
  HandMadeJob job;
  job.add(0, steps({30, 10, 12, 14}));
  const Analysis analysis(job.build());
  const KeptAccount kept = keptOf(analysis);
  EXPECT_TRUE(kept.areSteps);
  EXPECT_EQ(kept.steps, 3U);
  EXPECT_NEAR(kept.stepTime, 12 * kMs, 1);
  expectPartsToAddUp(kept);
  ASSERT_EQ(kept.windows[0].size(), 3U);
  EXPECT_EQ(kept.windows[0].front().number, 1);
  EXPECT_NEAR(kept.classTimes[static_cast<std::size_t>(TimeClass::Compute)], 6 * kMs, 1);

  AnalysisOptions options;
  options.allSteps = true;
  const Analysis all(job.build(), nullptr, options);
  EXPECT_EQ(keptOf(all).steps, 4U);
  EXPECT_NEAR(keptOf(all).stepTime, 16.5 * kMs, 1);
}

TEST(KeptAccount, isTheMeanOverStepsOfTheMeanOverTheirRanks) {
  HandMadeJob job;
  job.add(0, steps({10, 10, 10, 10}));
  job.add(1, steps({10, 10, 16})); // lacks the last
  const Analysis analysis(job.build());
  const KeptAccount kept = keptOf(analysis);
  EXPECT_EQ(kept.steps, 4U);
  EXPECT_NEAR(kept.stepTime, (10 + 10 + 13 + 10) / 4.0 * kMs, 1);
  expectPartsToAddUp(kept);
}

TEST(KeptAccount, ofARangeWithinAStepIsThatRange) {
  HandMadeJob job;
  job.add(0, steps({10, 10, 10}));
  const Analysis whole(job.build());
  AnalysisScope scope;
  scope.ranks = {RankIndex(0)};
  scope.windows = {RankRange::of({12 * kMs, 15 * kMs})};
  const Analysis part(whole, scope);
  const KeptAccount kept = keptOf(part);
  EXPECT_FALSE(kept.areSteps);
  EXPECT_EQ(kept.steps, 1U);
  EXPECT_NEAR(kept.stepTime, 3 * kMs, 1);
  expectPartsToAddUp(kept);
}

TEST(KeptAccount, addsLeavesUnderAName) {
  KeptAccount kept;
  kept.stepTime = 10;
  kept.leafTimes[static_cast<std::size_t>(Leaf::DispatchForward)] = 2;
  kept.leafTimes[static_cast<std::size_t>(Leaf::DispatchBackward)] = 3;
  kept.leafTimes[static_cast<std::size_t>(Leaf::HostInput)] = 4;
  EXPECT_EQ(kept.timeOf("host.dispatch"), 5);
  EXPECT_EQ(kept.timeOf("host"), 9);
  EXPECT_EQ(kept.shareOf(5), 0.5);
  EXPECT_EQ(KeptAccount().shareOf(5), 0);
}

} // namespace rankscope
