// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader/work_queue.h"

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

void WorkQueue::workUntil(const std::function<bool()>& done,
                          std::optional<std::chrono::steady_clock::time_point> limit) {
  for (;;) {
    std::uint64_t wakes = 0;
    {
      const std::lock_guard lock(m_mutex);
      wakes = m_wakes;
    }
    if (done()) return;
    if (runOne()) continue;
    std::unique_lock lock(m_mutex);
    const auto changed = [&] { return !m_work.empty() || m_wakes != wakes; };
    if (!limit)
      m_changed.wait(lock, changed);
    else if (!m_changed.wait_until(lock, *limit, changed))
      return;
  }
}

void WorkQueue::wake() {
  {
    const std::lock_guard lock(m_mutex);
    ++m_wakes;
  }
  m_changed.notify_all();
}

} // namespace rankscope
