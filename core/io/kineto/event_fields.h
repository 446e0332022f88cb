// SPDX-License-Identifier: GPL-3.0-or-later
// The members of one JSON event as tokens, before the event is interpreted. Of its arguments only those
// needed for columns are read: all known ones of device events, ids of host events, names in metadata. Tokens
// are views into the text.
#pragma once

#include "core/model/event_kind.h"
#include "core/model/slice_events.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

// Caches categoryFromText: a file has few spellings, and consecutive events often share one.
class CategoryNames {
 public:
  [[nodiscard]] EventCategory of(std::string_view text);

 private:
  std::vector<std::pair<std::string, EventCategory>> m_known;
};

// Device number as stored in columns: -1 for none, which some writers store as an unsigned 32-bit number.
// Empty if out of range.
[[nodiscard]] std::optional<std::int32_t> deviceNumber(std::int64_t written);

// Text arguments of a collective, empty if missing. Its numbers are in `numbers`.
struct CollectiveFields {
  std::string_view operation;
  std::string_view dtype;
  std::string_view groupName;
  std::string_view groupDescription;
  std::string_view groupRanks;
  RawCollective numbers;
};

// Strings are without quotes, escapes not resolved.
struct EventFields {
  char phase = '\0';
  std::optional<EventCategory> category;
  std::string_view name;
  std::string_view process;
  std::string_view thread;
  std::string_view time;
  std::string_view duration;
  std::string_view id;

  RawDevice device;
  RawMemory memory;
  CollectiveFields collective;
  RawSync sync;                  // other streams and calls named by a synchronization row
  std::string_view metadataText; // of a metadata event
  std::vector<std::pair<std::string_view, double>> counters; // of a counter event, by key
  bool hasMemory = false;                                    // has a change of allocated bytes
  bool oddNumber = false; // NaN or similar in a field that must be a number

  // Resets everything but keeps allocated memory.
  void clear();
  [[nodiscard]] bool hasCollective() const { return collective.operation.data() != nullptr; }
};

} // namespace rankscope
