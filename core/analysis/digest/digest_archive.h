// SPDX-License-Identifier: GPL-3.0-or-later
// Archives for the results of a rank (core/base/byte_pack.h). Results name events and texts by index: a first
// pass collects them, a second one writes their numbers in the digest. Reading checks every index and
// enumerator, so that the results of a digest never lead out of bounds.
#pragma once

#include "core/base/byte_pack.h"
#include "core/base/exact_sum.h"
#include "core/index/interval_set.h"
#include "core/model/clock_times.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rankscope {

// What the results of a rank name, and the numbers that stand for it in the digest.
struct DigestKeys {
  std::vector<EventIndex> events;         // of the recording, as kept; ascending, numbered in this order
  std::vector<NameId> names;              // of the job's table, ascending
  std::vector<std::uint32_t> nameNumbers; // by position in `names`

  // REQUIRES: the event or name is one of these, or invalid.
  [[nodiscard]] std::uint32_t numberOf(EventIndex event) const { return placeOf(events, event); }
  [[nodiscard]] std::uint32_t numberOf(NameId name) const {
    return name.valid() ? nameNumbers[placeOf(names, name)] : NameId::kNone;
  }

 private:
  template <class Index>
  [[nodiscard]] static std::uint32_t placeOf(const std::vector<Index>& all, Index index) {
    if (!index.valid()) return Index::kNone;
    return static_cast<std::uint32_t>(std::ranges::lower_bound(all, index) - all.begin());
  }
};

// Collects what results name.
class DigestCollector : public BasicPacker<DigestCollector> {
 public:
  using BasicPacker::add;
  void add(const EventIndex& event) {
    if (event.valid()) m_events.push_back(event);
  }
  void add(const NameId& name) {
    if (name.valid()) m_names.insert(name);
  }

  [[nodiscard]] std::vector<EventIndex> takeEvents() { return std::move(m_events); }
  [[nodiscard]] const std::set<NameId>& names() const { return m_names; }

 private:
  std::vector<EventIndex> m_events;
  std::set<NameId> m_names;
};

// Writes results by the numbers of the digest. REQUIRES: keys have what the results name.
class DigestPacker : public BasicPacker<DigestPacker> {
 public:
  explicit DigestPacker(const DigestKeys& keys) : m_keys(keys) {}

  using BasicPacker::add;
  void add(const EventIndex& event) { add(m_keys.numberOf(event)); }
  void add(const NameId& name) { add(m_keys.numberOf(name)); }

 private:
  const DigestKeys& m_keys;
};

// Reads what a digest keeps. A number or enumerator that no reader of traces lets through fails like a
// missing value.
template <class Self> class CheckedUnpacker : public BasicUnpacker<Self> {
 public:
  using BasicUnpacker<Self>::BasicUnpacker;

  using BasicUnpacker<Self>::get;
  // The lowest number stands for none.
  void get(std::int64_t& number) {
    BasicUnpacker<Self>::get(number);
    if (number == std::numeric_limits<std::int64_t>::min()) return;
    if (kAllTime.begin <= number && number <= kAllTime.end) return;
    this->fail();
    number = 0;
  }
  // isValid(value): whether it is an enumerator.
  template <class T> void check(T& value) {
    if (isValid(value)) return;
    this->fail();
    value = T{};
  }
};

// Reads results. An index that does not exist fails too.
class DigestUnpacker : public CheckedUnpacker<DigestUnpacker> {
 public:
  DigestUnpacker(std::string_view bytes, std::span<const NameId> names, std::size_t events,
                 std::size_t tracks)
      : CheckedUnpacker(bytes), m_names(names), m_events(events), m_tracks(tracks) {}

  using CheckedUnpacker::get;
  void get(EventIndex& event) { getIndex(event, m_events); }
  void get(TrackIndex& track) { getIndex(track, m_tracks); }
  void get(NameId& name) {
    getIndex(name, m_names.size());
    if (name.valid()) name = m_names[name.value];
  }
  void get(TimeRange& range) {
    describe(*this, range);
    const auto isTime = [](TimeNs time) { return kAllTime.begin <= time && time <= kAllTime.end; };
    if (isTime(range.begin) && isTime(range.end)) return;
    fail();
    range = {};
  }

 private:
  template <class Tag> void getIndex(StrongIndex<Tag>& index, std::size_t end) {
    get(index.value);
    if (!index.valid() || index.value < end) return;
    fail();
    index = {};
  }

  std::span<const NameId> m_names;
  std::size_t m_events;
  std::size_t m_tracks;
};

// Sums beyond ±ExactSum::kMax, which no real recording has, are clamped as in the tables.
template <class Archive> void describe(Archive& archive, const ExactSum& sum) {
  archive(static_cast<std::int64_t>(sum));
}
template <class Archive> void describe(Archive& archive, ExactSum& sum) {
  std::int64_t value = 0;
  archive(value);
  sum = value;
}

// Pauses and lengths, which are short and so compress well.
template <class Archive> void describe(Archive& archive, const IntervalSet& set) {
  std::vector<TimeNs> apart;
  apart.reserve(2 * set.size());
  TimeNs before = 0;
  for (const TimeRange range : set.ranges()) {
    apart.push_back(range.begin - before);
    apart.push_back(range.length());
    before = range.end;
  }
  archive(apart);
}
// What no set can be is read as none.
template <class Archive> void describe(Archive& archive, IntervalSet& set) {
  std::vector<TimeNs> apart;
  archive(apart);
  std::vector<TimeRange> ranges;
  ranges.reserve(apart.size() / 2);
  TimeNs time = 0;
  const auto advance = [&time](TimeNs by) {
    if (by > kAllTime.end - std::max<TimeNs>(time, 0) || by < kAllTime.begin - std::min<TimeNs>(time, 0))
      return false;
    time += by;
    return true;
  };
  for (std::size_t i = 0; i + 1 < apart.size(); i += 2) {
    if ((i > 0 && apart[i] < 0) || apart[i + 1] < 0 || !advance(apart[i])) return;
    const TimeNs begin = time;
    if (!advance(apart[i + 1])) return;
    ranges.push_back({begin, time});
  }
  set = IntervalSet(std::move(ranges));
}

template <class Archive, class Clock> void describe(Archive& archive, const ClockRange<Clock>& range) {
  archive(range.ns());
}
template <class Archive, class Clock> void describe(Archive& archive, ClockRange<Clock>& range) {
  TimeRange ns;
  archive(ns);
  range = ClockRange<Clock>::of(ns);
}

} // namespace rankscope
