// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/row_spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rankscope {
namespace {

RankTrace traceOfOneRow(const std::vector<TimeRange>& events) {
  RankTrace trace;
  std::vector<TimeNs> begins;
  std::vector<TimeNs> durations;
  for (const TimeRange& event : events) {
    begins.push_back(event.begin);
    durations.push_back(event.end - event.begin);
  }
  trace.pyramid = LongestPyramid(durations);
  trace.events.begin = Column<TimeNs>(std::move(begins));
  trace.events.duration = Column<TimeNs>(std::move(durations));
  trace.rows.push_back({TrackIndex(0), EventIndex(0), EventIndex(events.size())});
  return trace;
}

std::vector<TimeRange> randomRow(std::mt19937& random, std::size_t count, TimeNs longest) {
  std::uniform_int_distribution<TimeNs> gap(0, longest / 2);
  std::uniform_int_distribution<TimeNs> duration(0, longest);
  std::vector<TimeRange> events;
  TimeNs t = 1'000'000'007;
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 3 == 0) t += gap(random);
    const TimeNs length = random() % 5 == 0 ? 0 : duration(random) / static_cast<TimeNs>(1 + random() % 50);
    events.push_back({t, t + length});
    t += std::max<TimeNs>(length, 1);
  }
  return events;
}

std::vector<RowSpan> spansOf(const RankTrace& trace, const PixelScale& scale) {
  std::vector<RowSpan> spans;
  rowSpans(trace, RowIndex(0), scale, spans);
  return spans;
}

TEST(RowSpans, anEventWiderThanAPixelIsExact) {
  const RankTrace trace = traceOfOneRow({{100, 200}, {200, 250}, {300, 1000}});
  const PixelScale scale({0, 1000}, 100);
  EXPECT_EQ(spansOf(trace, scale), (std::vector<RowSpan>{{10, 20, EventIndex(0), 1, 255},
                                                         {20, 25, EventIndex(1), 1, 255},
                                                         {30, 100, EventIndex(2), 1, 255}}));
}

TEST(RowSpans, aFoldKeepsTheLongestTheCountAndTheBusyShare) {
  const RankTrace trace = traceOfOneRow({{1000, 1010}, {1020, 1050}, {1060, 1070}, {1200, 1200}});
  const PixelScale scale({0, 10'000}, 100);
  EXPECT_EQ(spansOf(trace, scale),
            (std::vector<RowSpan>{{10, 11, EventIndex(1), 3, 127}, {12, 13, EventIndex(3), 1, 0}}));
}

TEST(RowSpans, spansAreOrderedApartAndInsideAndCountEveryEventOnce) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const auto events = randomRow(random, 1 + random() % 300, TimeNs{1} << (random() % 20));
    const RankTrace trace = traceOfOneRow(events);
    // Beyond the events there is air: the last column of a window is cut by as much as the first one reaches
    // out of it.
    const TimeNs length = events.back().end - events.front().begin;
    const TimeRange all{events.front().begin, events.back().end + length + 1};
    const PixelScale scale(all, static_cast<int>(2 + random() % 500));
    std::int32_t drawnUpTo = 0;
    std::uint64_t count = 0;
    for (const RowSpan& span : spansOf(trace, scale)) {
      ASSERT_LE(drawnUpTo, span.begin);
      ASSERT_LT(span.begin, span.end);
      ASSERT_LE(span.end, scale.width());
      drawnUpTo = span.end;
      count += span.count;
    }
    EXPECT_EQ(count, events.size());
  }
}

TEST(RowSpans, everyEventIsCoveredToAPixelAndNothingElseIs) {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    const auto events = randomRow(random, 1 + random() % 200, TimeNs{1} << (random() % 24));
    const RankTrace trace = traceOfOneRow(events);
    const TimeNs length = events.back().end - events.front().begin + 1;
    const TimeNs begin = events.front().begin + static_cast<TimeNs>(random() % 1000) * length / 2000;
    const PixelScale scale({begin, begin + length / 2 + 1}, 400);
    std::vector<bool> drawn(400, false);
    for (const RowSpan& span : spansOf(trace, scale))
      std::fill(drawn.begin() + span.begin, drawn.begin() + span.end, true);
    std::vector<bool> expected(400, false);
    for (const TimeRange& event : events) {
      const auto first = scale.pixelAt(event.begin);
      const auto last = std::max(first + 1, scale.pixelAt(event.end));
      for (auto pixel = std::max(first, 0); pixel < std::min(last, 400); ++pixel)
        expected[static_cast<std::size_t>(pixel)] = true;
    }
    EXPECT_EQ(drawn, expected);
  }
}

TEST(RowSpans, theSpanUnderAPixelIsTheOneThatIsDrawnThere) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    const auto events = randomRow(random, 1 + random() % 200, TimeNs{1} << (random() % 24));
    const RankTrace trace = traceOfOneRow(events);
    const TimeNs length = events.back().end - events.front().begin + 1;
    const PixelScale scale({events.front().begin + length / 3, events.back().end - length / 4}, 300);
    std::vector<RowSpan> expected(300);
    for (const RowSpan& span : spansOf(trace, scale))
      for (auto pixel = span.begin; pixel < span.end; ++pixel)
        expected[static_cast<std::size_t>(pixel)] = span;
    for (int pixel = 0; pixel < 300; ++pixel)
      ASSERT_EQ(spanAt(trace, RowIndex(0), scale, pixel), expected[static_cast<std::size_t>(pixel)]) << pixel;
  }
}

TEST(RowSpans, panningByWholeColumnsShiftsTheSpansAndChangesNoneOfThem) {
  std::mt19937 random(8);
  const auto events = randomRow(random, 5000, 5000);
  const RankTrace trace = traceOfOneRow(events);
  const TimeNs length = (events.back().end - events.front().begin) / 3;
  const PixelScale scale({events.front().begin + length, events.front().begin + 2 * length}, 977);
  const PixelScale panned(scale.windowPannedBy(100), 977);
  const auto inner = [](std::vector<RowSpan> spans, std::int32_t shift, std::int32_t first,
                        std::int32_t last) {
    std::vector<RowSpan> kept;
    for (RowSpan span : spans) {
      span.begin += shift;
      span.end += shift;
      if (first < span.begin && span.end < last) kept.push_back(span);
    }
    return kept;
  };
  const auto before = inner(spansOf(trace, scale), 0, 100, 977);
  EXPECT_GT(before.size(), 500u);
  EXPECT_EQ(before, inner(spansOf(trace, panned), 100, 100, 977));
}

TEST(RowSpans, aMagnifiedNanosecondIsAsWideAsItsPixels) {
  const RankTrace trace = traceOfOneRow({{5, 6}, {7, 7}});
  const PixelScale scale({0, 10}, 1000);
  EXPECT_EQ(spansOf(trace, scale),
            (std::vector<RowSpan>{{500, 600, EventIndex(0), 1, 255}, {700, 701, EventIndex(1), 1, 0}}));
  EXPECT_EQ(spanAt(trace, RowIndex(0), scale, 599).event, EventIndex(0));
  EXPECT_EQ(spanAt(trace, RowIndex(0), scale, 600).count, 0u);
}

TEST(RowSpans, anEmptyRowHasNone) {
  const RankTrace trace = traceOfOneRow({});
  const PixelScale scale({0, 1000}, 100);
  EXPECT_TRUE(spansOf(trace, scale).empty());
  EXPECT_EQ(spanAt(trace, RowIndex(0), scale, 50).count, 0u);
}

TEST(CoverSpans, wideRangesAreExactAndNarrowOnesAreShares) {
  const IntervalSet set({{-50, 100}, {1000, 1010}, {1040, 1060}, {1300, 1310}, {1350, 2000}, {9990, 20'000}});
  std::vector<CoverSpan> spans;
  coverSpans(set, PixelScale({0, 10'000}, 100), spans);
  EXPECT_EQ(spans, (std::vector<CoverSpan>{{-1, 1, 255}, {10, 11, 76}, {13, 20, 255}, {99, 200, 255}}));
}

TEST(CoverSpans, coverWhatTheSetCoversToAPixel) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    const auto ranges = randomRow(random, 1 + random() % 200, TimeNs{1} << (random() % 24));
    const IntervalSet set(ranges);
    if (set.empty()) continue;
    const TimeNs length = set.hull().length();
    const PixelScale scale({set.hull().begin + length / 4, set.hull().end}, 333);
    std::vector<CoverSpan> spans;
    coverSpans(set, scale, spans);
    double drawn = 0;
    std::int32_t drawnUpTo = -PixelScale::kFarPixel;
    for (const CoverSpan& span : spans) {
      ASSERT_LE(drawnUpTo, span.begin);
      ASSERT_LT(span.begin, span.end);
      drawnUpTo = span.end;
      drawn += (std::min(span.end, scale.width()) - std::max(span.begin, 0)) * (span.busy / 255.0);
      const TimeRange column = scale.column(span.begin);
      if (span.end - span.begin == 1 && span.busy < 0xff) {
        EXPECT_EQ(span.busy, 255 * set.coveredWithin(column) / column.length());
      }
    }
    const double covered = static_cast<double>(set.coveredWithin(scale.window())) * 333 /
                           static_cast<double>(scale.window().length());
    // Rounding moves each end of a drawn run by less than a pixel, and a share by less than 1/255.
    EXPECT_NEAR(drawn, covered, static_cast<double>(spans.size()) + 2);
  }
}

} // namespace
} // namespace rankscope
