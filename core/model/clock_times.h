// SPDX-License-Identifier: GPL-3.0-or-later
// Times and ranges with a known clock: RankTime is on the rank's own clock, as recorded; JobTime is on the
// job's clock, which is common to all ranks. Only a ClockCorrection converts between them. Conversion from
// and to plain TimeNs is explicit. Columns and results of a single recording use plain TimeNs and TimeRange
// on the clock of that recording. No cost at run time.
#pragma once

#include "core/base/time_range.h"

#include <compare>

namespace rankscope {

template <class Clock> class ClockTime {
 public:
  constexpr ClockTime() = default;
  constexpr explicit ClockTime(TimeNs ns) : m_ns(ns) {}

  [[nodiscard]] constexpr TimeNs ns() const { return m_ns; }

  constexpr auto operator<=>(const ClockTime&) const = default;
  constexpr ClockTime& operator+=(TimeNs duration) {
    m_ns += duration;
    return *this;
  }
  friend constexpr ClockTime operator+(ClockTime time, TimeNs duration) {
    return ClockTime(time.m_ns + duration);
  }
  friend constexpr ClockTime operator-(ClockTime time, TimeNs duration) {
    return ClockTime(time.m_ns - duration);
  }
  // Saturates at kAllTime, see movedTime.
  [[nodiscard]] constexpr ClockTime movedBy(TimeNs duration) const {
    return ClockTime(movedTime(m_ns, duration));
  }
  // Time from b to a.
  friend constexpr TimeNs operator-(ClockTime a, ClockTime b) { return a.m_ns - b.m_ns; }

 private:
  TimeNs m_ns = 0;
};

// [begin, end); same semantics as TimeRange.
template <class Clock> struct ClockRange {
  ClockTime<Clock> begin;
  ClockTime<Clock> end;

  // REQUIRES: the bare range was read from this clock.
  [[nodiscard]] static constexpr ClockRange of(TimeRange ns) {
    return {ClockTime<Clock>(ns.begin), ClockTime<Clock>(ns.end)};
  }
  [[nodiscard]] constexpr TimeRange ns() const { return {begin.ns(), end.ns()}; }

  [[nodiscard]] constexpr TimeNs length() const { return ns().length(); }
  [[nodiscard]] constexpr bool empty() const { return ns().empty(); }
  [[nodiscard]] constexpr bool contains(ClockTime<Clock> time) const { return ns().contains(time.ns()); }
  [[nodiscard]] constexpr bool overlaps(ClockRange other) const { return ns().overlaps(other.ns()); }
  [[nodiscard]] constexpr ClockRange clippedTo(ClockRange other) const {
    return of(ns().clippedTo(other.ns()));
  }
  [[nodiscard]] constexpr ClockRange unitedWith(ClockRange other) const {
    return of(ns().unitedWith(other.ns()));
  }
  constexpr bool operator==(const ClockRange&) const = default;
};

using RankTime = ClockTime<struct OwnClock>;
using RankRange = ClockRange<struct OwnClock>;
using JobTime = ClockTime<struct JobClock>;
using JobRange = ClockRange<struct JobClock>;

// No limit: see kAllTime.
inline constexpr RankRange kWholeRecording = RankRange::of(kAllTime);

} // namespace rankscope
