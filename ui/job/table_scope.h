// SPDX-License-Identifier: GPL-3.0-or-later
// What part of the job the tabs are about: all of it, or the range and the ranks that are selected in the
// timeline. It owns that choice and what follows from it: a range is analyzed away from the UI
// thread, only the newest counts, and until it is there the former one stays. Its figures are those of
// rankscope-cli with the same --from, --to and --ranks. UI thread.
#pragma once

#include "core/report/job_report.h"
#include "ui/base/latest_task.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>

namespace rankscope::ui {

class TraceSession;

class TableScope : public QObject {
  Q_OBJECT
 public:
  explicit TableScope(TraceSession& session, QObject* parent = nullptr);
  ~TableScope() override;

  // Of the recording, with everything computed; null while there is none.
  void setWhole(std::shared_ptr<const JobReport> whole);
  // What the tabs are about; null while there is none.
  [[nodiscard]] const std::shared_ptr<const JobReport>& report() const { return m_report; }
  // Whether it is of a part of the job.
  [[nodiscard]] bool limited() const { return m_report != m_whole; }

  // Whether a range selected in the timeline limits the tabs; so it does at first.
  [[nodiscard]] bool followsRange() const { return m_followsRange; }
  void setFollowsRange(bool follows);

  // "Whole trace", "1 380.2 to 1 581.2 ms · ranks 0-3".
  [[nodiscard]] QString text() const;

 signals:
  // Another report, or another choice.
  void changed();

 private:
  void followSession();
  void analyzeRange();
  void show(std::shared_ptr<const JobReport> report);
  void giveUp();

  TraceSession& m_session;
  std::shared_ptr<const JobReport> m_whole;
  std::shared_ptr<const JobReport> m_report;
  bool m_followsRange = true;
  QTimer m_wait; // a range that is being dragged is not analyzed at every pixel
  PendingWork::Token m_waiting;
  LatestTask<std::shared_ptr<const JobReport>> m_task;
  std::shared_ptr<Progress> m_progress; // of the task; null: none
};

// The part of the job that the session's range is: its times on each rank's own clock, and the ranks that it
// names. REQUIRES: there is a range; analysis is of the session's job.
[[nodiscard]] AnalysisScope scopeOfSelection(const TraceSession& session, const Analysis& analysis);

} // namespace rankscope::ui
