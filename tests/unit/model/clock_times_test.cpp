// SPDX-License-Identifier: GPL-3.0-or-later
// Which times may meet which, as the compiler decides it, and ranges against bare ones.
#include "core/model/clock_times.h"

#include "core/model/clock_alignment.h"

#include <concepts>
#include <gtest/gtest.h>
#include <random>
#include <type_traits>

namespace rankscope {

namespace {

template <class From, class To>
inline constexpr bool kNeitherBecomesTheOther =
    !std::is_convertible_v<From, To> && !std::is_convertible_v<To, From> &&
    !std::is_assignable_v<From&, To> && !std::is_assignable_v<To&, From>;

static_assert(kNeitherBecomesTheOther<RankTime, JobTime>);
static_assert(kNeitherBecomesTheOther<RankTime, TimeNs>);
static_assert(kNeitherBecomesTheOther<JobTime, TimeNs>);
static_assert(kNeitherBecomesTheOther<RankRange, JobRange>);
static_assert(kNeitherBecomesTheOther<RankRange, TimeRange>);
static_assert(kNeitherBecomesTheOther<JobRange, TimeRange>);
static_assert(!std::is_constructible_v<JobTime, RankTime> && !std::is_constructible_v<RankTime, JobTime>);
static_assert(!std::is_constructible_v<JobRange, TimeNs, TimeNs>, "not even out of a pair of numbers");
static_assert(!std::is_constructible_v<JobRange, RankTime, RankTime>);

template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
}
|| requires(A a, B b) {
  a == b;
};
template <class A, class B>
concept Subtractable = requires(A a, B b) {
  a - b;
};

static_assert(Comparable<RankTime, RankTime> && Comparable<JobRange, JobRange>);
static_assert(!Comparable<RankTime, JobTime> && !Comparable<JobTime, TimeNs>);
static_assert(!Comparable<RankRange, JobRange> && !Comparable<JobRange, TimeRange>);
static_assert(Subtractable<JobTime, JobTime> && !Subtractable<JobTime, RankTime>);
static_assert(std::same_as<decltype(JobTime() - JobTime()), TimeNs>, "how long it is between two");
static_assert(std::same_as<decltype(JobTime() - TimeNs{}), JobTime>);

template <class Range>
concept GivesJobTime = requires(ClockCorrection clock, Range range) {
  clock.toJob(range);
};
template <class Range>
concept GivesRankTime = requires(ClockCorrection clock, Range range) {
  clock.fromJob(range);
};

static_assert(GivesJobTime<RankTime> && GivesJobTime<RankRange>);
static_assert(!GivesJobTime<JobTime> && !GivesJobTime<JobRange>, "not corrected twice");
static_assert(!GivesJobTime<TimeNs> && !GivesJobTime<TimeRange>);
static_assert(GivesRankTime<JobTime> && GivesRankTime<JobRange>);
static_assert(!GivesRankTime<RankTime> && !GivesRankTime<RankRange>);

static_assert(sizeof(JobTime) == sizeof(TimeNs) && sizeof(JobRange) == sizeof(TimeRange));
static_assert(std::is_trivially_copyable_v<RankRange>);

} // namespace

TEST(ClockTime, countsInNanoseconds) {
  JobTime time(1'000);
  EXPECT_EQ(time + 5, JobTime(1'005));
  EXPECT_EQ(time - 5, JobTime(995));
  EXPECT_EQ(JobTime(1'005) - time, 5);
  EXPECT_LT(JobTime(-1), JobTime());
  time += 7;
  EXPECT_EQ(time.ns(), 1'007);
}

TEST(ClockRange, isABareRangeInEveryRespect) {
  std::mt19937_64 random(11);
  const auto bare = [&] {
    const auto begin = static_cast<TimeNs>(random() % 20);
    return TimeRange{begin, begin + static_cast<TimeNs>(random() % 8) - 2};
  };
  for (int round = 0; round < 2'000; ++round) {
    const TimeRange a = bare(), b = bare();
    const auto time = static_cast<TimeNs>(random() % 24);
    const RankRange x = RankRange::of(a), y = RankRange::of(b);
    EXPECT_EQ(x.ns(), a);
    EXPECT_EQ(x.length(), a.length());
    EXPECT_EQ(x.empty(), a.empty());
    EXPECT_EQ(x.contains(RankTime(time)), a.contains(time));
    EXPECT_EQ(x.overlaps(y), a.overlaps(b));
    EXPECT_EQ(x.clippedTo(y).ns(), a.clippedTo(b));
    EXPECT_EQ(x.unitedWith(y).ns(), a.unitedWith(b));
    EXPECT_EQ(x == y, a == b);
  }
  EXPECT_EQ(kWholeRecording.ns(), kAllTime);
}

// A clock that is five seconds ahead and gains 20 microseconds a second.
TEST(ClockCorrection, turnsRangesByTheirEnds) {
  const RankTime reference(1'700'000'000'000'000'000);
  const ClockCorrection clock{-5'000'000'000, -20'000, reference};
  const RankRange own{reference, reference + 10'000'000'000};
  const JobRange job = clock.toJob(own);
  EXPECT_EQ(job.begin.ns(), 1'699'999'995'000'000'000);
  EXPECT_EQ(job.length(), 10'000'000'000 - 200'000);
  EXPECT_EQ(clock.fromJob(job), own);
  EXPECT_EQ(clock.aheadOfJob(own.begin), 5'000'000'000);
  EXPECT_EQ(clock.aheadOfJob(own.end), 5'000'200'000);
}

} // namespace rankscope
