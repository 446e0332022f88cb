// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/time_range.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

namespace rankscope {
namespace {

TEST(NanosecondsFromMicroseconds, keepsEveryDigitOfAnEpochTime) {
  // A double cannot hold this one: its neighbors are 256 ns apart.
  EXPECT_EQ(nanosecondsFromMicroseconds("1694128201435418.123"), 1694128201435418123);
  EXPECT_EQ(nanosecondsFromMicroseconds("1694128201435418"), 1694128201435418000);
  EXPECT_EQ(nanosecondsFromMicroseconds("0.001"), 1);
  EXPECT_EQ(nanosecondsFromMicroseconds("-0.5"), -500);
  EXPECT_EQ(nanosecondsFromMicroseconds("12.5"), 12500);
}

TEST(NanosecondsFromMicroseconds, cutsBeyondNanosecondsTowardsZero) {
  EXPECT_EQ(nanosecondsFromMicroseconds("1.027999997138977"), 1027);
  EXPECT_EQ(nanosecondsFromMicroseconds("-1.0279"), -1027);
}

TEST(NanosecondsFromMicroseconds, readsExponents) {
  EXPECT_EQ(nanosecondsFromMicroseconds("1.5e3"), 1500000);
  EXPECT_EQ(nanosecondsFromMicroseconds("25E-2"), 250);
  EXPECT_EQ(nanosecondsFromMicroseconds("1.694128201435418e15"), 1694128201435418000);
  EXPECT_EQ(nanosecondsFromMicroseconds("1e-9"), 0);
  EXPECT_EQ(nanosecondsFromMicroseconds("0e99"), 0);
}

TEST(NanosecondsFromMicroseconds, refusesWhatIsNoNumberOrDoesNotFit) {
  for (const char* text : {"", "-", ".", "NaN", "inf", "1.2.3", "12x", "0x10", "1e", "1e9999",
                           "9300000000000000000", "9223372036854775.808", "1e30"}) {
    EXPECT_EQ(nanosecondsFromMicroseconds(text), std::nullopt) << text;
  }
  EXPECT_EQ(nanosecondsFromMicroseconds("9223372036854775.807"), INT64_MAX);
}

TEST(NanosecondsFromMicroseconds, readsNumbersOfEveryLength) {
  const std::string digits = "9876543210987654";
  for (std::size_t whole = 1; whole <= digits.size(); ++whole) {
    const std::string text = digits.substr(digits.size() - whole);
    const std::int64_t value = std::stoll(text);
    for (const char* fraction : {"", ".1", ".12", ".123"}) {
      const int decimals = fraction[0] == '\0' ? 0 : static_cast<int>(std::strlen(fraction)) - 1;
      constexpr std::array<std::int64_t, 4> kNanoseconds{0, 100, 120, 123};
      const auto read = nanosecondsFromMicroseconds(text + fraction);
      if (value > INT64_MAX / 1000) {
        EXPECT_EQ(read, std::nullopt) << text << fraction;
      } else {
        EXPECT_EQ(read, value * 1000 + kNanoseconds[static_cast<std::size_t>(decimals)]) << text << fraction;
      }
    }
    for (std::size_t at = 0; at < whole; ++at) { // any character that is no digit, anywhere
      for (const char bad : {'/', ':', ' ', 'x', '\x80'}) {
        std::string damaged = text;
        damaged[at] = bad;
        EXPECT_EQ(nanosecondsFromMicroseconds(damaged), std::nullopt) << damaged;
      }
    }
  }
}

TEST(TimeRange, isHalfOpen) {
  constexpr TimeRange range{10, 20};
  EXPECT_TRUE(range.contains(10));
  EXPECT_FALSE(range.contains(20));
  EXPECT_FALSE(range.overlaps({20, 30}));
  EXPECT_TRUE(range.overlaps({19, 30}));
  EXPECT_TRUE(range.clippedTo({20, 30}).empty());
  EXPECT_EQ(range.unitedWith({40, 50}), (TimeRange{10, 50}));
  EXPECT_EQ(range.unitedWith({}), range);
}

} // namespace
} // namespace rankscope
