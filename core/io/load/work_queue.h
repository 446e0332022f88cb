// SPDX-License-Identifier: GPL-3.0-or-later
// Small pieces of work that any thread of a load may take, and the order in which files enter the job's
// names. A thread that has to wait for others works off pieces meanwhile; pieces never wait and never throw,
// and a turn passes whatever happens in it, so nobody waits for ever.
#pragma once

#include "core/model/string_table.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace rankscope {

class WorkQueue {
 public:
  using Work = std::function<void()>;

  void push(Work work);
  [[nodiscard]] std::size_t size() const;
  // Takes and does one piece; false when there is none.
  bool runOne();
  // Works until done() holds; sleeps when there is nothing to work on. Whatever makes done() true calls
  // wake().
  void workUntil(const std::function<bool()>& done);
  void wake();

 private:
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<Work> m_work;
  std::uint64_t m_wakes = 0;
};

// The job's interner, entered by one file after the other.
class NameTurns {
 public:
  explicit NameTurns(WorkQueue& queue) : m_queue(queue) {}

  // Waits for all turns before this one, then lets use work on the interner. When use throws, the turn has
  // passed all the same. REQUIRES: each turn is taken once.
  void take(std::size_t turn, const std::function<void(StringInterner&)>& use);
  // As they are now; ids in it never change.
  [[nodiscard]] StringTable snapshot() const;

 private:
  [[nodiscard]] std::size_t current() const;
  void pass();

  WorkQueue& m_queue;
  mutable std::mutex m_mutex;
  StringInterner m_names;
  std::size_t m_turn = 0;
};

} // namespace rankscope
