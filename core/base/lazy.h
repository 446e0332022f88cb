// SPDX-License-Identifier: GPL-3.0-or-later
// A value computed by the first caller and shared by all later ones. Concurrent callers wait for it. If the
// computation throws, its caller gets the exception and the next caller computes again. The computation must
// not request the same value (deadlock). Once the value exists, access costs one atomic load.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace rankscope {

// Does not use std::call_once: after an exception, some systems and the thread sanitizer leave it locked.
template <class T> class Lazy {
 public:
  // make() -> T. All callers must pass functions that return the same value.
  template <class Make> [[nodiscard]] const T& get(Make&& make) const {
    if (!isThere()) {
      const std::lock_guard lock(m_making);
      if (!m_there.load(std::memory_order_relaxed)) {
        m_value = std::forward<Make>(make)();
        m_there.store(true, std::memory_order_release);
      }
    }
    return m_value;
  }

  // Whether it was computed.
  [[nodiscard]] bool isThere() const { return m_there.load(std::memory_order_acquire); }

 private:
  mutable std::mutex m_making;
  mutable std::atomic<bool> m_there{false};
  mutable T m_value{};
};

} // namespace rankscope
