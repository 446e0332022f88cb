// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of the selected table row and the current position among them: first, longest, next and
// previous, each selected in the timeline. They are searched on a worker; a request before the search ends
// is executed when it does. The position follows the selection of the timeline if that is one of the calls.
// UI thread; a step costs O(log calls).
#pragma once

#include "core/analysis/job/call_list.h"
#include "ui/base/latest_task.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace rankscope::ui {

class TraceSession;

// Runs on a worker.
using FindCalls = std::function<std::vector<EventRef>(const Analysis& analysis, const Progress& progress)>;

class Occurrences : public QObject {
  Q_OBJECT
 public:
  explicit Occurrences(TraceSession& session, QObject* parent = nullptr);
  ~Occurrences() override;

  // Starts a search for another row. REQUIRES: analysis is of the session's job.
  void search(std::shared_ptr<const Analysis> analysis, FindCalls find);
  void clear();

  // Null until found.
  [[nodiscard]] const std::shared_ptr<const CallList>& calls() const { return m_calls; }
  [[nodiscard]] bool searching() const { return m_task.pending(); }
  // Empty before the first navigation.
  [[nodiscard]] std::optional<std::size_t> position() const { return m_position; }
  // "412 calls", "12 of 412"; empty without calls.
  [[nodiscard]] QString text() const;
  // "rank 3 · at 1 234.5 ms · 553 µs" of the current call.
  [[nodiscard]] QString placeText() const;

  // Selects a call and shows the timeline.
  void showFirst();
  void showLongest();
  void showCurrent(); // the first one initially
  // Selects the next or previous one, initially the first or last; stops at the ends.
  void step(int by);
  // REQUIRES: it is one of the calls.
  void select(EventRef call);

 signals:
  // Other calls, or another position.
  void changed();
  // The timeline should be shown.
  void timelineWanted();

 private:
  void whenFound(std::function<void()> then);
  void goTo(std::size_t position);
  void followSelection();
  void giveUp();

  TraceSession& m_session;
  std::shared_ptr<const Analysis> m_analysis;
  std::shared_ptr<const CallList> m_calls;
  std::optional<std::size_t> m_position;
  std::function<void()> m_then;
  std::shared_ptr<Progress> m_progress; // of the task
  LatestTask<std::shared_ptr<const CallList>> m_task;
};

} // namespace rankscope::ui
