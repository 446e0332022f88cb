// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/gain.h"

#include <gtest/gtest.h>
#include <optional>

namespace rankscope {

TEST(Gain, severityFollowsTheLowerShare) {
  EXPECT_EQ(severityOfGain(0.149, Confidence::Proven), Severity::Warning);
  EXPECT_EQ(severityOfGain(0.15, Confidence::Proven), Severity::Critical);
  EXPECT_EQ(severityOfGain(0.15, Confidence::Likely), Severity::Critical);
  EXPECT_EQ(severityOfGain(0.05, Confidence::Proven), Severity::Warning);
  EXPECT_EQ(severityOfGain(0.049, Confidence::Proven), Severity::Info);
  EXPECT_EQ(severityOfGain(0, Confidence::Proven), Severity::Info)
      << "a rule decided that it is worth telling";
  EXPECT_EQ(severityOfGain(0.9, Confidence::Hint), Severity::Info);
}

TEST(Gain, sharesOfFiguresHaveThresholdsOfTheirOwn) {
  constexpr Shares shares{0.1, 0.2, 0.4};
  EXPECT_EQ(severityOf(0.099, shares), std::nullopt);
  EXPECT_EQ(severityOf(0.1, shares), Severity::Info);
  EXPECT_EQ(severityOf(0.2, shares), Severity::Warning);
  EXPECT_EQ(severityOf(0.4, shares), Severity::Critical);
}

TEST(Gain, isOneRangeWithItsUnit) {
  EXPECT_EQ(gainText({3'000'000, 3'300'000}), "3.00 to 3.30 ms");
  EXPECT_EQ(gainText({3'000'000, 3'000'000}), "3.00 ms");
  EXPECT_EQ(gainText({0, 6'100'000}), "0 to 6.10 ms");
  EXPECT_EQ(gainText({719'000, 5'390'000}), "719 µs to 5.39 ms");
  EXPECT_EQ(gainShareText({27, 30}, 100), "27.0 to 30.0 %");
  EXPECT_EQ(gainShareText({0, 30}, 100), "0 to 30.0 %");
  EXPECT_EQ(gainShareText({1, 2}, 0), "");
}

TEST(Gain, wordsAreThoseOfTables) {
  for (const Severity severity : {Severity::Info, Severity::Warning, Severity::Critical})
    EXPECT_EQ(severityOf(severityText(severity)), severity);
  EXPECT_EQ(severityOf("fatal"), std::nullopt);
  EXPECT_EQ(confidenceText(Confidence::Proven), "proven");
  EXPECT_EQ(confidenceText(Confidence::Hint), "hint");
}

} // namespace rankscope
