// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of each collective of a rank (core/analysis/collectives/collective_calls), and what they cost
// it (core/analysis/collectives/collective_statistics).
#include "core/analysis/collectives/collective_calls.h"
#include "core/analysis/collectives/collective_statistics.h"
#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace rankscope {

namespace {

std::shared_ptr<const TraceSet> loaded(const std::vector<std::string>& ranks) {
  const test::TemporaryFolder folder;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    test::writeTraceFile(folder / ("rank" + std::to_string(i) + ".json"), ranks[i]);
  Progress progress;
  auto result = loadTraces({folder.path().string()}, {}, progress);
  if (!result.ok()) throw std::runtime_error(result.error().text());
  return *result;
}

std::vector<CollectiveCall> callsOf(const TraceSet& trace, std::size_t rank = 0) {
  const RankTrace& recording = *trace.rank(RankIndex(rank)).trace;
  const auto steps = stepsOf(recording, trace.names());
  return collectiveCalls(recording, trace.names(), steps);
}

// Computes from 100 to 200 us; an AllReduce of 1 MiB that ends at 400 and one of 4 KiB alone in its time.
std::string rankText(int rank, TimeNs begin) {
  test::TraceText trace;
  trace.distributedInfo(rank, 2).addStep(5, 0, 1000 * kUs);
  trace.addKernel(0, 7, 100 * kUs, 100 * kUs, "gemm");
  trace.addCollective(0, 20, begin, 400 * kUs - begin, "allreduce", 1 << 18, 2);
  trace.addCollective(0, 20, 500 * kUs, 50 * kUs, "allgather", 1 << 10, 2);
  return trace.text();
}

} // namespace

TEST(CollectiveCalls, takeWhatTheirKernelsSay) {
  const auto trace = loaded({rankText(0, 150 * kUs)});
  const std::vector<CollectiveCall> calls = callsOf(*trace);
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].operation, CollectiveOperation::AllReduce);
  EXPECT_EQ(calls[0].range.length(), 250 * kUs);
  EXPECT_EQ(calls[0].inElements, 1 << 18);
  EXPECT_EQ(calls[0].parties->groupSize, 2);
  EXPECT_TRUE(calls[0].parties->hasGroup);
  EXPECT_EQ(trace->names()[calls[0].parties->groupName], "0");
  EXPECT_EQ(calls[0].step, 5);
  EXPECT_EQ(calls[1].operation, CollectiveOperation::AllGather);
  EXPECT_LT(calls[0].range.begin, calls[1].range.begin);
}

TEST(CollectiveCalls, ofAKernelThatSaysNothingGoByItsName) {
  test::TraceText text;
  text.addKernel(0, 20, 10 * kUs, 5 * kUs, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*)");
  const auto trace = loaded({text.text()});
  const std::vector<CollectiveCall> calls = callsOf(*trace);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].operation, CollectiveOperation::ReduceScatter);
  EXPECT_FALSE(calls[0].parties->hasGroup);
  EXPECT_EQ(calls[0].step, CollectiveCall::kNoStep);
}

TEST(CollectiveCalls, ofAHostAreTheSpansOfItsBackEnd) {
  test::TraceText text;
  text.addCpuOp(1, 10 * kUs, 5 * kUs, "gloo:all_reduce");
  text.addCpuOp(1, 20 * kUs, 5 * kUs, "nccl:all_reduce"); // ends when a kernel is queued
  text.addCpuOp(1, 30 * kUs, 5 * kUs, "c10d::allreduce_");
  const auto trace = loaded({text.text()});
  const std::vector<CollectiveCall> calls = callsOf(*trace);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].operation, CollectiveOperation::AllReduce);
  EXPECT_EQ(calls[0].range.length(), 5 * kUs);
}

TEST(CollectiveCalls, countToTheStepThatLaunchedThem) {
  test::TraceText text;
  text.addStep(3, 0, 100 * kUs).addStep(4, 100 * kUs, 100 * kUs);
  text.addRuntime(1, 90 * kUs, 2 * kUs, "cudaLaunchKernel", 11);
  text.addCollective(0, 20, 150 * kUs, 10 * kUs, "allreduce", 16, 2, 11);
  text.addRuntime(1, 250 * kUs, 2 * kUs, "cudaLaunchKernel", 12);
  text.addCollective(0, 20, 260 * kUs, 10 * kUs, "allreduce", 16, 2, 12);
  const std::vector<CollectiveCall> calls = callsOf(*loaded({text.text()}));
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].step, 3) << "although it runs in the next";
  EXPECT_EQ(calls[1].step, 5) << "after the last one marked";
}

TEST(CollectiveStatistics, sumWhatTheRankWaitedAndMoved) {
  const Analysis analysis(loaded({rankText(0, 150 * kUs), rankText(1, 300 * kUs)}));
  const CollectiveMatch& match = analysis.collectives().match;
  for (const RankIndex rank : analysis.ranks()) {
    const bool late = rank.value == 1;
    const auto& calls = analysis.collectiveCalls(rank);
    const auto all =
        collectiveStatistics(match, rank, calls, analysis.activity(rank).exposed, analysis.trace().names());
    ASSERT_EQ(all.size(), 2U);
    const CollectiveStatistics& reduce = all[0];
    EXPECT_EQ(reduce.operation, CollectiveOperation::AllReduce) << "the longer one first";
    EXPECT_EQ(reduce.calls, 1);
    EXPECT_EQ(reduce.matched, 1);
    EXPECT_EQ(reduce.total, late ? 100 * kUs : 250 * kUs);
    EXPECT_EQ(reduce.wait + reduce.transfer, reduce.total);
    EXPECT_EQ(reduce.wait, late ? 0 : 150 * kUs);
    EXPECT_EQ(reduce.exposed, late ? 100 * kUs : 200 * kUs) << "50 us lie under the computation";
    EXPECT_EQ(reduce.bytes, 1 << 19) << "two bytes an element";
    ASSERT_TRUE(reduce.algbwGbS && reduce.busbwGbS);
    EXPECT_NEAR(*reduce.algbwGbS, (1 << 19) / 100e3, 1e-9);
    EXPECT_NEAR(*reduce.busbwGbS, *reduce.algbwGbS, 1e-9) << "2 (n - 1) / n of two ranks is 1";
    const RankArrivals arrivals = rankArrivals(match, rank, calls);
    EXPECT_EQ(arrivals.collectives, 2);
    EXPECT_EQ(arrivals.last, late ? 1 : 0);
    EXPECT_EQ(arrivals.lateness, late ? 150 * kUs : 0);
    EXPECT_EQ(arrivals.lastShare(), late ? 0.5 : 0.0);
    EXPECT_EQ(arrivals.latenessMean(), late ? 75 * kUs : 0);
  }
}

TEST(CollectiveStatistics, ofAWindowAreOfTheCallsThatBeginInIt) {
  const Analysis analysis(loaded({rankText(0, 150 * kUs), rankText(1, 300 * kUs)}));
  const RankIndex rank(0);
  const auto& calls = analysis.collectiveCalls(rank);
  const RankRange window = calls[1].range;
  const auto within = collectiveStatistics(analysis.collectives().match, rank, calls,
                                           analysis.activity(rank).exposed, analysis.trace().names(), window);
  ASSERT_EQ(within.size(), 1U);
  EXPECT_EQ(within[0].operation, CollectiveOperation::AllGather);
  const RankArrivals none = rankArrivals(analysis.collectives().match, rank, calls, RankRange::of({0, 1}));
  EXPECT_EQ(none.collectives, 0);
  EXPECT_EQ(none.lastShare(), std::nullopt);
  EXPECT_EQ(none.latenessMean(), std::nullopt);
}

} // namespace rankscope
