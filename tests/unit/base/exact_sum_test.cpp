// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/exact_sum.h"

#include "core/base/whole_number.h"

#include <gtest/gtest.h>

#include <limits>

namespace rankscope {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinBytes = std::numeric_limits<std::int64_t>::min();

TEST(ExactSum, isExactWhateverIsAddedAndInWhateverOrder) {
  ExactSum sum;
  for (int i = 0; i < 1000; ++i) sum += kLargest;
  for (int i = 0; i < 1000; ++i) sum -= kLargest;
  sum += 7;
  EXPECT_EQ(sum, 7);
  sum += kMinBytes;
  sum += kMinBytes;
  sum -= kMinBytes;
  sum -= kMinBytes;
  EXPECT_EQ(sum, 7);
}

TEST(ExactSum, readsAsTheFarthestThatCanStillBeAddedAndDoubled) {
  ExactSum maximum = kLargest, minimum = kMinBytes;
  EXPECT_EQ(maximum, ExactSum::kMax);
  EXPECT_EQ(minimum, -ExactSum::kMax);
  EXPECT_GT(maximum + maximum, 0);
  EXPECT_LT(minimum - maximum, 0);
  EXPECT_GT(2 * maximum, 0);
  EXPECT_EQ(-maximum, -ExactSum::kMax);
  EXPECT_DOUBLE_EQ(static_cast<double>(maximum += kLargest), 0x1p64);
}

TEST(ExactSum, partsAddUpExactly) {
  ExactSum part = kLargest;
  part += kLargest;
  ExactSum all;
  all += part;
  all += part;
  EXPECT_DOUBLE_EQ(static_cast<double>(all), 0x1p65);
}

TEST(WholeNumber, isTheNearestAndStopsWhereSumsDo) {
  EXPECT_EQ(rounded(2.5), 3);
  EXPECT_EQ(rounded(-2.5), -3);
  EXPECT_EQ(rounded(0.49), 0);
  EXPECT_EQ(truncated(2.9), 2);
  EXPECT_EQ(truncated(-2.9), -2);
  EXPECT_EQ(rounded(0x1p52 + 1), (std::int64_t{1} << 52) + 1);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double far : {infinity, 0x1p63, 0x1p62, 1e300}) {
    EXPECT_EQ(rounded(far), ExactSum::kMax) << far;
    EXPECT_EQ(truncated(-far), -ExactSum::kMax) << far;
  }
  EXPECT_EQ(rounded(std::numeric_limits<double>::quiet_NaN()), 0);
}

} // namespace
} // namespace rankscope
