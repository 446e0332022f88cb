// SPDX-License-Identifier: GPL-3.0-or-later
// LIKE, GLOB, instr, replace and trim in place of SQLite's, which can take hours over texts made for it and
// cannot be stopped meanwhile. These look at the limits of the connection while they work. Same results.
#pragma once

#include "core/base/sqlite.h"

#include <cstdint>
#include <string_view>

namespace rankscope {

// Makes them functions of the connection, which must not move afterwards. An SQLite result code.
int addTextFunctions(const SqliteConnection& connection);

// Counts comparisons of bytes, and asks the connection now and then whether to go on.
class TextWork {
 public:
  explicit TextWork(const SqliteConnection* connection) : m_connection(connection) {}

  // False when it is to stop.
  bool add(std::uint64_t steps) {
    m_steps += steps;
    if (m_steps < kBetweenLooks) return !m_stopped;
    m_steps = 0;
    m_stopped = m_stopped || (m_connection != nullptr && m_connection->mustStop());
    return !m_stopped;
  }
  [[nodiscard]] bool stopped() const { return m_stopped; }

 private:
  static constexpr std::uint64_t kBetweenLooks = 1 << 20;

  const SqliteConnection* m_connection;
  std::uint64_t m_steps = 0;
  bool m_stopped = false;
};

// LIKE: '%' any text, '_' any character; ASCII letters in any case. escape: character that takes the meaning
// from the next one; 0 none. False if stopped.
[[nodiscard]] bool isLike(std::string_view text, std::string_view pattern, char32_t escape, TextWork& work);
// GLOB: '*', '?', '[a-z]', '[^a-z]'; in the case as written.
[[nodiscard]] bool isGlob(std::string_view text, std::string_view pattern, TextWork& work);

} // namespace rankscope
