// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/process_groups.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace rankscope {

namespace {

using Members = std::vector<std::int32_t>;

// A job whose names hold all texts that calls may carry.
class Groups {
 public:
  explicit Groups(std::size_t ranks, const std::vector<std::string>& texts, std::int64_t worldSize) {
    HandMadeJob job;
    job.setWorldSize(worldSize);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      HandMadeRank events;
      for (std::size_t i = 0; i < texts.size(); ++i) events.op(static_cast<TimeNs>(10 * i), 5, texts[i]);
      job.add(static_cast<int>(rank), std::move(events));
    }
    m_trace = job.build();
    m_calls.resize(ranks);
  }

  [[nodiscard]] NameId id(std::string_view text) const {
    for (std::size_t i = 0; i < m_trace->names().size(); ++i) {
      if (m_trace->names()[NameId(i)] == text) return NameId(i);
    }
    ADD_FAILURE() << text << " is no name";
    return {};
  }
  CollectiveCall& call(std::size_t rank, CollectiveOperation operation) {
    CollectiveCall& call = m_calls[rank].emplace_back();
    call.operation = operation;
    return call;
  }
  CollectiveCall& callOf(std::size_t rank, CollectiveOperation operation, std::string_view name,
                         std::string_view members = {}, CallParties parties = {}) {
    parties.hasGroup = true;
    parties.groupName = id(name);
    if (!members.empty()) parties.groupRanks = id(members);
    CollectiveCall& made = call(rank, operation);
    made.parties = std::make_shared<const CallParties>(parties);
    return made;
  }
  [[nodiscard]] ProcessGroups found() const {
    std::vector<const std::vector<CollectiveCall>*> calls;
    for (const auto& ofRank : m_calls) calls.push_back(&ofRank);
    return processGroupsOf(*m_trace, calls);
  }

 private:
  std::shared_ptr<const TraceSet> m_trace;
  std::vector<std::vector<CollectiveCall>> m_calls;
};

} // namespace

TEST(ProcessGroups, areTheirMembersNotTheirNames) {
  Groups job(4, {"1", "[0, 1]", "[2, 3]"}, 4);
  for (const std::size_t rank : {0U, 1U}) job.callOf(rank, CollectiveOperation::AllReduce, "1", "[0, 1]");
  for (const std::size_t rank : {2U, 3U}) job.callOf(rank, CollectiveOperation::AllReduce, "1", "[2, 3]");
  const ProcessGroups found = job.found();
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0].members, (Members{0, 1}));
  EXPECT_EQ(found.groups[1].members, (Members{2, 3}));
  EXPECT_EQ(found.groups[0].size, 2);
  EXPECT_EQ(found.groupOfCall[1][0], GroupIndex(0));
  EXPECT_EQ(found.groupOfCall[3][0], GroupIndex(1));
}

TEST(ProcessGroups, areRebuiltFromStartAndStrideWhereTheListIsCut) {
  Groups job(1, {"1", "[0, 8, 16, ...]"}, 64);
  CallParties parties;
  parties.groupSize = 4;
  parties.rankStart = 1;
  parties.rankStride = 8;
  job.callOf(0, CollectiveOperation::AllReduce, "1", "[0, 8, 16, ...]", parties);
  EXPECT_EQ(job.found().groups.at(0).members, (Members{1, 9, 17, 25}));
}

TEST(ProcessGroups, ofEverybodyNeedNoList) {
  Groups job(1, {"0"}, 3);
  CallParties all;
  all.groupSize = 3;
  job.callOf(0, CollectiveOperation::AllReduce, "0", {}, all);
  CallParties two;
  two.groupSize = 2;
  job.callOf(0, CollectiveOperation::Broadcast, "0", {}, two);
  const ProcessGroups found = job.found();
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0].members, (Members{0, 1, 2}));
  EXPECT_TRUE(found.groups[1].members.empty()) << "two of three, and nobody says which";
  EXPECT_EQ(found.groups[1].size, 2);
}

TEST(ProcessGroups, ofDamagedSizesHaveNoMembers) {
  Groups job(1, {"1"}, 8);
  CallParties parties;
  parties.groupSize = INT64_MAX;
  parties.rankStart = INT64_MAX;
  parties.rankStride = INT64_MAX;
  job.callOf(0, CollectiveOperation::AllReduce, "1", {}, parties);
  EXPECT_TRUE(job.found().groups.at(0).members.empty());
}

TEST(ProcessGroups, ofCallsWithoutAGroupAreByOperation) {
  Groups job(2, {}, 2);
  job.call(0, CollectiveOperation::AllReduce);
  job.call(0, CollectiveOperation::Send);
  job.call(1, CollectiveOperation::Recv);
  job.call(1, CollectiveOperation::AllReduce);
  const ProcessGroups found = job.found();
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0].operation, CollectiveOperation::AllReduce);
  EXPECT_EQ(found.groups[0].size, 2);
  EXPECT_EQ(found.groups[0].label(), "all ranks");
  EXPECT_EQ(found.groups[1].operation, CollectiveOperation::SendRecv) << "a send belongs with its receive";
  EXPECT_EQ(found.groupOfCall[1][0], found.groupOfCall[0][1]);
}

TEST(ProcessGroups, sayWhatTheyDivideTheJobAlong) {
  using enum CollectiveOperation;
  const std::vector<std::string> names{"mesh_tp", "pipeline", "dp_cp", "expert_parallel",
                                       "ctp",     "77",       "78",    "79"};
  Groups job(1, names, 4);
  for (const std::string& name : names) job.callOf(0, name == "77" ? AllToAll : Broadcast, name);
  for (const CollectiveOperation operation : {AllGather, ReduceScatter}) job.callOf(0, operation, "78");
  for (int i = 0; i < 3; ++i) job.callOf(0, Send, "79");
  const ProcessGroups found = job.found();
  const auto dimension = [&](std::string_view name) {
    for (const JobGroup& group : found.groups) {
      if (group.name == name) return dimensionText(group.dimension);
    }
    return std::string_view("missing");
  };
  EXPECT_EQ(dimension("mesh_tp"), "tp");
  EXPECT_EQ(dimension("pipeline"), "pp");
  EXPECT_EQ(dimension("dp_cp"), "dp") << "the first one there";
  EXPECT_EQ(dimension("expert_parallel"), "ep");
  EXPECT_EQ(dimension("ctp"), "") << "two letters count as a word only";
  EXPECT_EQ(dimension("77"), "") << "all-to-alls may be experts, embeddings or sequences";
  EXPECT_EQ(dimension("78"), "dp");
  EXPECT_EQ(dimension("79"), "pp");
}

// Sends in it may be of anything; Parallelism says more.
TEST(ProcessGroups, ofEverybodyIsNoPipelineByItsSends) {
  Groups job(1, {"default_pg", "[0, 1, 2, 3]"}, 4);
  CallParties parties;
  parties.groupDescription = job.id("default_pg");
  for (int i = 0; i < 3; ++i) job.callOf(0, CollectiveOperation::Send, "default_pg", "[0, 1, 2, 3]", parties);
  EXPECT_EQ(job.found().groups.at(0).dimension, ParallelDimension::Unknown);
}

TEST(ProcessGroups, areLabeledByWhatSaysSomething) {
  JobGroup group;
  group.name = "3";
  EXPECT_EQ(group.label(), "3");
  group.description = "undefined";
  EXPECT_EQ(group.label(), "3");
  group.description = "default_pg";
  EXPECT_EQ(group.label(), "default_pg");
}

TEST(RanksOfList, areReadOrRefusedWhole) {
  EXPECT_EQ(ranksOfList("[8, 0,16]"), (Members{0, 8, 16}));
  EXPECT_EQ(ranksOfList("[1, 1]"), (Members{1}));
  for (const char* text : {"", "[]", "0, 1", "[0, 1, ...]", "[0, -1]", "[a]", "[99999999999]", "[0"})
    EXPECT_EQ(ranksOfList(text), std::nullopt) << text;
}

} // namespace rankscope
