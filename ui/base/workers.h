// SPDX-License-Identifier: GPL-3.0-or-later
// A thread pool. Results are delivered on the UI thread: a value, or the Error of an exception. Threads are
// started on demand and reused; if no thread can be started, the caller does the work. Called from the UI
// thread; only waitForDone() and the program's end block.
#pragma once

#include "core/base/caught.h"
#include "core/base/thread_team.h"

#include <QPointer>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope::ui {

class Workers {
 public:
  class WorkItem {
   public:
    virtual ~WorkItem() = default;
    virtual void work() noexcept = 0; // on any thread
    virtual void deliver() = 0;       // on the UI thread, afterwards
  };

  // The program's pool; it ends with its QCoreApplication. REQUIRES: that exists.
  static Workers& ofProgram();

  // Started in order of the calls. If it throws, nothing was enqueued.
  void run(std::unique_ptr<WorkItem> item);
  // Waits until all work ended, delivered or not; false on timeout.
  [[nodiscard]] bool waitForDone(int milliseconds);

  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

 private:
  class Receiver;
  using WorkItems = std::list<std::unique_ptr<WorkItem>>; // moved between lists without allocation

  Workers();
  void runLoop() noexcept;
  void startThread() noexcept;
  void runFirst(std::unique_lock<std::mutex>& lock) noexcept;
  void deliverOne();
  void end();

  std::mutex m_mutex; // guards all below
  std::condition_variable m_wake;
  std::condition_variable m_idle;
  WorkItems m_waiting;
  WorkItems m_finished;
  std::size_t m_free = 0; // threads that wait for work
  std::size_t m_busy = 0; // items being executed
  bool m_ending = false;
  std::unique_ptr<Receiver> m_receiver;
  std::vector<std::unique_ptr<ThreadTeam>> m_threads; // one thread each
};

// Sets a flag in its destructor and notifies waiters, also after an exception.
class SetAtEnd {
 public:
  explicit SetAtEnd(std::atomic<bool>& flag) : m_flag(flag) {}
  ~SetAtEnd() {
    m_flag = true;
    m_flag.notify_all();
  }
  SetAtEnd(const SetAtEnd&) = delete;
  SetAtEnd& operator=(const SetAtEnd&) = delete;

 private:
  std::atomic<bool>& m_flag;
};

// Runs work() on a worker, then done(result) on the UI thread unless context is gone; the result is that of
// attempt().
template <class Work, class Done> void runOnWorker(QObject* context, Work work, Done done) {
  class Task : public Workers::WorkItem {
   public:
    Task(QObject* context, Work work, Done done)
        : m_context(context), m_work(std::move(work)), m_done(std::move(done)) {}
    void work() noexcept override {
      m_answer.emplace(attempt(*m_work));
      m_work.reset(); // its captures may be large
    }
    void deliver() override {
      if (m_context) m_done(std::move(*m_answer));
    }

   private:
    QPointer<QObject> m_context;
    std::optional<Work> m_work;
    Done m_done;
    std::optional<decltype(attempt(std::declval<Work&>()))> m_answer;
  };
  Workers::ofProgram().run(std::make_unique<Task>(context, std::move(work), std::move(done)));
}

} // namespace rankscope::ui
