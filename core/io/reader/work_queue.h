// SPDX-License-Identifier: GPL-3.0-or-later
// Small pieces of work that any thread of a load may take. A thread that has to wait for others works off
// pieces meanwhile; pieces never wait and never throw, so no thread waits forever.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
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

} // namespace rankscope
