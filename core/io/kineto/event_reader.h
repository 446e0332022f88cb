// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one slice of a file's event array into SliceEvents: every phase and variant of the Chrome trace
// format as Kineto wrote it over the years (X, B and E, i, s and f, M, C). A slice is first read at full
// speed; when anything in it does not parse it is read again event by event, repairing what can be repaired
// and listing what cannot. One reader per thread; all readers of a file share nothing. Times are the file's,
// without its base time.
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
  // Where an event begins that the slice's text does not finish: the slice was cut inside it.
  std::optional<std::uint64_t> unfinishedAt;
};

class EventReader {
 public:
  explicit EventReader(ReaderTables& tables, const EventFilter& filter = {});
  ~EventReader();
  EventReader(EventReader&&) noexcept;

  [[nodiscard]] SliceReading read(const TextSlice& slice, const EventBoundary& boundary);

  // The careful way only: the events of a stretch of the array's text, which lies at textAt of the file. One
  // that begins at or after openFrom and does not end within the text is unfinished, an earlier one damaged.
  // last: nothing follows the text.
  [[nodiscard]] SliceReading readCarefully(std::string_view text, std::uint64_t textAt,
                                           std::uint64_t openFrom, bool last, const EventBoundary& boundary);

  // What is left of a slice whose records were kept: memory to read the next one into.
  void recycle(SliceEvents& events);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace rankscope
