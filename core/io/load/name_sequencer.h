// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which files enter the job's names, so that names get the same numbers whichever file is done
// first. A turn passes even on errors, so no thread waits forever.
#pragma once

#include "core/io/reader/work_queue.h"
#include "core/model/string_table.h"

#include <cstddef>
#include <functional>
#include <mutex>

namespace rankscope {

// The job's interner, entered by one file after the other.
class NameSequencer {
 public:
  explicit NameSequencer(WorkQueue& queue) : m_queue(queue) {}

  // Waits for all turns before this one, then lets use work on the interner. When use throws, the turn has
  // passed nevertheless. REQUIRES: each turn is taken once.
  void take(std::size_t turn, const std::function<void(StringInterner&)>& use);
  // As they are now; ids in it never change.
  [[nodiscard]] StringTable snapshot() const;

 private:
  [[nodiscard]] std::size_t current() const;
  void pass();

  WorkQueue& m_queue;
  mutable std::mutex m_mutex;
  StringInterner m_names;
  std::size_t m_writeNumber = 0;
};

} // namespace rankscope
