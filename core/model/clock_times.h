// SPDX-License-Identifier: GPL-3.0-or-later
// Points and ranges of time that know whose clock they were read from: a rank's own, as its recording has
// them, or the job's, on which ranks compare. Only a ClockCorrection converts one to the other; neither
// converts to a bare number or range, or back, unless explicitly. Columns of a recording and what is made of
// a single one stay bare TimeNs and TimeRange, on the clock of that recording. A bare integer, or two, at run
// time.
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
  // Within kAllTime, however far: see movedTime.
  [[nodiscard]] constexpr ClockTime movedBy(TimeNs duration) const {
    return ClockTime(movedTime(m_ns, duration));
  }
  // How much later the first one is.
  friend constexpr TimeNs operator-(ClockTime a, ClockTime b) { return a.m_ns - b.m_ns; }

 private:
  TimeNs m_ns = 0;
};

// [begin, end), as TimeRange is in every respect.
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
