// SPDX-License-Identifier: GPL-3.0-or-later
// A question that is asked again and again, of which only the newest answer counts: at most one computation
// runs, away from the UI thread; the newest wish waits for it; answers to older wishes are dropped. Belongs
// to the UI thread. Destroying it does not wait: a computation owns what it uses and its answer goes nowhere.
// It is pending work from the wish until its answer was taken, or nobody wants it any more.
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

  // work runs on a worker; then, unless another wish or drop() comes before, done runs on the UI thread, or
  // failed where work threw. Where T is a Result, done hears of that too.
  void ask(Work work, Done done, Failed failed = reportFailure) {
    m_request = Request{std::move(work), std::move(done), std::move(failed)};
    if (!m_wanted) m_wanted = m_pendingWork.begin();
    if (!m_running) launch();
  }

  // Nobody wants the answer any more.
  void drop() {
    m_request.reset();
    m_wanted.release();
  }

  // Whether an answer is still to come.
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
    } catch (...) { // nothing was begun
      m_wanted.release();
      throw;
    }
  }

  void finish(Answer answer, const Done& done, const Failed& failed) {
    m_running = false;
    if (m_request) return launch();
    if (!m_wanted) return;
    // What follows from the answer begins before this is over.
    const PendingWork::Token over = std::exchange(m_wanted, {});
    if constexpr (std::is_same_v<Answer, T>)
      done(std::move(answer));
    else if (answer)
      done(std::move(answer).value());
    else
      failed(answer.error());
  }

  PendingWork& m_pendingWork;
  std::optional<Request> m_request; // newest, not begun
  PendingWork::Token m_wanted;      // somebody waits for the newest answer
  bool m_running = false;
  QObject m_context; // answers find their way as long as it lives
};

} // namespace rankscope::ui
