// SPDX-License-Identifier: GPL-3.0-or-later
// Our figures against those of two other tools: where they differ, a rule of theirs must lead from ours to
// theirs.
#include "tests/peers/compare_peers.h"
#include "tests/peers/rule_set.h"
#include "tests/support/shared_data.h"

#include <gtest/gtest.h>

namespace rankscope::peers {

namespace {

enum class TestRule { Doubled, Shifted, Count };

std::string_view textOf(TestRule rule) {
  return rule == TestRule::Doubled ? "doubled" : "shifted";
}

// A table whose tool doubles and then shifts what we count, of which it says `theirs`.
Comparison compareWith(double theirs) {
  const FigureKey key{"row", "column"};
  PeerTable<TestRule> table{"table", {{key, theirs}}, Figures{{key, 10.0}}, {}, {}, {}, {}};
  table.rules = {TestRule::Doubled, TestRule::Shifted};
  table.recompute = [&](RuleSet<TestRule> rules) {
    return Figures{
        {key, 10.0 * (rules.has(TestRule::Doubled) ? 2 : 1) + (rules.has(TestRule::Shifted) ? 1 : 0)}};
  };
  table.tolerance = [](std::string_view) { return Tolerance{}; };
  std::vector<Comparison> comparisons;
  explainDifferences("set", table, textOf, comparisons);
  return comparisons.at(0);
}

class Peers : public testing::TestWithParam<std::string> {};

} // namespace

TEST(PeerRules, nameTheFewestThatLeadToTheFigure) {
  EXPECT_EQ(compareWith(10).rule, "");
  EXPECT_EQ(compareWith(21).rule, "doubled + shifted");
  // What all rules together do not reach is not explained by fewer: the tool applies all of them.
  EXPECT_FALSE(compareWith(20).explained);
  EXPECT_FALSE(compareWith(12).explained);
}

TEST_P(Peers, everyFigureIsOursOrExplained) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(),
                        "no figures of other tools at " + (test::sharedFolder() / "oracles").string());
  const SetComparison result = comparePeers(test::sharedFolder(), GetParam());
  EXPECT_EQ(result.faults, std::vector<std::string>());
  EXPECT_FALSE(result.figures.empty());
  for (const Comparison& c : result.figures) {
    EXPECT_TRUE(c.explained) << c.figure << ": ours " << c.ours << ", theirs " << c.theirs << ": " << c.rule;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Peers, testing::ValuesIn([] {
                           auto sets = comparableSets(test::sharedFolder());
                           if (sets.empty()) sets.emplace_back();
                           return sets;
                         }()),
                         [](const auto& set) { return test::testNameOf(set.param); });

} // namespace rankscope::peers
