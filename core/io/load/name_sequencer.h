// SPDX-License-Identifier: GPL-3.0-or-later
// Lets files add their names to the job in file order, so that name ids do not depend on which file is read
// first. A turn ends even on errors, so threads cannot deadlock.
#pragma once

#include "core/io/reader/work_queue.h"
#include "core/model/string_table.h"

#include <cstddef>
#include <functional>
#include <mutex>

namespace rankscope {

// The job's interner, used by one file at a time.
class NameSequencer {
 public:
  explicit NameSequencer(WorkQueue& queue) : m_queue(queue) {}

  // Waits for all earlier turns, then calls use(interner). If `use` throws, the turn ends as well. REQUIRES:
  // each turn is taken once.
  void take(std::size_t turn, const std::function<void(StringInterner&)>& use);
  // Names so far. Their ids never change.
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
