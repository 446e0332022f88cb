// SPDX-License-Identifier: GPL-3.0-or-later
// Where the events of a file wait between being read and being sorted: packed into a few large chunks that
// all readers of the file fill, so that a chunk's memory returns to the system as soon as everything in it
// has been taken. Readers may keep at the same time.
#pragma once

#include "core/base/raw_array.h"
#include "core/model/raw_event.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

namespace rankscope {

// Events of a chunk, which lives as long as somebody refers to a part of it.
struct KeptEvents {
  std::span<const RawEvent> events;
  std::shared_ptr<const RawArray<RawEvent>> chunk;
};

class EventChunks {
 public:
  // A copy of these events. Throws std::bad_alloc.
  [[nodiscard]] KeptEvents keep(std::span<const RawEvent> events);

 private:
  std::mutex m_mutex;
  std::shared_ptr<const RawArray<RawEvent>> m_chunk;
  std::size_t m_used = 0; // of m_chunk
  std::size_t m_nextSize = 0;
};

} // namespace rankscope
