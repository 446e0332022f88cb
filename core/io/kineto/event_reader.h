// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a slice of a file's event array into SliceEvents. Supports all phases of the Chrome trace format that
// Kineto has used (X, B and E, i, s and f, M, C). Slices are parsed fast at first; if that fails, event by
// event, with repairs and a list of what cannot be read. One reader per thread; readers share nothing. Times
// are file times, without the base time.
#pragma once

#include "core/io/kineto/event_filter.h"
#include "core/io/kineto/event_slicer.h"
#include "core/model/slice_events.h"

#include <memory>
#include <optional>
#include <string_view>

namespace rankscope {

struct SliceReading {
  SliceEvents events;
  // Position of an event that extends beyond the slice's text.
  std::optional<std::uint64_t> unfinishedAt;
};

class EventReader {
 public:
  explicit EventReader(ReaderTables& tables, const EventFilter& filter = {});
  ~EventReader();
  EventReader(EventReader&&) noexcept;

  [[nodiscard]] SliceReading read(const TextSlice& slice, const EventBoundary& boundary);

  // Reads events one by one, with repairs, from text that begins at textAt in the file. An incomplete event
  // counts as unfinished if it begins at or after openFrom, else as damaged. last: this is the end of the
  // file's text.
  [[nodiscard]] SliceReading readCarefully(std::string_view text, std::uint64_t textAt,
                                           std::uint64_t openFrom, bool last, const EventBoundary& boundary);

  // Keeps the memory of a processed slice for the next one.
  void recycle(SliceEvents& events);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace rankscope
