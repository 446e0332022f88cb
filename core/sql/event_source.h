// SPDX-License-Identifier: GPL-3.0-or-later
// All events of the part of a job that is asked about, as SQL tables see them: with ids, times on the job's
// clock from its first event, and orders to group them by. Shared by all connections; thread-safe. Orders
// take 4 bytes an event each; the last few are kept.
#pragma once

#include "core/report/job_report.h"
#include "core/sql/event_facts.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope {

enum class EventKey : std::uint8_t { None, Rank, Name, Kind, Step };
inline constexpr int kEventKeyCount = 5;

// Keys to sort by, most significant first; None at the end.
using EventKeys = std::array<EventKey, 3>;

class EventSource {
 public:
  // analysis must outlive this.
  explicit EventSource(const Analysis& analysis);

  [[nodiscard]] const Analysis& analysis() const { return m_analysis; }
  [[nodiscard]] const TraceSet& trace() const { return m_analysis.trace(); }
  [[nodiscard]] const RankTrace& traceOf(RankIndex rank) const { return *trace().rank(rank).trace; }
  [[nodiscard]] const EventFacts& facts(RankIndex rank) const { return *m_facts[rank.value]; }

  // The number that stands for an event in every table: stable for the same files and load filter.
  [[nodiscard]] static std::int64_t idOf(EventRef event) {
    return (std::int64_t{event.rank.value} << kIdBits) + event.event.value;
  }
  // Empty if no event of the ranks in scope has this id.
  [[nodiscard]] std::optional<EventRef> eventOf(std::int64_t id) const;
  // Tracks are numbered over all ranks.
  [[nodiscard]] std::int64_t trackId(RankIndex rank, TrackIndex track) const {
    return m_firstTrack[rank.value] + track.value;
  }
  [[nodiscard]] TimeNs sinceBegin(RankIndex rank, TimeNs time) const {
    return stoppingSum(m_analysis.clocks().of(rank).toJob(RankTime(time)).ns(), -m_jobBegin);
  }

  // Of all ranks in scope, whether or not in its windows.
  [[nodiscard]] std::uint64_t eventCount() const { return m_firstOfRank.back(); }
  // Kinds of the events of a track as bits 1 << EventKind.
  [[nodiscard]] std::uint32_t kindsOf(RankIndex rank, TrackIndex track) const;
  // Empty if no event has this name.
  [[nodiscard]] std::optional<NameId> nameOf(std::string_view text) const;
  // Place of each name among all names in alphabetical order, by NameId; the place of no name is 0.
  [[nodiscard]] const std::vector<std::uint32_t>& namePlaces() const;
  [[nodiscard]] std::uint32_t placeOfName(NameId name) const {
    return name.valid() ? namePlaces()[name.value] : 0;
  }
  [[nodiscard]] static std::uint32_t placeOfKind(EventKind kind);
  // Place of an event's value among all values of a key in ascending order, NULL first.
  [[nodiscard]] std::uint32_t keyOf(EventKey key, EventRef event) const;

  using Order = std::vector<std::uint32_t>; // of events, as numbered below
  // All events by these keys, then by rank and event. Null if there are too many events for 32-bit numbers.
  [[nodiscard]] std::shared_ptr<const Order> ordered(EventKeys keys) const;
  // The event with a number below eventCount(), near the rank of another one.
  [[nodiscard]] EventRef numbered(std::uint32_t number, RankIndex near) const;

 private:
  static constexpr int kIdBits = 40;
  static constexpr std::size_t kOrdersKept = 3;

  // Distinct numbers of steps, ascending.
  [[nodiscard]] const std::vector<std::int64_t>& stepNumbers() const;
  [[nodiscard]] std::size_t valueCount(EventKey key) const;

  const Analysis& m_analysis;
  TimeNs m_jobBegin = 0;
  std::vector<std::unique_ptr<const EventFacts>> m_facts; // by rank
  std::vector<std::int64_t> m_firstTrack;                 // by rank
  std::vector<std::uint64_t> m_firstOfRank;              // by rank, and the number of all; out of scope: none
  std::vector<Lazy<std::vector<std::uint32_t>>> m_kinds; // by rank, then track
  Lazy<std::vector<std::uint32_t>> m_namePlaces;
  Lazy<std::unordered_map<std::string_view, NameId>> m_nameIds;
  Lazy<std::vector<std::int64_t>> m_stepNumbers;
  mutable std::mutex m_ordering;
  mutable std::vector<std::pair<EventKeys, std::shared_ptr<const Order>>> m_orders; // last used at the end
};

} // namespace rankscope
