// SPDX-License-Identifier: GPL-3.0-or-later
// Small pieces of work for all threads of a load. A thread that waits for others runs pieces meanwhile.
// Pieces never wait and never throw, so threads cannot deadlock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

namespace rankscope {

class WorkQueue {
 public:
  using Work = std::function<void()>;

  void push(Work work);
  [[nodiscard]] std::size_t size() const;
  // Runs one piece; false if there is none.
  bool runOne();
  // Runs pieces until done() is true; sleeps if there are none. Call wake() whenever done() may have become
  // true.
  void workUntil(const std::function<bool()>& done) { workUntil(done, std::nullopt); }
  // The same, but sleeps no longer than until `limit`.
  void workUntil(const std::function<bool()>& done,
                 std::optional<std::chrono::steady_clock::time_point> limit);
  void wake();

 private:
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<Work> m_work;
  std::uint64_t m_wakes = 0;
};

} // namespace rankscope
