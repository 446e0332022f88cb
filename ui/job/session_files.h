// SPDX-License-Identifier: GPL-3.0-or-later
// Session files when opening a job: opening a session file opens its traces and then restores it; otherwise
// the job's stored session is restored. Marks and view live in the TraceSession. UI thread.
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

  // The paths to open: the traces of a session file, or the paths themselves.
  [[nodiscard]] Result<QStringList> tracesOf(const QStringList& paths);
  // A job of these traces was loaded; its session is restored once its clock is known.
  void jobOpened(const QStringList& traces) { m_traces = traces; }
  // The clock of the open job is known or has changed.
  void jobReady();

 signals:
  // From an opened session file: "dark" or "light"; the id of a tab.
  void themeWanted(const QString& theme);
  void tabWanted(const QString& tab);

 private:
  SessionStore m_sessionStore;
  QStringList m_traces;                 // of a loaded job whose clock is not known yet
  std::optional<SessionState> m_opened; // a session file whose traces are being opened
};

} // namespace rankscope::ui
