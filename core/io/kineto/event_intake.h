// SPDX-License-Identifier: GPL-3.0-or-later
// Converts tokens of an event to names, tracks, times and records of its slice. Reports unusable values in
// the slice's diagnostics with their position in the file. One intake per reader; it numbers names and tracks
// in the reader's tables.
#pragma once

#include "core/io/kineto/event_fields.h"
#include "core/io/kineto/event_filter.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

class EventIntake {
 public:
  // Filtered events are only counted, in SliceEvents::leftOut.
  EventIntake(ReaderTables& tables, const EventFilter& filter) : m_tables(tables), m_filter(filter) {}

  void take(const EventFields& fields, SourceRef at, SliceEvents& to);

 private:
  static constexpr std::size_t kTrackCacheSlots = 64;

  struct CachedTrack {
    std::string process;
    std::string thread;
    TrackKind kind = TrackKind::Other;
    std::uint32_t track = kNoRecord;
  };

  // Time, name and kind of the event; empty if it has no usable time.
  [[nodiscard]] std::optional<RawEvent> startEvent(const EventFields& fields, SourceRef at, SliceEvents& to);
  void takeDuration(const EventFields& fields, SourceRef at, SliceEvents& to);
  void takeHalf(const EventFields& fields, SourceRef at, SliceEvents& to);
  void takeInstant(const EventFields& fields, SourceRef at, SliceEvents& to);
  void takeFlow(const EventFields& fields, SourceRef at, SliceEvents& to);
  void takeCounters(const EventFields& fields, SourceRef at, SliceEvents& to);
  [[nodiscard]] RawCollective collective(const CollectiveFields& fields, SourceRef at);
  [[nodiscard]] std::uint32_t intern(std::string_view token, SourceRef at);
  [[nodiscard]] EventKind kindOfName(EventCategory category, std::uint32_t name, bool hasCollective);
  [[nodiscard]] std::uint32_t track(std::string_view process, std::string_view thread, TrackKind kind,
                                    int device = -1);
  [[nodiscard]] std::uint32_t lookUpTrack(std::string_view process, std::string_view thread, TrackKind kind);

  [[nodiscard]] bool wanted(EventKind kind, TimeRange range) const;

  ReaderTables& m_tables;
  EventFilter m_filter;
  bool m_loneBackslash = false; // in the name of the current event
  std::array<CachedTrack, kTrackCacheSlots> m_trackCache;
  std::array<std::vector<std::optional<EventKind>>, 3> m_kindsByName; // kernels, operators, annotations
};

} // namespace rankscope
