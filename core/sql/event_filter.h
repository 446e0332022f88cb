// SPDX-License-Identifier: GPL-3.0-or-later
// Which events a query wants, and where they are: conditions on columns become slices of rows by binary
// search, so that other events are never looked at. Conditions are inclusive. What a filter lets through is
// compared again by SQLite, so a filter may let through too much, never too little.
#pragma once

#include "core/sql/event_source.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace rankscope {

struct EventFilter {
  static constexpr std::uint32_t kAllKinds = (1U << kEventKindCount) - 1;
  static constexpr TimeNs kMin = std::numeric_limits<TimeNs>::min();
  static constexpr TimeNs kMax = std::numeric_limits<TimeNs>::max();

  // minimum and maximum of a time
  struct Bounds {
    TimeNs min = kMin;
    TimeNs max = kMax;

    [[nodiscard]] bool contains(TimeNs time) const { return min <= time && time <= max; }
    [[nodiscard]] bool unlimited() const { return min == kMin && max == kMax; }
  };

  bool nothing = false; // no event can match
  std::uint32_t kinds = kAllKinds;
  bool onlyOperators = false;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> capture;
  std::optional<std::int64_t> track; // id
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> stream;
  std::optional<std::int64_t> id;
  std::optional<std::int64_t> launch; // id of the runtime call
  std::optional<NameId> name;
  std::vector<bool> names; // by NameId; empty: all
  Bounds begin;            // since the job's begin
  Bounds end;
  Bounds duration;

  // Only one name; nothing if it contradicts an earlier one.
  void takeName(std::optional<NameId> wanted);
  // Only the names for which accepts(text) is true.
  template <class Accepts> void takeNames(const StringTable& all, Accepts&& accepts) {
    if (names.empty()) names.assign(all.size(), true);
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = names[i] && accepts(all[NameId(i)]);
  }
  // One value; nothing if it contradicts an earlier one.
  void take(std::optional<std::int64_t>& member, std::int64_t value);
};

// Adjacent events of one row.
struct EventSlice {
  RankIndex rank;
  RowIndex row;
  EventIndex first;
  EventIndex end;
};

// The conditions that can be tested on an event of a slice.
[[nodiscard]] bool matches(const EventSource& source, const EventFilter& filter, EventRef event);
// All conditions, for an event found otherwise.
[[nodiscard]] bool matchesAll(const EventSource& source, const EventFilter& filter, EventRef event);
// Whether matches() is true for all events of slices of a track with these kinds.
[[nodiscard]] bool matchesTracks(const EventFilter& filter, std::uint32_t trackKinds);

// By rank, then row. Does not consider id and launch.
[[nodiscard]] std::vector<EventSlice> slicesOf(const EventSource& source, const EventFilter& filter);

// Device and stream of an event; empty if it is not on a device.
[[nodiscard]] std::optional<std::int64_t> deviceOf(const RankTrace& trace, EventIndex event);
[[nodiscard]] std::optional<std::int64_t> streamOf(const RankTrace& trace, EventIndex event);

} // namespace rankscope
