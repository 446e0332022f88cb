// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/workers.h"

#include <QCoreApplication>
#include <QEvent>

#include <algorithm>
#include <chrono>
#include <thread>

namespace rankscope::ui {

namespace {

// On a small machine a load that is slow to stop must not block the next one or the details of a click.
constexpr unsigned kMinThreads = 4;

const auto kArrival = static_cast<QEvent::Type>(QEvent::registerEventType());

} // namespace

// Lives on the UI thread; each event delivers one work item.
class Workers::Receiver : public QObject {
 public:
  explicit Receiver(Workers& workers) : m_workers(workers) {}

  // From any thread. Retries if there is no memory for the event: finished work frees its own.
  void post() noexcept {
    for (;;) {
      try {
        QCoreApplication::postEvent(this, new QEvent(kArrival));
        return;
      } catch (...) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }

  bool event(QEvent* event) override {
    if (event->type() != kArrival) return QObject::event(event);
    m_workers.deliverOne();
    return true;
  }

 private:
  Workers& m_workers;
};

Workers::Workers() : m_receiver(std::make_unique<Receiver>(*this)) {
  m_threads.reserve(std::max(kMinThreads, defaultThreadCount()));
}

Workers::~Workers() {
  end();
}

Workers& Workers::ofProgram() {
  static Workers workers;
  static const bool ends = [] {
    qAddPostRoutine([] { ofProgram().end(); });
    return true;
  }();
  static_cast<void>(ends);
  return workers;
}

void Workers::run(std::unique_ptr<WorkItem> item) {
  WorkItems one;
  one.push_back(std::move(item));
  std::unique_lock lock(m_mutex);
  m_waiting.splice(m_waiting.end(), one);
  if (m_free < m_waiting.size() && m_threads.size() < m_threads.capacity()) startThread();
  if (m_threads.empty())
    runFirst(lock);
  else
    m_wake.notify_one();
}

// REQUIRES: the mutex is held.
void Workers::startThread() noexcept {
  try {
    auto thread = std::make_unique<ThreadTeam>(1, [this] { runLoop(); });
    if (thread->size() == 1) m_threads.push_back(std::move(thread));
  } catch (...) {
    // The existing threads do the work sequentially.
  }
}

// Runs the first waiting item with the lock released.
void Workers::runFirst(std::unique_lock<std::mutex>& lock) noexcept {
  WorkItems one;
  one.splice(one.end(), m_waiting, m_waiting.begin());
  ++m_busy;
  lock.unlock();
  one.front()->work();
  lock.lock();
  m_finished.splice(m_finished.end(), one);
  lock.unlock();
  m_receiver->post();
  lock.lock();
  --m_busy;
  m_idle.notify_all();
}

void Workers::runLoop() noexcept {
  std::unique_lock lock(m_mutex);
  for (;;) {
    ++m_free;
    m_wake.wait(lock, [this] { return m_ending || !m_waiting.empty(); });
    --m_free;
    if (m_waiting.empty()) return;
    runFirst(lock);
  }
}

void Workers::deliverOne() {
  WorkItems one;
  {
    const std::lock_guard lock(m_mutex);
    if (m_finished.empty()) return;
    one.splice(one.end(), m_finished, m_finished.begin());
  }
  one.front()->deliver();
}

bool Workers::waitForDone(int milliseconds) {
  std::unique_lock lock(m_mutex);
  return m_idle.wait_for(lock, std::chrono::milliseconds(milliseconds),
                         [this] { return m_busy == 0 && m_waiting.empty(); });
}

// Requested work is completed, as files may be half written; results are discarded.
void Workers::end() {
  {
    const std::lock_guard lock(m_mutex);
    m_ending = true;
  }
  m_wake.notify_all();
  m_threads.clear();
  m_finished.clear();
}

} // namespace rankscope::ui
