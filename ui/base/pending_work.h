// SPDX-License-Identifier: GPL-3.0-or-later
// How much is under way whose end somebody may wait for: pictures, exports and tests wait until it is
// nothing. Who begins something holds a token as long as its outcome is to come, however it ends. A part of a
// whole counts for itself, and as one for the whole. UI thread: what a worker does is held by who waits for
// it.
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

    QPointer<PendingWork> m_of; // null: none, or what it counted for is gone
  };

  // whole outlives this.
  explicit PendingWork(PendingWork* whole = nullptr) : m_whole(whole) {}

  [[nodiscard]] Token begin();
  [[nodiscard]] bool idle() const { return m_count == 0; }

 signals:
  // Nothing is under way any more. Said from the event loop, so that a step between two others is none; a
  // part says it before its whole does.
  void settled();

 private:
  void end();

  PendingWork* m_whole;
  Token m_ofWhole; // while anything is under way
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
