// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of Compare against those of two other tools that compare recordings: where they differ, a rule
// of theirs must lead from ours to theirs.
#include "tests/peers/compare_diffs.h"
#include "tests/support/shared_data.h"

#include <gtest/gtest.h>

namespace rankscope::peers {

namespace {

class Diffs : public testing::TestWithParam<DiffPair> {};

} // namespace

TEST_P(Diffs, everyFigureIsOursOrExplained) {
  RANKSCOPE_SKIP_UNLESS(!test::recordingsBelow(test::sharedFolder()).empty(), test::kNoRecordings);
  const SetComparison result = compareDiffs(test::sharedFolder(), GetParam());
  EXPECT_EQ(result.faults, std::vector<std::string>());
  EXPECT_FALSE(result.figures.empty());
  std::size_t equal = 0;
  for (const Comparison& c : result.figures) {
    equal += c.rule.empty() ? 1 : 0;
    EXPECT_TRUE(c.explained) << c.figure << ": ours " << c.ours << ", theirs " << c.theirs << ": " << c.rule;
  }
  EXPECT_GT(equal, 0U);
  RecordProperty("figures", std::to_string(result.figures.size()));
  RecordProperty("equal", std::to_string(equal));
}

INSTANTIATE_TEST_SUITE_P(All, Diffs, testing::ValuesIn(diffPairs()),
                         [](const auto& pair) { return test::testNameOf(pair.param.name); });

} // namespace rankscope::peers
