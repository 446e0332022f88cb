// SPDX-License-Identifier: GPL-3.0-or-later
// One event's members as the parser found them: tokens that still lie in the text, before anybody decides
// what the event is. Arguments are looked at only as far as they become columns: all of them on device
// events, the ids of host events, the names in metadata. Tokens are views into the text and live as long as
// it.
#pragma once

#include "core/model/event_kind.h"
#include "core/model/slice_events.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

// categoryFromText, remembered: the spellings of a file are few, and neighbors share theirs.
class CategoryNames {
 public:
  [[nodiscard]] EventCategory of(std::string_view text);

 private:
  std::vector<std::pair<std::string, EventCategory>> m_known;
};

// A device's number as columns keep it: -1 when there is none, which some writers store in 32 bits without a
// sign; nothing for what does not fit.
[[nodiscard]] std::optional<std::int32_t> deviceNumber(std::int64_t written);

// The texts of a collective's arguments; empty when not there. Its numbers are in `numbers`.
struct CollectiveFields {
  std::string_view operation;
  std::string_view dtype;
  std::string_view groupName;
  std::string_view groupDescription;
  std::string_view groupRanks;
  RawCollective numbers;
};

// Strings are without their quotes, escapes unresolved.
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
  RawSync sync;                  // streams and calls that a synchronization row names besides its own
  std::string_view metadataText; // of a metadata event
  std::vector<std::pair<std::string_view, double>> counters; // of a counter event, by key
  bool hasMemory = false;                                    // a change of allocated bytes
  bool oddNumber = false;                                    // NaN or the like where a column wants a number

  // As of no event; what was allocated stays allocated.
  void clear();
  [[nodiscard]] bool hasCollective() const { return collective.operation.data() != nullptr; }
};

} // namespace rankscope
