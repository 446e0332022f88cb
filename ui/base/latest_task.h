// SPDX-License-Identifier: GPL-3.0-or-later
// A repeated background computation of which only the newest result counts: at most one runs, on a worker;
// the newest request waits for it; results of older requests are dropped. UI thread. The destructor does
// not wait: the computation owns its data and its result is discarded. Counts as pending work from the
// request until the result was delivered or dropped.
#pragma once

#include "ui/base/pending_work.h"
#include "ui/base/work_failures.h"
#include "ui/base/workers.h"

#include <QObject>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace rankscope::ui {

template <class T> class LatestTask {
  static_assert(!std::is_void_v<T> && !std::is_same_v<T, std::optional<Error>>, "an answer is a value");

 public:
  using Work = std::function<T()>;
  using Done = std::function<void(T)>;
  using Failed = std::function<void(const Error&)>;

  explicit LatestTask(PendingWork& pending) : m_pendingWork(pending) {}

  // work runs on a worker; then, unless replaced by another request or drop(), done runs on the UI thread,
  // or failed if work threw. If T is a Result, done receives errors too.
  void ask(Work work, Done done, Failed failed = reportFailure) {
    m_request = Request{std::move(work), std::move(done), std::move(failed)};
    if (!m_wanted) m_wanted = m_pendingWork.begin();
    if (!m_running) launch();
  }

  // Discards the request and its result.
  void drop() {
    m_request.reset();
    m_wanted.release();
  }

  // Whether a result is outstanding.
  [[nodiscard]] bool pending() const { return static_cast<bool>(m_wanted); }

 private:
  struct Request {
    Work work;
    Done done;
    Failed failed;
  };
  using Answer = decltype(attempt(std::declval<Work&>()));

  void launch() {
    Request request = *std::exchange(m_request, std::nullopt);
    try {
      runOnWorker(&m_context, std::move(request.work),
                  [this, done = std::move(request.done), failed = std::move(request.failed)](Answer answer) {
                    finish(std::move(answer), done, failed);
                  });
      m_running = true;
    } catch (...) { // nothing was started
      m_wanted.release();
      throw;
    }
  }

  void finish(Answer answer, const Done& done, const Failed& failed) {
    m_running = false;
    if (m_request) return launch();
    if (!m_wanted) return;
    // Work started by done() begins before this token is released.
    const PendingWork::Token over = std::exchange(m_wanted, {});
    if constexpr (std::is_same_v<Answer, T>)
      done(std::move(answer));
    else if (answer)
      done(std::move(answer).value());
    else
      failed(answer.error());
  }

  PendingWork& m_pendingWork;
  std::optional<Request> m_request; // newest, not started
  PendingWork::Token m_wanted;      // while the newest result is outstanding
  bool m_running = false;
  QObject m_context; // results are delivered while it lives
};

} // namespace rankscope::ui
