// SPDX-License-Identifier: GPL-3.0-or-later
// What the charts of ranks say against the tables that the project promises, and which of many ranks are
// shown.
#include "core/report/rank_shares.h"

#include "core/analysis/job/scope.h"
#include "core/io/load/trace_loader.h"
#include "core/report/steps_table.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>

namespace rankscope {

namespace {

struct Job {
  test::JobTruth truth;
  std::shared_ptr<const TraceSet> trace;
  std::unique_ptr<Analysis> analysis;
};

Job jobOf(const test::JobOptions& options) {
  const test::TemporaryFolder folder;
  Job job;
  job.truth = generateJob(options, folder.path());
  Progress progress;
  auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  job.trace = *loaded;
  job.analysis = std::make_unique<Analysis>(job.trace);
  return job;
}

test::JobOptions slowRank() {
  test::JobOptions options;
  options.ranks = 8;
  options.layers = 2;
  options.steps = 4;
  options.straggler = {.rank = 5, .extraNs = 3'000'000, .fromStep = 0, .kind = test::StragglerKind::Compute};
  return options;
}

TimeNs timeAt(const ResultTable& table, std::size_t row, std::string_view column) {
  const Cell cell = table.at(row, *table.columnNamed(column));
  return std::holds_alternative<std::int64_t>(cell) ? std::get<std::int64_t>(cell) : 0;
}

void expectSumsOfTheRanksTable(const Analysis& analysis) {
  const ResultTable table = ranksTable(analysis);
  const std::vector<RankShare> shares = rankShares(analysis, ShareOver::Sum);
  ASSERT_EQ(shares.size(), table.rowCount());
  for (std::size_t row = 0; row < shares.size(); ++row) {
    const RankShare& share = shares[row];
    EXPECT_EQ(share.compute(), timeAt(table, row, "compute_us"));
    EXPECT_EQ(share.overlapped, timeAt(table, row, "overlap_us"));
    EXPECT_EQ(share.exposed, timeAt(table, row, "exposed_communication_us"));
    EXPECT_EQ(share.compute() + share.exposed + share.other, timeAt(table, row, "gpu_span_us"));
    EXPECT_EQ(share.wait(), timeAt(table, row, "wait_us"));
    EXPECT_EQ(share.transfer, timeAt(table, row, "transfer_us"));
    EXPECT_EQ(share.straggler, timeAt(table, row, "straggler") == 1);
  }
}

// Ranks that begin their first collective up to 0.3 ms apart, and others up to 1 us.
std::shared_ptr<const TraceSet> ranksThatStartApart() {
  HandMadeJob job;
  for (int rank = 0; rank < 4; ++rank) {
    HandMadeRank events;
    for (int step = 0; step < 4; ++step) {
      const TimeNs begin = TimeNs{step} * 1'000'000;
      const TimeNs wait = step == 0 ? rank * 100'000 : rank == 0 ? 0 : 1'000;
      events.annotation(begin, 1'000'000, "ProfilerStep#" + std::to_string(step));
      events.launched(begin, 7, begin + 10'000, 390'000 - wait, "gemm");
      events.collective(20, begin + 400'000 - wait, 500'000 + wait, "ncclDevKernel_AllReduce_Sum_f32");
    }
    job.add(rank, std::move(events));
  }
  return job.build();
}

} // namespace

TEST(RankShares, sumsAreThoseOfTheRanksTable) {
  const Job job = jobOf(slowRank());
  expectSumsOfTheRanksTable(*job.analysis);
}

TEST(RankShares, sumsOfARangeAreThoseOfItsRanksTable) {
  const Job job = jobOf(slowRank());
  const JobRange all = job.analysis->extent();
  const TimeNs quarter = all.length() / 4;
  const Analysis part(*job.analysis, scopeOfRange(*job.analysis, {all.begin + quarter, all.end - quarter}));
  expectSumsOfTheRanksTable(part);
  const auto whole = rankShares(*job.analysis, ShareOver::Sum);
  const auto some = rankShares(part, ShareOver::Sum);
  EXPECT_LT(some.front().compute(), whole.front().compute());
}

TEST(RankShares, aMeanStepIsTheMeanOfTheStepsTable) {
  const Job job = jobOf(slowRank());
  const ResultTable table = stepsTable(*job.analysis);
  const std::vector<RankShare> shares = rankShares(*job.analysis, ShareOver::StepMean);
  for (const RankShare& share : shares) {
    TimeNs durations = 0, compute = 0, exposed = 0, steps = 0;
    for (std::size_t row = 0; row < table.rowCount(); ++row) {
      if (timeAt(table, row, "rank") != job.trace->rank(share.rank).rank) continue;
      durations += timeAt(table, row, "duration_us");
      compute += timeAt(table, row, "compute_us");
      exposed += timeAt(table, row, "exposed_communication_us");
      ++steps;
    }
    ASSERT_EQ(steps, 4);
    EXPECT_NEAR(static_cast<double>(share.compute()), static_cast<double>(compute) / 4, 1);
    EXPECT_NEAR(static_cast<double>(share.exposed), static_cast<double>(exposed) / 4, 1);
    const TimeNs whole = share.compute() + share.exposed + share.other;
    EXPECT_NEAR(static_cast<double>(whole), static_cast<double>(durations) / 4, 1);
  }
}

TEST(RankShares, whatOfAWaitIsExposedIsWhatTheJobWasMadeWith) {
  const Job job = jobOf(slowRank());
  const std::vector<RankShare> shares = rankShares(*job.analysis, ShareOver::Sum);
  for (const test::FileTruth& file : job.truth.files) {
    TimeNs exposed = 0;
    for (const test::WaitTruth& wait : file.waits) exposed += wait.exposedNs;
    const RankShare& share = shares[static_cast<std::size_t>(file.rank)];
    EXPECT_NEAR(static_cast<double>(share.waitExposed), static_cast<double>(exposed),
                0.01 * static_cast<double>(exposed) + 2000)
        << "rank " << file.rank;
    EXPECT_EQ(share.straggler, file.rank == 5);
  }
}

TEST(RankShares, theWaitOfTheFirstCollectiveIsStartSkew) {
  const Analysis analysis(ranksThatStartApart());
  for (const ShareOver over : {ShareOver::Sum, ShareOver::StepMean}) {
    const std::vector<RankShare> shares = rankShares(analysis, over);
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      // The first step is one of four, or left out of the mean.
      const TimeNs first = TimeNs{100'000} * static_cast<TimeNs>(rank);
      EXPECT_LE(shares[rank].waitStart, shares[rank].waitExposed);
      if (over == ShareOver::Sum) {
        EXPECT_EQ(shares[rank].waitStart, first);
      }
    }
  }
  // A rank that is late in each step does not begin late.
  for (const RankShare& share : rankShares(*jobOf(slowRank()).analysis, ShareOver::Sum))
    EXPECT_EQ(share.waitStart, 0);
}

TEST(RankShares, theRankThatWasMadeSlowStandsOut) {
  const Job job = jobOf(slowRank());
  const std::vector<std::size_t> odd = outlierRanks(rankShares(*job.analysis, ShareOver::Sum));
  ASSERT_FALSE(odd.empty());
  EXPECT_EQ(odd.front(), 5U);
}

TEST(RankShares, capturesOfARankAreSummedAndTheirStepsWeighed) {
  test::JobOptions options = slowRank();
  options.ranks = 2;
  options.straggler.rank = 1;
  options.captures = 2;
  const Job job = jobOf(options);
  const TraceSet& traces = *job.trace;
  const auto sums = rankShares(*job.analysis, ShareOver::Sum);
  ASSERT_EQ(sums.size(), 4U);
  const auto joined = joinedRecordings(traces, sums, ShareOver::Sum);
  ASSERT_EQ(joined.size(), 2U);
  for (const RankShare& share : joined) {
    TimeNs compute = 0;
    TimeNs wait = 0;
    for (const RankShare& of : sums) {
      if (traces.rank(of.rank).rank != traces.rank(share.rank).rank) continue;
      compute += of.compute();
      wait += of.wait();
    }
    EXPECT_EQ(share.compute(), compute);
    EXPECT_EQ(share.wait(), wait);
  }
  std::vector<RankShare> means{{.rank = RankIndex(0), .steps = 1, .computeOnly = 100, .other = 50},
                               {.rank = RankIndex(1), .steps = 3, .computeOnly = 20, .other = 10},
                               {.rank = RankIndex(2), .steps = 0, .computeOnly = 9'000, .other = 9'000}};
  ASSERT_EQ(traces.rank(RankIndex(0)).rank, traces.rank(RankIndex(1)).rank);
  means[2].rank = RankIndex(0); // a recording without steps is no mean step
  const auto mean = joinedRecordings(traces, means, ShareOver::StepMean);
  ASSERT_EQ(mean.size(), 1U);
  EXPECT_EQ(mean[0].steps, 4);
  EXPECT_EQ(mean[0].computeOnly, 40);
  EXPECT_EQ(mean[0].other, 20);
}

TEST(ChosenRanks, ofFewAllStandInTheirOrder) {
  const std::vector<TimeNs> values{5, 3, 9};
  const std::vector<std::size_t> odd{2};
  EXPECT_EQ(chosenRanks(values, odd, 32),
            (std::vector<ChosenRank>{{0, RankRole::Plain}, {1, RankRole::Plain}, {2, RankRole::Outlier}}));
}

TEST(ChosenRanks, ofManyTheOddOnesAndThoseThatStandForTheRest) {
  std::vector<TimeNs> values(512);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<TimeNs>(1000 + i * 7919 % 512);
  values[300] = 1;
  const std::vector<std::size_t> odd{300, 17};
  const std::vector<ChosenRank> chosen = chosenRanks(values, odd, 12);
  ASSERT_EQ(chosen.size(), 7U);
  EXPECT_EQ(chosen[0], (ChosenRank{17, RankRole::Outlier}));
  EXPECT_EQ(chosen[1], (ChosenRank{300, RankRole::Outlier}));
  std::vector<TimeNs> rest;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i != 300 && i != 17) rest.push_back(values[i]);
  EXPECT_EQ(values[chosen[2].index], std::ranges::min(rest));
  EXPECT_EQ(values[chosen[6].index], std::ranges::max(rest));
  for (std::size_t i = 3; i < 7; ++i) EXPECT_LT(values[chosen[i - 1].index], values[chosen[i].index]);
  std::ranges::sort(rest);
  EXPECT_EQ(values[chosen[4].index], rest[(rest.size() - 1) / 2]);
}

TEST(ChosenRanks, moreOddOnesThanRoomLeaveRoomForTheRest) {
  const std::vector<TimeNs> values(100, 4);
  std::vector<std::size_t> odd(60);
  std::iota(odd.begin(), odd.end(), std::size_t{20});
  const std::vector<ChosenRank> chosen = chosenRanks(values, odd, 12);
  EXPECT_EQ(chosen.size(), 12U);
  EXPECT_EQ(std::ranges::count(chosen, RankRole::Outlier, &ChosenRank::role), 7);
  std::set<std::size_t> indices;
  for (const ChosenRank& rank : chosen) indices.insert(rank.index);
  EXPECT_EQ(indices.size(), chosen.size()) << "nobody stands twice";
}

} // namespace rankscope
