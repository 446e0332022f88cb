// SPDX-License-Identifier: GPL-3.0-or-later
// A value that is computed by the first caller and read by all later ones: concurrent callers wait.
// An exception goes to the caller that computes; the value is still missing then, and the next caller
// computes it. The computation must not ask for the same value. No cost beyond a load once it is there.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace rankscope {

// Not std::call_once, which some systems, and the thread sanitizer, leave locked forever by an exception.
template <class T> class Lazy {
 public:
  // make() -> T; every caller must pass one that would give the same value.
  template <class Make> [[nodiscard]] const T& get(Make&& make) const {
    if (!m_there.load(std::memory_order_acquire)) {
      const std::lock_guard lock(m_making);
      if (!m_there.load(std::memory_order_relaxed)) {
        m_value = std::forward<Make>(make)();
        m_there.store(true, std::memory_order_release);
      }
    }
    return m_value;
  }

 private:
  mutable std::mutex m_making;
  mutable std::atomic<bool> m_there{false};
  mutable T m_value{};
};

} // namespace rankscope
