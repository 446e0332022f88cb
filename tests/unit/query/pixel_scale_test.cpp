// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/pixel_scale.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

struct Case {
  TimeRange window;
  int width;
};

// Windows from one nanosecond to 2^62, near zero, since the epoch and negative; widths from 1 to the largest.
std::vector<Case> cases() {
  std::mt19937_64 random(5);
  std::vector<Case> all;
  for (const TimeNs around : {TimeNs{0}, TimeNs{1'700'000'000'123'456'789}, -(TimeNs{1} << 61)}) {
    for (int bits = 0; bits <= 61; ++bits) {
      const TimeNs begin = around + static_cast<TimeNs>(random() % 1'000'000'007);
      const TimeNs length = (TimeNs{1} << bits) + static_cast<TimeNs>(random() % (std::uint64_t{1} << bits));
      for (const int width : {1, 1000, 1733, PixelScale::kMaxWidth})
        all.push_back({{begin, begin + length}, width});
    }
  }
  all.push_back({{0, PixelScale::kMaxLength}, PixelScale::kMaxWidth});
  return all;
}

std::vector<std::int32_t> somePixels(int width) {
  return {-width - 1, -1, 0, 1, width / 3, width / 2, width - 1, width, 2 * width};
}

std::string described(const Case& c) {
  return "[" + std::to_string(c.window.begin) + ", " + std::to_string(c.window.end) + ") over " +
         std::to_string(c.width);
}

} // namespace

TEST(PixelScale, mapsARoundWindowAsOneWouldByHand) {
  const PixelScale scale({1'000'000, 2'000'000}, 1000);
  EXPECT_EQ(scale.pixelAt(1'000'000), 0);
  EXPECT_EQ(scale.pixelAt(1'000'999), 0);
  EXPECT_EQ(scale.pixelAt(1'001'000), 1);
  EXPECT_EQ(scale.pixelAt(999'999), -1);
  EXPECT_EQ(scale.pixelAt(2'000'000), 1000);
  EXPECT_EQ(scale.columnBegin(1), 1'001'000);
  EXPECT_EQ(scale.timeAt(999), 1'999'000);
  EXPECT_EQ(scale.column(3), (TimeRange{1'003'000, 1'004'000}));
}

TEST(PixelScale, aNanosecondSpansManyPixelsWhenItMagnifies) {
  const PixelScale scale({70, 80}, 1000);
  EXPECT_TRUE(scale.magnifies());
  EXPECT_EQ(scale.pixelAt(71), 100);
  EXPECT_EQ(scale.pixelAt(72), 200);
  EXPECT_EQ(scale.timeAt(100), 71);
  EXPECT_EQ(scale.timeAt(150), 71);
  EXPECT_EQ(scale.timeAt(199), 71);
  EXPECT_TRUE(scale.column(150).empty());
}

TEST(PixelScale, theWindowBeginsInPixelZero) {
  for (const Case& c : cases()) {
    const PixelScale scale(c.window, c.width);
    EXPECT_EQ(scale.pixelAt(c.window.begin), 0) << described(c);
    EXPECT_LE(scale.columnBegin(0), c.window.begin) << described(c);
    if (c.window.length() >= c.width) {
      EXPECT_GT(scale.columnBegin(1), c.window.begin) << described(c);
      // The last instant lies in the last pixel or, when pixel 0 is cut by the window, just behind it.
      const std::int32_t last = scale.pixelAt(c.window.end - 1);
      EXPECT_TRUE(last == c.width - 1 || last == c.width) << described(c) << ": " << last;
    }
  }
}

TEST(PixelScale, pixelsAndColumnBordersAreInverse) {
  for (const Case& c : cases()) {
    const PixelScale scale(c.window, c.width);
    for (const std::int32_t pixel : somePixels(c.width)) {
      const TimeNs begin = scale.columnBegin(pixel);
      if (begin == std::numeric_limits<TimeNs>::max() || begin == std::numeric_limits<TimeNs>::min())
        continue;
      EXPECT_GE(scale.pixelAt(begin), pixel) << described(c);
      EXPECT_LT(scale.pixelAt(begin - 1), pixel) << described(c);
      if (scale.column(pixel).empty()) {
        EXPECT_LE(scale.pixelAt(scale.timeAt(pixel)), pixel) << described(c);
        EXPECT_GT(scale.pixelAt(scale.timeAt(pixel) + 1), pixel) << described(c);
      } else {
        EXPECT_EQ(scale.pixelAt(scale.timeAt(pixel)), pixel) << described(c);
      }
    }
  }
}

TEST(PixelScale, pixelsNeverDecreaseWithTime) {
  std::mt19937_64 random(6);
  for (const Case& c : cases()) {
    const PixelScale scale(c.window, c.width);
    std::vector<TimeNs> times;
    for (int i = 0; i < 20; ++i) times.push_back(static_cast<TimeNs>(random()) >> (random() % 40));
    for (int i = 0; i < 20; ++i) {
      times.push_back(c.window.begin +
                      static_cast<TimeNs>(random() % static_cast<std::uint64_t>(c.window.length())));
    }
    std::sort(times.begin(), times.end());
    for (std::size_t i = 1; i < times.size(); ++i) {
      EXPECT_LE(scale.pixelAt(times[i - 1]), scale.pixelAt(times[i])) << described(c);
    }
  }
}

TEST(PixelScale, panningByWholePixelsMovesNoColumnBorder) {
  for (const Case& c : cases()) {
    if (c.window.length() < c.width) continue;
    const PixelScale scale(c.window, c.width);
    for (const std::int32_t pan : {1, -1, 7, -c.width / 2, c.width}) {
      const TimeRange panned = scale.windowPannedBy(pan);
      if (panned.end == std::numeric_limits<TimeNs>::max() ||
          panned.begin == std::numeric_limits<TimeNs>::min()) {
        continue;
      }
      const PixelScale moved(panned, c.width);
      ASSERT_EQ(panned.length(), c.window.length());
      for (const std::int32_t pixel : {0, 1, c.width / 2, c.width - 1}) {
        ASSERT_EQ(moved.column(pixel), scale.column(pixel + pan)) << described(c) << " by " << pan;
      }
    }
  }
}

TEST(PixelScale, repeatedPanningDoesNotDrift) {
  const PixelScale home({1'700'000'000'123'456'789, 1'700'000'000'124'456'782}, 1733);
  TimeRange window = home.window();
  for (int i = 0; i < 1000; ++i) window = PixelScale(window, 1733).windowPannedBy(3);
  EXPECT_EQ(PixelScale(window, 1733).column(0), home.column(3000));
  for (int i = 0; i < 1000; ++i) window = PixelScale(window, 1733).windowPannedBy(-3);
  EXPECT_EQ(PixelScale(window, 1733).column(0), home.column(0));
}

TEST(PixelScale, panningByAnyTimeKeepsTheGrid) {
  const PixelScale home({5'000, 15'000}, 300);
  std::vector<TimeNs> borders;
  for (int pixel = -600; pixel <= 900; ++pixel) borders.push_back(home.columnBegin(pixel));
  for (TimeNs shift = -100; shift <= 100; ++shift) {
    const PixelScale moved({5'000 + shift, 15'000 + shift}, 300);
    for (int pixel = 0; pixel < 300; ++pixel) {
      ASSERT_TRUE(std::binary_search(borders.begin(), borders.end(), moved.columnBegin(pixel))) << shift;
    }
  }
}

TEST(PixelScale, farTimesSaturate) {
  const PixelScale scale({0, 1}, PixelScale::kMaxWidth);
  EXPECT_EQ(scale.pixelAt(std::numeric_limits<TimeNs>::max()), PixelScale::kFarPixel);
  EXPECT_EQ(scale.pixelAt(std::numeric_limits<TimeNs>::min()), -PixelScale::kFarPixel);
  const PixelScale wide({0, PixelScale::kMaxLength}, 1);
  EXPECT_EQ(wide.columnBegin(PixelScale::kFarPixel), std::numeric_limits<TimeNs>::max());
  EXPECT_EQ(wide.timeAt(-PixelScale::kFarPixel), std::numeric_limits<TimeNs>::min());
}

TEST(PixelScale, bringsOddWindowsAndWidthsIntoRange) {
  EXPECT_EQ(PixelScale({50, 50}, 10).window(), (TimeRange{50, 51}));
  EXPECT_EQ(PixelScale({50, 40}, 0).width(), 1);
  EXPECT_EQ(PixelScale({0, 10}, 1'000'000).width(), PixelScale::kMaxWidth);
  const TimeRange all{std::numeric_limits<TimeNs>::min(), std::numeric_limits<TimeNs>::max()};
  EXPECT_EQ(PixelScale(all, 100).window().length(), PixelScale::kMaxLength);
  const TimeRange end{std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::max()};
  EXPECT_EQ(PixelScale(end, 100).window().end, std::numeric_limits<TimeNs>::max());
}

} // namespace rankscope
