// SPDX-License-Identifier: GPL-3.0-or-later
// A value that is computed by whoever asks first and read by everybody after: others who ask meanwhile wait.
// The computation must not throw and must not ask for the same value. No cost beyond a load once it is there.
#pragma once

#include <mutex>
#include <utility>

namespace rankscope {

template <class T> class Lazy {
 public:
  // make() -> T; every caller must pass one that would give the same value.
  template <class Make> [[nodiscard]] const T& get(Make&& make) const {
    std::call_once(m_once, [&] { m_value = std::forward<Make>(make)(); });
    return m_value;
  }

 private:
  mutable std::once_flag m_once;
  mutable T m_value{};
};

} // namespace rankscope
