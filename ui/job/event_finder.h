// SPDX-License-Identifier: GPL-3.0-or-later
// The search of a session: query text, its error, and the matches found so far by a worker. A new text
// cancels the running search; ranks are added as they finish, and the old matches stay until the first of
// them. Matches belong to session.trace(). UI thread; only finish() blocks.
#pragma once

#include "core/query/search_hits.h"
#include "ui/job/trace_session.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::ui {

class EventFinder : public QObject {
  Q_OBJECT

 public:
  explicit EventFinder(TraceSession& session, QObject* parent = nullptr);
  ~EventFinder() override;

  [[nodiscard]] const QString& text() const { return m_text; }
  void setText(const QString& text);
  // The error of the text and its position.
  struct Problem {
    QString what;
    qsizetype at = 0;
  };
  [[nodiscard]] const std::optional<Problem>& problem() const { return m_problem; }

  // Whether a search is active in an open job.
  [[nodiscard]] bool active() const { return m_hits != nullptr; }
  [[nodiscard]] bool running() const { return m_work != nullptr; }
  // Of all finished ranks; null without a search.
  [[nodiscard]] const std::shared_ptr<const SearchHits>& hits() const { return m_hits; }
  [[nodiscard]] const HitSums& sums() const { return m_sums; }
  // Begin times of matches, ascending; empty if there are too many to draw.
  [[nodiscard]] std::span<const TimeNs> begins() const { return m_begins; }
  // Number of matches that begin in each of equal parts of session.limits().
  [[nodiscard]] std::span<const std::uint32_t> density() const { return m_density; }
  // Changes with the matches; unique among finders.
  [[nodiscard]] std::uint64_t revision() const { return m_revision; }

  // Selects and reveals the match after or before the selection; without a selection the first one in the
  // window. While a search runs, once it is done.
  void next();
  void previous();
  // The index of the selection among the matches; empty if it is none.
  [[nodiscard]] std::optional<std::uint64_t> place() const;

 signals:
  void textChanged();
  // Matches, their sums or the error.
  void changed();

 private:
  struct Work;

  void restart();
  void giveUp();
  void collect();
  void clear();
  void step(bool forward);

  TraceSession& m_session;
  QString m_text;
  std::optional<Problem> m_problem;
  std::shared_ptr<Work> m_work;
  PendingWork::Token m_running;       // while a search runs
  std::optional<bool> m_stepWhenDone; // forward or not
  std::shared_ptr<const SearchHits> m_hits;
  HitSums m_sums;
  std::vector<TimeNs> m_begins;
  std::vector<std::uint32_t> m_density;
  std::uint64_t m_revision = nextRevision();
  QTimer m_timer;
};

} // namespace rankscope::ui
