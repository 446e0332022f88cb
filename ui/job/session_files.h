// SPDX-License-Identifier: GPL-3.0-or-later
// Session files around an opening: one that is opened stands for its traces and is shown once they are there;
// else what was kept of the job is. What is marked and looked at lives in the session. UI thread.
#pragma once

#include "core/base/result.h"
#include "ui/job/session_store.h"

#include <QObject>
#include <QStringList>

#include <optional>

namespace rankscope::ui {

class SessionFiles : public QObject {
  Q_OBJECT

 public:
  SessionFiles(TraceSession& session, EventFinder& finder, QObject* parent = nullptr);

  [[nodiscard]] SessionStore& sessionStore() { return m_sessionStore; }

  // What is to be opened when this is: a session file stands for its traces, everything else for itself.
  [[nodiscard]] Result<QStringList> tracesOf(const QStringList& paths);
  // A job of these traces was read; what was kept of it is shown once it is on its clock.
  void jobOpened(const QStringList& traces) { m_traces = traces; }
  // The open job is on its clock; also when it is put on another one.
  void jobReady();

 signals:
  // Of a session file that was opened: "dark" or "light".
  void themeWanted(const QString& theme);

 private:
  SessionStore m_sessionStore;
  QStringList m_traces;                 // of a job that was read and is not on its clock yet
  std::optional<SessionState> m_opened; // a session file whose traces are being opened
};

} // namespace rankscope::ui
