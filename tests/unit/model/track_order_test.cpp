// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/track_order.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace rankscope {

TEST(TrackOrder, threadsBeyondTheMostShareATrackAndAreReported) {
  constexpr int kBeyond = 50;
  const int threads = static_cast<int>(kMaxTracks) + kBeyond;
  HandMadeRank rank;
  for (int t = 0; t < threads; ++t) rank.op(10 * t, 5, "operator", std::to_string(t));
  rank.annotation(0, 100, "step", "3").annotation(50, 10, "step", std::to_string(threads - 1));
  StringInterner names;
  const auto trace = rank.build(names);
  EXPECT_EQ(trace->events.size(), static_cast<std::size_t>(threads) + 2);
  const auto isThread = [](const Track& track) { return track.kind == TrackKind::Thread; };
  ASSERT_EQ(std::ranges::count_if(trace->tracks, isThread), static_cast<std::ptrdiff_t>(kMaxTracks) + 1);
  const auto rest =
      std::ranges::find_if(trace->tracks, [](const Track& track) { return track.process.empty(); });
  ASSERT_NE(rest, trace->tracks.end());
  EXPECT_EQ(rest->kind, TrackKind::Thread);
  EXPECT_EQ(rest->endEvent.value - rest->firstEvent.value, static_cast<std::uint32_t>(kBeyond));
  EXPECT_EQ(trace->events.begin[rest->firstEvent], 10 * static_cast<TimeNs>(kMaxTracks));
  EXPECT_EQ(trace->diagnostics.count(DiagnosticKind::Repaired), static_cast<std::uint64_t>(kBeyond));
  // Another kind of track has room: those that are few keep their own.
  EXPECT_EQ(
      std::ranges::count_if(trace->tracks, [](const Track& t) { return t.kind == TrackKind::Annotations; }),
      2);
}

TEST(TrackOrder, asManyAsAreToldApartNeedNoCommonTrack) {
  HandMadeRank rank;
  for (std::size_t t = 0; t < kMaxTracks; ++t) rank.op(0, 5, "operator", std::to_string(t));
  StringInterner names;
  const auto trace = rank.build(names);
  EXPECT_EQ(trace->tracks.size(), kMaxTracks);
  EXPECT_EQ(trace->diagnostics.count(DiagnosticKind::Repaired), 0U);
}

} // namespace rankscope
