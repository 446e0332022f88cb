// SPDX-License-Identifier: GPL-3.0-or-later
// The search of a session: the line that was typed, what is wrong with it, and the hits so far, found on a
// worker while one types on. A newer text gives up what runs for an older one; ranks come in as they are
// ready, and what is shown of the older text stays until the first of them does. Hits belong to
// session.trace(). UI thread; nothing here waits.
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
  // What is wrong with the text, and the position in it where that begins.
  struct Problem {
    QString what;
    qsizetype at = 0;
  };
  [[nodiscard]] const std::optional<Problem>& problem() const { return m_problem; }

  // Whether something is looked for in an open job.
  [[nodiscard]] bool active() const { return m_hits != nullptr; }
  [[nodiscard]] bool running() const { return m_work != nullptr; }
  // Of all ranks that are ready; null while nothing is looked for.
  [[nodiscard]] const std::shared_ptr<const SearchHits>& hits() const { return m_hits; }
  [[nodiscard]] const HitSums& sums() const { return m_sums; }
  // When hits begin, ascending; empty when there are too many to be distinguished in a picture.
  [[nodiscard]] std::span<const TimeNs> begins() const { return m_begins; }
  // How many begin in each of equal parts of session.limits().
  [[nodiscard]] std::span<const std::uint32_t> density() const { return m_density; }
  // Another one with every change of the hits; of no other finder.
  [[nodiscard]] std::uint64_t revision() const { return m_revision; }

  // Selects and reveals the hit after or before the selection; without a selection the first one of the
  // window.
  void next();
  void previous();
  // Whether the selection is a hit, and how many come before it.
  [[nodiscard]] std::optional<std::uint64_t> place() const;

 signals:
  void textChanged();
  // Hits, their sums or the problem.
  void changed();

 private:
  struct Work;

  void restart();
  void giveUp();
  void collect();
  void clear();

  TraceSession& m_session;
  QString m_text;
  std::optional<Problem> m_problem;
  std::shared_ptr<Work> m_work;
  PendingWork::Token m_running; // while there is work
  std::shared_ptr<const SearchHits> m_hits;
  HitSums m_sums;
  std::vector<TimeNs> m_begins;
  std::vector<std::uint32_t> m_density;
  std::uint64_t m_revision = nextRevision();
  QTimer m_timer;
};

} // namespace rankscope::ui
