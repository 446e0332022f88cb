// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/name_turns.h"

namespace rankscope {

void NameTurns::take(std::size_t turn, const std::function<void(StringInterner&)>& use) {
  m_queue.workUntil([&] { return current() == turn; });
  struct Pass {
    NameTurns& turns;
    ~Pass() { turns.pass(); }
  } const pass{*this};
  const std::lock_guard lock(m_mutex);
  use(m_names);
}

void NameTurns::pass() {
  {
    const std::lock_guard lock(m_mutex);
    ++m_turn;
  }
  m_queue.wake();
}

StringTable NameTurns::snapshot() const {
  const std::lock_guard lock(m_mutex);
  return m_names.snapshot();
}

std::size_t NameTurns::current() const {
  const std::lock_guard lock(m_mutex);
  return m_turn;
}

} // namespace rankscope
