// SPDX-License-Identifier: GPL-3.0-or-later
// Owners of groups together find what one process finds that has all calls. Covers
// core/analysis/collectives/call_match.
#include "core/analysis/collectives/group_owners.h"

#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "core/model/side_files.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

namespace {

std::shared_ptr<const TraceSet> load(const std::filesystem::path& folder) {
  Progress progress;
  auto loaded = loadTraces({folder.string()}, {}, progress);
  return loaded.ok() ? *loaded : nullptr;
}

std::shared_ptr<const TraceSet> generated(test::JobOptions options) {
  const test::TemporaryFolder folder;
  options.steps = 3;
  options.layers = 2;
  generateJob(options, folder.path());
  return load(folder.path());
}

struct Owners {
  std::vector<OwnedCalls> processes;
  std::size_t busy = 0; // with calls
};

// The ranks are dealt to the processes in turn.
Owners ownersOf(const TraceSet& trace, CallsByRank calls, const ProcessGroups& groups,
                std::size_t processes) {
  std::vector<std::vector<std::string>> parts(processes); // by receiver
  for (std::size_t sender = 0; sender < processes; ++sender) {
    std::vector<GroupedCalls> ranks;
    for (std::size_t r = sender; r < calls.size(); r += processes)
      ranks.push_back({RankIndex(r), calls[r], groups.groupOfCall[r]});
    std::vector<std::string> sent = packedForOwners(ranks, groups.groups, trace.names(), processes);
    for (std::size_t owner = 0; owner < processes; ++owner) parts[owner].push_back(std::move(sent[owner]));
  }
  const std::string job = packedJob({callingRanks(trace), groups.groups});
  Owners owners;
  for (const std::vector<std::string>& of : parts) {
    auto own = OwnedCalls::of(unpackedJob(job).value(), of);
    owners.processes.push_back(std::move(own).value());
    for (const std::string& part : of)
      if (!part.empty()) {
        ++owners.busy;
        break;
      }
  }
  return owners;
}

std::vector<const std::vector<CollectiveCall>*> callsOf(const Analysis& analysis) {
  std::vector<const std::vector<CollectiveCall>*> calls;
  for (std::size_t r = 0; r < analysis.trace().ranks().size(); ++r)
    calls.push_back(&analysis.collectiveCalls(RankIndex(r)));
  return calls;
}

// An analysis that was told by so many processes; busy: how many of them owned calls.
std::unique_ptr<const Analysis> toldBy(const Analysis& alone, std::size_t processes, std::size_t& busy) {
  const TraceSet& trace = alone.trace();
  const auto calls = callsOf(alone);
  const ProcessGroups groups = processGroupsOf(trace, calls);
  const Owners owners = ownersOf(trace, calls, groups, processes);
  busy = owners.busy;
  const auto match = [&](const ClockAlignment& clocks, ComparableClocks comparable) {
    std::vector<CallMatch> all;
    for (const OwnedCalls& own : owners.processes) {
      const auto asked = unpackedTold(packedTold({clocks, {}})).value();
      std::vector<CallMatch> part = own.matches(asked.clocks, comparable);
      all.insert(all.end(), std::move_iterator(part.begin()), std::move_iterator(part.end()));
    }
    return all;
  };
  const ToldCollectives told = toldCollectives(trace, calls, groups, match);
  auto side = std::make_shared<SideFiles>(trace.side());
  side->toldCollectives = std::make_shared<const ToldCollectives>(unpackedTold(packedTold(told)).value());
  return std::make_unique<const Analysis>(std::make_shared<const TraceSet>(trace.jobName(), trace.names(),
                                                                           trace.ranks(), trace.files(),
                                                                           TraceOrigin(), std::move(side)),
                                          &alone);
}

void expectSame(const Analysis& a, const Analysis& b) {
  const CollectiveMatch& one = a.collectives().match;
  const CollectiveMatch& other = b.collectives().match;
  EXPECT_EQ(one.counts.complete, other.counts.complete);
  EXPECT_EQ(one.counts.partial, other.counts.partial);
  EXPECT_EQ(one.counts.unmatched, other.counts.unmatched);
  EXPECT_EQ(one.counts.bySequence, other.counts.bySequence);
  EXPECT_EQ(one.counts.byOrder, other.counts.byOrder);
  EXPECT_EQ(one.counts.byTime, other.counts.byTime);
  ASSERT_EQ(one.instances.size(), other.instances.size());
  for (std::size_t i = 0; i < one.instances.size(); ++i) {
    const CollectiveInstance& x = one.instances[i];
    const CollectiveInstance& y = other.instances[i];
    ASSERT_EQ(x.group, y.group);
    ASSERT_EQ(x.matchedBy, y.matchedBy);
    ASSERT_EQ(x.bytes, y.bytes);
    ASSERT_EQ(x.lastRank, y.lastRank);
    ASSERT_EQ(x.transfer, y.transfer);
    ASSERT_EQ(x.firstBegin, y.firstBegin);
    ASSERT_EQ(x.lastBegin, y.lastBegin);
    ASSERT_EQ(x.count, y.count);
    for (std::size_t p = x.first; p < x.first + x.count; ++p) {
      const Participant& with = one.participants[p];
      const Participant& same = other.participants[p];
      ASSERT_EQ(with.rank, same.rank);
      ASSERT_EQ(with.call, same.call);
      ASSERT_EQ(with.certain, same.certain);
      ASSERT_EQ(with.wait, same.wait);
    }
  }
  const ClockAlignment& clocks = a.clocks();
  const ClockAlignment& told = b.clocks();
  EXPECT_EQ(clocks.domains, told.domains);
  EXPECT_EQ(clocks.samples, told.samples);
  EXPECT_EQ(clocks.unconnectedDomains, told.unconnectedDomains);
  ASSERT_EQ(clocks.ranks.size(), told.ranks.size());
  for (std::size_t r = 0; r < clocks.ranks.size(); ++r) {
    EXPECT_EQ(clocks.ranks[r].correction, told.ranks[r].correction);
    EXPECT_EQ(clocks.ranks[r].domain, told.ranks[r].domain);
    EXPECT_EQ(clocks.ranks[r].residual, told.ranks[r].residual);
    EXPECT_EQ(clocks.ranks[r].bounds, told.ranks[r].bounds);
    EXPECT_EQ(clocks.ranks[r].feasible, told.ranks[r].feasible);
  }
}

// The largest number of processes that owned calls.
std::size_t expectSameByOwners(const std::shared_ptr<const TraceSet>& trace) {
  const Analysis alone(trace);
  std::size_t most = 0;
  for (const std::size_t processes : {1U, 2U, 3U, 8U}) {
    SCOPED_TRACE(processes);
    std::size_t busy = 0;
    expectSame(alone, *toldBy(alone, processes, busy));
    most = std::max(most, busy);
  }
  return most;
}

class GroupOwnersOfSet : public testing::TestWithParam<std::string> {};

} // namespace

TEST(GroupOwners, findWhatOneProcessFindsOnClocksThatDiffer) {
  test::JobOptions options;
  options.ranks = 9;
  options.ranksPerNode = 4;
  options.clockOffsetNs = {0, 3'000'000, -1'000'000};
  options.missingRanks = {3};
  EXPECT_GE(expectSameByOwners(generated(options)), 1U);
}

TEST(GroupOwners, shareTheGroupsOfTensorParallelism) {
  test::JobOptions options;
  options.ranks = 16;
  options.ranksPerNode = 4;
  options.parallelism = test::Parallelism::Tensor;
  options.tensorRanks = 2;
  options.clockOffsetNs = {0, 2'000'000, -1'500'000, 700'000};
  EXPECT_GE(expectSameByOwners(generated(options)), 5U);
}

TEST(GroupOwners, refuseBytesThatAreSomethingElse) {
  test::JobOptions options;
  options.ranks = 2;
  const auto trace = generated(options);
  const Analysis analysis(trace);
  const auto calls = callsOf(analysis);
  const ProcessGroups groups = processGroupsOf(*trace, calls);
  const std::vector<GroupedCalls> ranks{{RankIndex(0), calls[0], groups.groupOfCall[0]}};
  const std::string sent = packedForOwners(ranks, groups.groups, trace->names(), 1).front();
  const GroupedJob job{callingRanks(*trace), groups.groups};
  EXPECT_TRUE(OwnedCalls::of(job, std::vector{sent}).has_value());
  EXPECT_FALSE(OwnedCalls::of(job, std::vector{sent.substr(0, sent.size() / 2)}).has_value());
  EXPECT_FALSE(OwnedCalls::of({job.ranks, {}}, std::vector{sent}).has_value());
  EXPECT_FALSE(OwnedCalls::of({{}, job.groups}, std::vector{sent}).has_value());
  EXPECT_FALSE(unpackedJob(packedJob(job) + "x").has_value());
  const std::string told =
      packedTold({analysis.clocks(), {{{{0, 0}, {1, 0}}, MatchedBy::Order}, {{{1, 1}}, MatchedBy::Nothing}}});
  ASSERT_TRUE(unpackedTold(told).has_value());
  EXPECT_EQ(unpackedTold(told)->matches.at(1).calls.at(0).call, 1U);
  EXPECT_FALSE(unpackedTold(told.substr(0, told.size() - 1)).has_value());
}

TEST_P(GroupOwnersOfSet, findWhatOneProcessFinds) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  const auto trace = load(test::sharedFolder() / "traces" / GetParam());
  if (trace != nullptr) expectSameByOwners(trace);
}

INSTANTIATE_TEST_SUITE_P(AllSets, GroupOwnersOfSet, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

} // namespace rankscope
