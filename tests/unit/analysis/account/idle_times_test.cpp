// SPDX-License-Identifier: GPL-3.0-or-later
// Covers core/analysis/account/avoidable_time, too.
#include "core/analysis/account/idle_times.h"

#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

void expectEqual(const IdleTimes& a, const IdleTimes& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    ASSERT_EQ(a[rank].size(), b[rank].size());
    for (std::size_t i = 0; i < a[rank].size(); ++i) {
      EXPECT_EQ(a[rank][i].range, b[rank][i].range);
      EXPECT_EQ(a[rank][i].leaf, b[rank][i].leaf);
      EXPECT_EQ(a[rank][i].avoidable, b[rank][i].avoidable);
      EXPECT_LE(a[rank][i].avoidable, a[rank][i].range.length());
    }
  }
}

} // namespace

TEST(IdleTimes, areThoseOfTheAccountWhetherItIsThereOrNot) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 3;
  test::generateJob(options, folder.path());
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const Analysis analysis(*loaded);
  const JobAccount account = jobAccount(analysis, 1);
  const IdleTimes idle = idleTimes(analysis, account);
  for (const unsigned threads : {1U, 4U}) expectEqual(idleTimes(analysis, threads), idle);
  for (const RankIndex rank : analysis.ranks()) {
    TimeNs sum = 0;
    for (const IdleTime& time : idle[rank.value]) sum += time.range.length();
    const TimePieces& pieces = account.of(rank).pieces;
    EXPECT_GT(sum, 0);
    EXPECT_EQ(sum, timeOf(pieces.within(pieces.range()), TimeClass::Idle));
  }
}

} // namespace rankscope
