// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/name_sequencer.h"

namespace rankscope {

void NameSequencer::take(std::size_t turn, const std::function<void(StringInterner&)>& use) {
  m_queue.workUntil([&] { return current() == turn; });
  struct Pass {
    NameSequencer& turns;
    ~Pass() { turns.pass(); }
  } const pass{*this};
  const std::lock_guard lock(m_mutex);
  use(m_names);
}

void NameSequencer::pass() {
  {
    const std::lock_guard lock(m_mutex);
    ++m_writeNumber;
  }
  m_queue.wake();
}

StringTable NameSequencer::snapshot() const {
  const std::lock_guard lock(m_mutex);
  return m_names.snapshot();
}

std::size_t NameSequencer::current() const {
  const std::lock_guard lock(m_mutex);
  return m_writeNumber;
}

} // namespace rankscope
