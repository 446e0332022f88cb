// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives of two sides are matched in sequence within paired groups, and nothing is lost. Covers
// core/analysis/compare/row_match and core/analysis/compare/side_collectives.
#include "core/analysis/compare/compared_collectives.h"

#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "core/report/compare_sides.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

struct Call {
  std::string operation;
  std::int64_t bytes = 0;
  double wait = 0;
};

// The rows of a group that makes these calls in every step.
void addGroup(std::vector<SideCollective>& rows, const std::string& name, const std::string& ranks,
              const std::vector<Call>& calls) {
  const std::size_t first = rows.size();
  for (std::size_t place = 0; place < calls.size(); ++place) {
    const Call& call = calls[place];
    auto row =
        std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), [&](const auto& one) {
          return one.operation == call.operation && one.bytes == call.bytes;
        });
    if (row == rows.end()) {
      SideCollective& added = rows.emplace_back();
      added.group = name;
      added.operation = call.operation;
      added.bytes = call.bytes;
      added.ranks = ranks;
      row = rows.end() - 1;
    }
    CollectiveInStep& one = row->inStep.emplace_back();
    one.calls = 1;
    one.wait = call.wait;
    one.place = static_cast<double>(place);
    row->add(one, 1);
  }
}

// The row of an operation of this size that was matched by this; null: none.
const ComparedCollective* rowOf(const std::vector<ComparedCollective>& rows, RowMatch match,
                                const std::string& operation, std::int64_t bytes) {
  const auto found = std::ranges::find_if(rows, [&](const ComparedCollective& row) {
    return row.match == match && row.any().operation == operation && row.any().bytes == bytes;
  });
  return found == rows.end() ? nullptr : &*found;
}

// Rows of each side add up to what the side has.
void expectAll(const std::vector<ComparedCollective>& rows, const std::vector<SideCollective>& a,
               const std::vector<SideCollective>& b) {
  const auto sum = [](const auto& of, auto&& valueOf) {
    double total = 0;
    for (const auto& one : of) total += valueOf(one);
    return total;
  };
  for (const auto value : {&SideCollective::calls, &SideCollective::wait, &SideCollective::exposed}) {
    const auto own = [&](const SideCollective& row) { return row.*value; };
    EXPECT_NEAR(sum(rows, [&](const ComparedCollective& row) { return row.ofA(value); }), sum(a, own), 1e-6);
    EXPECT_NEAR(sum(rows, [&](const ComparedCollective& row) { return row.ofB(value); }), sum(b, own), 1e-6);
  }
}

} // namespace

TEST(ComparedCollectives, callsOfAStepAreMatchedInSequence) {
  std::vector<SideCollective> a, b;
  addGroup(a, "dp", "8 by 1", {{"AllReduce", 100, 1}, {"AllGather", 50, 2}, {"AllReduce", 100, 3}});
  // One AllReduce more, between the others; and a size that A does not have.
  addGroup(b, "dp", "8 by 1",
           {{"AllReduce", 100, 10},
            {"AllGather", 50, 20},
            {"Broadcast", 7, 5},
            {"AllReduce", 100, 30},
            {"AllReduce", 100, 40}});
  const auto rows = comparedCollectives(a, b);
  expectAll(rows, a, b);
  const auto* const both = rowOf(rows, RowMatch::Exact, "AllReduce", 100);
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->a->calls, 2);
  EXPECT_EQ(both->b->calls, 2);
  EXPECT_EQ(both->a->wait, 4);
  const auto* const more = rowOf(rows, RowMatch::OnlyB, "AllReduce", 100);
  ASSERT_NE(more, nullptr);
  EXPECT_EQ(more->b->calls, 1);
  EXPECT_EQ(both->b->wait + more->b->wait, 80);
  EXPECT_NE(rowOf(rows, RowMatch::OnlyB, "Broadcast", 7), nullptr);
  EXPECT_NE(rowOf(rows, RowMatch::Exact, "AllGather", 50), nullptr);
}

TEST(ComparedCollectives, otherOrderIsNoPair) {
  std::vector<SideCollective> a, b;
  addGroup(a, "dp", "8 by 1", {{"AllGather", 1, 0}, {"ReduceScatter", 2, 0}});
  addGroup(b, "dp", "8 by 1", {{"ReduceScatter", 2, 0}, {"AllGather", 1, 0}});
  const auto rows = comparedCollectives(a, b);
  expectAll(rows, a, b);
  EXPECT_EQ(std::ranges::count(rows, RowMatch::Exact, &ComparedCollective::match), 1);
  EXPECT_EQ(std::ranges::count(rows, RowMatch::OnlyA, &ComparedCollective::match), 1);
  EXPECT_EQ(std::ranges::count(rows, RowMatch::OnlyB, &ComparedCollective::match), 1);
}

TEST(ComparedCollectives, groupsMeetByNameThenRanksThenOrder) {
  std::vector<SideCollective> a, b;
  // Equal operations and sizes, so that only the groups tell them apart.
  addGroup(a, "12", "4 by 1", {{"AllReduce", 8, 1}});
  addGroup(a, "9", "2 by 4", {{"AllReduce", 8, 2}});
  addGroup(a, "same", "8", {{"AllReduce", 8, 3}});
  addGroup(b, "31", "2 by 4", {{"AllReduce", 8, 20}});
  addGroup(b, "32", "4 by 1", {{"AllReduce", 8, 10}});
  addGroup(b, "same", "16", {{"AllReduce", 8, 30}});
  auto rows = comparedCollectives(a, b);
  expectAll(rows, a, b);
  ASSERT_EQ(rows.size(), 3U);
  for (const ComparedCollective& row : rows) {
    ASSERT_TRUE(row.a && row.b);
    EXPECT_EQ(row.b->wait, 10 * row.a->wait) << row.a->group << " with " << row.b->group;
    EXPECT_EQ(row.match, row.a->group == "same" ? RowMatch::Exact : RowMatch::GroupRanks);
  }
  // Numbers in their order where nothing is known of the ranks.
  for (auto* side : {&a, &b}) {
    for (SideCollective& row : *side) row.ranks.clear();
  }
  rows = comparedCollectives(a, b);
  for (const ComparedCollective& row : rows) {
    if (row.a->group != "same") {
      EXPECT_EQ(rowMatchText(row.match), "order");
      EXPECT_EQ(row.a->group == "9", row.b->group == "31");
    }
  }
}

TEST(ComparedCollectives, withoutOrderRowsAreMatchedWhole) {
  std::vector<SideCollective> a, b;
  addGroup(a, "dp", "8 by 1", {{"AllReduce", 100, 1}, {"AllReduce", 200, 2}});
  addGroup(b, "dp", "8 by 1", {{"AllReduce", 100, 1}, {"AllReduce", 100, 1}, {"AllReduce", 300, 2}});
  for (SideCollective& row : a) row.inStep.clear(); // as from a baseline
  const auto rows = comparedCollectives(a, b);
  expectAll(rows, a, b);
  const auto* const both = rowOf(rows, RowMatch::Exact, "AllReduce", 100);
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->b->calls, 2);
  EXPECT_NE(rowOf(rows, RowMatch::OnlyA, "AllReduce", 200), nullptr);
  EXPECT_NE(rowOf(rows, RowMatch::OnlyB, "AllReduce", 300), nullptr);
}

// Calls of each step in their order add up to the row.
TEST(ComparedCollectives, aSideKnowsTheOrderOfItsCalls) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 4;
  options.layers = 3;
  test::generateJob(options, folder.path() / "job");
  Progress progress;
  const auto loaded = loadTraces({(folder.path() / "job").string()}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const SideFacts side = sideOf(Analysis(*loaded), {});
  ASSERT_FALSE(side.collectives.empty());
  std::vector<double> places;
  for (const SideCollective& row : side.collectives) {
    ASSERT_FALSE(row.inStep.empty()) << row.operation;
    CollectiveTimes sum;
    for (const CollectiveInStep& one : row.inStep) {
      sum.add(one, 1);
      places.push_back(one.place / one.calls);
    }
    EXPECT_NEAR(sum.calls, row.calls, 1e-9);
    EXPECT_NEAR(sum.wait, row.wait, 1e-3);
    EXPECT_NEAR(sum.transfer, row.transfer, 1e-3);
    EXPECT_NEAR(sum.exposed, row.exposed, 1e-3);
    EXPECT_FALSE(row.ranks.empty());
  }
  // Each place of a step once, in each group.
  std::ranges::sort(places);
  EXPECT_NEAR(places.front(), 0, 1e-9);
  const auto rows = comparedCollectives(side.collectives, side.collectives);
  EXPECT_TRUE(std::ranges::all_of(rows, [](const ComparedCollective& row) {
    return row.match == RowMatch::Exact && row.a->calls == row.b->calls && row.a->wait == row.b->wait;
  }));
}

} // namespace rankscope
