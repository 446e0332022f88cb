// SPDX-License-Identifier: GPL-3.0-or-later
// Counts outstanding work: screenshots, exports and tests wait until it is zero. Whoever starts work holds
// a token until it ends, in any way. A child counts as one in its parent. UI thread: work on a worker is
// represented by the token of its requester.
#pragma once

#include <QObject>
#include <QPointer>

#include <utility>

namespace rankscope::ui {

class PendingWork : public QObject {
  Q_OBJECT

 public:
  class Token {
   public:
    Token() = default;
    Token(Token&& other) noexcept : m_of(std::exchange(other.m_of, nullptr)) {}
    Token& operator=(Token&& other) noexcept {
      std::swap(m_of, other.m_of);
      other.release();
      return *this;
    }
    Token(const Token&) = delete;
    Token& operator=(const Token&) = delete;
    ~Token() { release(); }

    void release() {
      if (PendingWork* const of = std::exchange(m_of, nullptr)) of->end();
    }
    [[nodiscard]] explicit operator bool() const { return !m_of.isNull(); }

   private:
    friend class PendingWork;
    explicit Token(PendingWork* of) : m_of(of) {}

    QPointer<PendingWork> m_of; // null: none, or the counter is gone
  };

  // parent outlives this.
  explicit PendingWork(PendingWork* parent = nullptr) : m_parent(parent) {}

  [[nodiscard]] Token begin();
  [[nodiscard]] bool idle() const { return m_count == 0; }

 signals:
  // No work is outstanding. Emitted from the event loop, so that a short gap between two tasks does not
  // count; a child emits before its parent.
  void settled();

 private:
  void end();

  PendingWork* m_parent;
  Token m_parentToken; // while any work is outstanding
  int m_count = 0;
};

// Calls then() when nothing is under way: at once where nothing is, else from the event loop, unless context
// is gone by then.
template <class Then> void whenSettled(PendingWork& work, QObject* context, Then then) {
  if (work.idle()) return then();
  QObject::connect(
      &work, &PendingWork::settled, context,
      [&work, context, then = std::move(then)]() mutable { whenSettled(work, context, std::move(then)); },
      Qt::SingleShotConnection);
}

} // namespace rankscope::ui
