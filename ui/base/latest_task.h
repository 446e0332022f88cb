// SPDX-License-Identifier: GPL-3.0-or-later
// A question that is asked again and again, of which only the newest answer counts: at most one computation
// runs, away from the UI thread; the newest wish waits for it; answers to older wishes are dropped. Belongs
// to the UI thread. Destroying it does not wait: a computation owns what it uses and its answer goes nowhere.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QtConcurrentRun>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace rankscope::ui {

template <class T> class LatestTask {
 public:
  using Work = std::function<T()>;
  using Done = std::function<void(T)>;

  // work runs on a worker, done on the UI thread, unless another wish or drop() comes before.
  void ask(Work work, Done done) {
    m_wish = Wish{std::move(work), std::move(done)};
    m_wanted = true;
    if (!m_watcher) launch();
  }

  // Nobody wants the answer any more.
  void drop() {
    m_wish.reset();
    m_wanted = false;
  }

  // Whether an answer is still to come.
  [[nodiscard]] bool pending() const { return m_wanted; }

 private:
  struct Wish {
    Work work;
    Done done;
  };

  void launch() {
    auto answer = std::make_shared<std::optional<T>>();
    auto done = std::move(m_wish->done);
    auto work = std::move(m_wish->work);
    m_wish.reset();
    m_watcher = std::make_unique<QFutureWatcher<void>>();
    QObject::connect(m_watcher.get(), &QFutureWatcher<void>::finished, m_watcher.get(),
                     [this, answer, done = std::move(done)] { finish(std::move(**answer), done); });
    m_watcher->setFuture(QtConcurrent::run([answer, work = std::move(work)] { answer->emplace(work()); }));
  }

  void finish(T answer, const Done& done) {
    // The watcher is in the middle of its signal.
    m_watcher.release()->deleteLater();
    if (m_wish) {
      launch();
    } else if (m_wanted) {
      m_wanted = false;
      const Done call = done; // the closure that holds it may go with the watcher
      call(std::move(answer));
    }
  }

  std::optional<Wish> m_wish; // newest, not begun
  bool m_wanted = false;      // somebody waits for the newest answer
  std::unique_ptr<QFutureWatcher<void>> m_watcher;
};

} // namespace rankscope::ui
