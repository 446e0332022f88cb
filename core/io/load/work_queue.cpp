// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/work_queue.h"

#include <utility>

namespace rankscope {

void WorkQueue::push(Work work) {
  {
    const std::lock_guard lock(m_mutex);
    m_work.push_back(std::move(work));
  }
  m_changed.notify_one();
}

std::size_t WorkQueue::size() const {
  const std::lock_guard lock(m_mutex);
  return m_work.size();
}

bool WorkQueue::runOne() {
  Work work;
  {
    const std::lock_guard lock(m_mutex);
    if (m_work.empty()) return false;
    work = std::move(m_work.front());
    m_work.pop_front();
  }
  work();
  return true;
}

void WorkQueue::workUntil(const std::function<bool()>& done) {
  for (;;) {
    std::uint64_t wakes = 0;
    {
      const std::lock_guard lock(m_mutex);
      wakes = m_wakes;
    }
    if (done()) return;
    if (runOne()) continue;
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return !m_work.empty() || m_wakes != wakes; });
  }
}

void WorkQueue::wake() {
  {
    const std::lock_guard lock(m_mutex);
    ++m_wakes;
  }
  m_changed.notify_all();
}

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
