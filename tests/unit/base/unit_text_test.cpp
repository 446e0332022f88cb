// SPDX-License-Identifier: GPL-3.0-or-later
// Covers core/base/byte_units.
#include "core/base/unit_text.h"

#include "core/base/byte_units.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min();
constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();

} // namespace

TEST(UnitText, durationsHaveThreeSignificantDigits) {
  EXPECT_EQ(durationText(0), "0 ns");
  EXPECT_EQ(durationText(870), "870 ns");
  EXPECT_EQ(durationText(999), "999 ns");
  EXPECT_EQ(durationText(1'000), "1.00 µs");
  EXPECT_EQ(durationText(12'345), "12.3 µs");
  EXPECT_EQ(durationText(35'400'000), "35.4 ms");
  EXPECT_EQ(durationText(571'000'000), "571 ms");
  EXPECT_EQ(durationText(1'210'000'000), "1.21 s");
  EXPECT_EQ(durationText(1'240'400'000'000), "1 240 s");
}

TEST(UnitText, durationsChangeUnitWhereRoundingDoes) {
  EXPECT_EQ(durationText(9'994), "9.99 µs");
  EXPECT_EQ(durationText(9'995), "10.0 µs");
  EXPECT_EQ(durationText(99'949), "99.9 µs");
  EXPECT_EQ(durationText(99'950), "100 µs");
  EXPECT_EQ(durationText(999'499), "999 µs");
  EXPECT_EQ(durationText(999'500), "1.00 ms");
  EXPECT_EQ(durationText(999'500'000), "1.00 s");
}

TEST(UnitText, durationsMayBeNegativeOrExtreme) {
  EXPECT_EQ(durationText(-35'400'000), "-35.4 ms");
  EXPECT_EQ(durationText(kLowest), "-9 223 372 037 s");
  EXPECT_EQ(durationText(kHighest), "9 223 372 037 s");
  EXPECT_EQ(signedDurationText(61'800'000), "+61.8 ms");
  EXPECT_EQ(signedDurationText(-3'000), "-3.00 µs");
  EXPECT_EQ(signedDurationText(0), "0 ns");
}

TEST(UnitText, rulerTimesTellTicksApart) {
  EXPECT_EQ(timeText(1'130'000'000, 50'000'000), "1 130 ms");
  EXPECT_EQ(timeText(1'130'000'000, 2'500'000), "1 130.0 ms");
  EXPECT_EQ(timeText(1'132'500'000, 2'500'000), "1 132.5 ms");
  EXPECT_EQ(timeText(1'130'005'000, 5'000), "1 130.005 ms");
  EXPECT_EQ(timeText(1'130'250'125, 5), "1 130 250.125 µs");
  EXPECT_EQ(timeText(1'130'250'200, 100), "1 130 250.2 µs");
  EXPECT_EQ(timeText(12'000'000'000, 2'000'000'000), "12 s");
  EXPECT_EQ(timeText(7'500'000'000, 2'500'000'000), "7.5 s");
  EXPECT_EQ(timeText(0, 1'000'000), "0 ms");
  EXPECT_EQ(timeText(-20'000'000, 10'000'000), "-20 ms");
  EXPECT_EQ(timeText(-1, 10'000'000), "0 ms");
  EXPECT_EQ(timeText(kLowest, 1), "-9 223 372 036 854 775.808 µs");
}

TEST(UnitText, neighboringTicksNeverReadTheSame) {
  for (TimeNs decade = 1; decade <= 1'000'000'000'000; decade *= 10) {
    for (const TimeNs step : {decade, 2 * decade, 5 * decade}) {
      for (TimeNs tick = 0; tick < 50; ++tick) {
        EXPECT_NE(timeText(tick * step, step), timeText((tick + 1) * step, step)) << step;
      }
    }
  }
}

TEST(UnitText, sizesAreBinaryUnlessSetOtherwiseAndRatesDecimal) {
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(999), "999 B");
  EXPECT_EQ(bytesText(1'023), "1 023 B");
  EXPECT_EQ(bytesText(1'024), "1.0 KiB");
  EXPECT_EQ(bytesText(75'000), "73.2 KiB");
  EXPECT_EQ(bytesText(1'048'524), "1 023.9 KiB");
  EXPECT_EQ(bytesText(1'048'525), "1.0 MiB");
  EXPECT_EQ(bytesText(104'857'600), "100.0 MiB");
  EXPECT_EQ(bytesText(85'030'000'000), "79.2 GiB"); // an H100 of "80GB"
  EXPECT_EQ(bytesText(-7'900'000'000), "-7.4 GiB");
  EXPECT_EQ(bytesText(std::numeric_limits<std::int64_t>::max()), "8.0 EiB");
  EXPECT_EQ(bytesText(std::numeric_limits<std::int64_t>::min()), "-8.0 EiB");
  setByteUnits(ByteUnits::Decimal);
  EXPECT_EQ(bytesText(75'000), "75.0 kB");
  EXPECT_EQ(bytesText(999'949), "999.9 kB");
  EXPECT_EQ(bytesText(999'950), "1.0 MB");
  EXPECT_EQ(bytesText(104'857'600), "104.9 MB");
  EXPECT_EQ(bytesText(-7'900'000'000), "-7.9 GB");
  EXPECT_EQ(bytesText(kLowest), "-9.2 EB");
  setByteUnits(ByteUnits::Binary);
  EXPECT_EQ(rateText(12.1e9), "12.1 GB/s");
  EXPECT_EQ(rateText(0), "0 B/s");
  EXPECT_EQ(rateText(1e300), "9.0 EB/s");
  EXPECT_EQ(rateText(std::numeric_limits<double>::quiet_NaN()), "–");
}

TEST(UnitText, countsAreExactBelowAMillion) {
  EXPECT_EQ(countText(0), "0");
  EXPECT_EQ(countText(999), "999");
  EXPECT_EQ(countText(-1'204), "-1 204");
  EXPECT_EQ(countText(999'999), "999 999");
  EXPECT_EQ(countText(4'213'007), "4.2 M");
  EXPECT_EQ(countText(999'950'000), "1.0 G");
  EXPECT_EQ(countText(kLowest), "-9.2 E");
  EXPECT_EQ(groupedText(4'213'007), "4 213 007");
  EXPECT_EQ(groupedText(kLowest), "-9 223 372 036 854 775 808");
}

TEST(UnitText, sharesKeepNoneAndAllApartFromNearly) {
  EXPECT_EQ(percentText(0), "0 %");
  EXPECT_EQ(percentText(100), "100 %");
  EXPECT_EQ(percentText(0.01), "0.0 %");
  EXPECT_EQ(percentText(-0.01), "0.0 %");
  EXPECT_EQ(percentText(99.99), "100.0 %");
  EXPECT_EQ(percentText(83.14), "83.1 %");
  EXPECT_EQ(percentText(std::numeric_limits<double>::infinity()), "–");
}

TEST(UnitText, microsecondsAreExact) {
  EXPECT_EQ(microsecondsText(0), "0");
  EXPECT_EQ(microsecondsText(12'500), "12.5");
  EXPECT_EQ(microsecondsText(1), "0.001");
  EXPECT_EQ(microsecondsText(-3'000), "-3");
  EXPECT_EQ(microsecondsText(-10), "-0.01");
  EXPECT_EQ(microsecondsText(100'000), "100");
  EXPECT_EQ(microsecondsText(kLowest), "-9223372036854775.808");
}

TEST(UnitText, microsecondsReadBackAsTheSameTime) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 10'000; ++round) {
    const TimeNs time = static_cast<TimeNs>(random()) >> (random() % 63);
    if (time == kLowest) continue;
    EXPECT_EQ(nanosecondsFromMicroseconds(microsecondsText(time)), time);
  }
}

} // namespace rankscope
