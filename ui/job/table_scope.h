// SPDX-License-Identifier: GPL-3.0-or-later
// The scope of the tabs: the whole job, or the capture, range and ranks chosen in the timeline. Analyzes the
// chosen part on a worker; only the newest counts, and the previous report stays until it is ready.
// Metrics equal those of rankscope-cli with the same --from, --to and --ranks. UI thread.
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

  // Report of the whole recording, fully computed; null without a job.
  void setWhole(std::shared_ptr<const JobReport> whole);
  // The current report; null without a job.
  [[nodiscard]] const std::shared_ptr<const JobReport>& report() const { return m_report; }
  // Whether it covers only a part of the job.
  [[nodiscard]] bool limited() const { return m_report != m_whole; }

  // Whether a range selected in the timeline limits the tabs; on by default.
  [[nodiscard]] bool followsRange() const { return m_followsRange; }
  void setFollowsRange(bool follows);

  // "Whole trace", "1 380.2 to 1 581.2 ms · ranks 0-3".
  [[nodiscard]] QString text() const;

 signals:
  // Another report, or another choice.
  void changed();

 private:
  void followSession();
  void followChoice();
  [[nodiscard]] bool wantsPart() const;
  void analyzePart();
  void show(std::shared_ptr<const JobReport> report);
  void giveUp();

  TraceSession& m_session;
  std::shared_ptr<const JobReport> m_whole;
  std::shared_ptr<const JobReport> m_report;
  bool m_followsRange = true;
  int m_capture = 0; // of the report; 0: all
  QTimer m_wait;     // avoids an analysis at every pixel of a drag
  PendingWork::Token m_waiting;
  LatestTask<std::shared_ptr<const JobReport>> m_task;
  std::shared_ptr<Progress> m_progress; // of the task; null: none
};

// The scope of the session's capture and range: times on each rank's clock, and its ranks. REQUIRES: analysis
// is of the session's job.
[[nodiscard]] AnalysisScope scopeOfSelection(const TraceSession& session, const Analysis& analysis,
                                             bool withRange = true);

} // namespace rankscope::ui
