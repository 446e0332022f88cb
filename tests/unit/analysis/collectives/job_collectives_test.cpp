// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives of recordings as they are: what a capture is known to have called, and what holds on any.
#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "core/model/retimed.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace rankscope {

namespace {

std::shared_ptr<const TraceSet> load(const std::filesystem::path& folder) {
  Progress progress;
  auto loaded = loadTraces({folder.string()}, {}, progress);
  return loaded.ok() ? *loaded : nullptr;
}

// Four ranks in pairs, as gloo wrote them until PyTorch 2.6: the file lists the groups, calls name none. The
// second pair calls `apart` nanoseconds after the first one, or before it in turn: no clock explains that.
std::shared_ptr<const TraceSet> ranksInPairs(TimeNs apart) {
  const test::TemporaryFolder folder;
  for (int rank = 0; rank < 4; ++rank) {
    const int pair = rank / 2;
    test::TraceText text;
    text.metadata("distributedInfo",
                  fmt::format(R"({{"backend": "gloo", "rank": {}, "world_size": 4, "pg_config": [)"
                              R"({{"pg_name": "0", "pg_size": 4, "ranks": [0, 1, 2, 3]}},)"
                              R"({{"pg_name": "1", "pg_size": 2, "ranks": [{}, {}]}}]}})",
                              rank, 2 * pair, 2 * pair + 1))
        .baseTime(1'700'000'000'000'000'000);
    for (int call = 0; call < 8; ++call)
      text.addSlice("user_annotation", 100, 1,
                    TimeNs{10'000'000} * call + pair * apart * (call % 2 == 0 ? 1 : -1),
                    1'000'000 + 1000 * rank, "gloo:all_reduce");
    std::ofstream(folder / fmt::format("rank{}.json", rank)) << text.text();
  }
  return load(folder.path());
}

class CollectivesOfSet : public testing::TestWithParam<std::string> {};

} // namespace

TEST(JobCollectives, ofUnknownGroupsAreNotMatchedOverAllRanks) {
  const Analysis analysis(ranksInPairs(2'000'000));
  const CollectiveMatch& match = analysis.collectives().match;
  ASSERT_EQ(match.groups.size(), 1U);
  EXPECT_EQ(match.groups[0].label(), "group not recorded");
  EXPECT_EQ(match.groups[0].size, -1) << "the size is unknown, and so is the bandwidth";
  EXPECT_EQ(match.counts.unmatched, 32U) << "one pair ends before the other one begins";
  // Calls that all ranks made together are those of all.
  const Analysis together(ranksInPairs(0));
  EXPECT_EQ(together.collectives().match.counts.unmatched, 0U);
  for (const CollectiveInstance& instance : together.collectives().match.instances)
    EXPECT_EQ(instance.count, 4U);
}

// Per step of the capture: what its script calls, on 4 ranks over gloo.
TEST(JobCollectives, ofACaptureAreAllMatched) {
  const auto folder = test::captureFolder("torch-2.14.1/collectives4");
  const Analysis analysis(load(folder));
  const CollectiveMatch& match = analysis.collectives().match;
  EXPECT_EQ(match.counts.partial, 0U);
  EXPECT_EQ(match.counts.unmatched, 0U);
  std::map<CollectiveOperation, int> instances;
  for (const CollectiveInstance& instance : match.instances) {
    ++instances[instance.operation];
    const bool transfer = isPointToPoint(instance.operation);
    EXPECT_EQ(instance.count, transfer ? 2U : 4U) << operationText(instance.operation);
    if (instance.operation == CollectiveOperation::AllReduce) {
      EXPECT_EQ(instance.bytes, 4096 * 4);
    }
    if (instance.operation == CollectiveOperation::AllGather) {
      EXPECT_EQ(instance.bytes, 4 * 4096 * 4);
    }
  }
  EXPECT_EQ(instances[CollectiveOperation::Broadcast], 3);
  EXPECT_EQ(instances[CollectiveOperation::Reduce], 3);
  EXPECT_EQ(instances[CollectiveOperation::Gather], 3);
  EXPECT_EQ(instances[CollectiveOperation::Scatter], 3);
  EXPECT_EQ(instances[CollectiveOperation::AllToAll], 3);
  EXPECT_EQ(instances[CollectiveOperation::Barrier], 6);
  // Around the ring each step: every rank sends once and receives once.
  EXPECT_EQ(instances[CollectiveOperation::Send] + instances[CollectiveOperation::Recv], 12);
}

TEST(JobCollectives, ofDisjointGroupsOfOneNameStayApart) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 8;
  options.parallelism = test::Parallelism::Tensor;
  options.tensorRanks = 2;
  generateJob(options, folder.path());
  const Analysis analysis(load(folder.path()));
  const CollectiveMatch& match = analysis.collectives().match;
  std::set<std::vector<std::int32_t>> tensor, data;
  for (const JobGroup& group : match.groups) {
    if (group.dimension == ParallelDimension::Tensor) tensor.insert(group.members);
    if (group.dimension == ParallelDimension::Data) data.insert(group.members);
  }
  EXPECT_EQ(tensor, (std::set<std::vector<std::int32_t>>{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(data, (std::set<std::vector<std::int32_t>>{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(ProcessGroups, listsThatAreCutAreNone) {
  EXPECT_EQ(ranksOfList("[0, 8, 16]"), (std::vector<std::int32_t>{0, 8, 16}));
  EXPECT_EQ(ranksOfList("[3, 1]"), (std::vector<std::int32_t>{1, 3}));
  EXPECT_FALSE(ranksOfList("[0, 1, 2, ...]").has_value());
  EXPECT_FALSE(ranksOfList("[]").has_value());
  EXPECT_FALSE(ranksOfList("").has_value());
}

TEST(OnJobClock, movesCorrectedRanksAndSharesTheOthers) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 4;
  options.ranksPerNode = 2;
  options.clockOffsetNs = {0, 5'000'000'000};
  options.clockDriftPpb = {0, 20'000};
  generateJob(options, folder.path());
  const Analysis analysis(load(folder.path()));
  const auto& recorded = analysis.sharedTrace();
  const auto drawn = onJobClock(recorded, analysis.clocks());
  EXPECT_EQ(drawn->rank(RankIndex(0)).trace, recorded->rank(RankIndex(0)).trace);
  EXPECT_LT(drawn->extent().length(), 1'000'000'000);
  const RankTrace& moved = *drawn->rank(RankIndex(3)).trace;
  const ClockCorrection& clock = analysis.clocks().of(RankIndex(3));
  for (const Row& row : moved.rows) {
    for (EventIndex e = row.firstEvent; e < row.endEvent; ++e.value) {
      const RankRange own = RankRange::of(recorded->rank(RankIndex(3)).trace->events.range(e));
      EXPECT_EQ(moved.events.range(e), clock.toJob(own).ns());
      if (e > row.firstEvent) {
        EXPECT_LE(moved.events.range(EventIndex(e.value - 1)).end, moved.events.begin[e]);
      }
    }
  }
  EXPECT_EQ(onJobClock(drawn, recordedClocks(*drawn)), drawn) << "nothing to move, nothing copied";
}

TEST_P(CollectivesOfSet, waitAndTransferAreTheDuration) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  const auto trace = load(test::sharedFolder() / "traces" / GetParam());
  ASSERT_NE(trace, nullptr);
  const Analysis analysis(trace);
  const CollectiveMatch& match = analysis.collectives().match;
  std::size_t calls = 0;
  for (const CollectiveInstance& instance : match.instances) {
    std::set<RankIndex> ranks;
    for (const Participant& p : match.of(instance)) {
      ++calls;
      EXPECT_TRUE(ranks.insert(p.rank).second) << "a rank takes part once";
      EXPECT_GE(p.wait, 0);
      EXPECT_GE(p.transfer, 0);
      if (instance.matched()) {
        EXPECT_EQ(p.wait + p.transfer, p.range.length());
      }
    }
  }
  std::size_t recorded = 0;
  for (std::size_t r = 0; r < trace->ranks().size(); ++r)
    recorded += analysis.collectiveCalls(RankIndex(r)).size();
  EXPECT_EQ(calls, recorded) << "no call is lost";
}

INSTANTIATE_TEST_SUITE_P(All, CollectivesOfSet, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

} // namespace rankscope
