// SPDX-License-Identifier: GPL-3.0-or-later
// Session files when opening a job: opening a session file opens its traces and then restores it; otherwise
// the job's stored session is restored. Both know what of the job was open. Marks and view live in the
// TraceSession. UI thread.
#pragma once

#include "core/base/result.h"
#include "ui/job/session_store.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <optional>

namespace rankscope::ui {

class SessionFiles : public QObject {
  Q_OBJECT

 public:
  SessionFiles(TraceSession& session, EventFinder& finder, QObject* parent = nullptr);

  [[nodiscard]] SessionStore& sessionStore() { return m_sessionStore; }

  // The paths to open: the traces of a session file, whose theme is wanted at once, or the paths themselves.
  [[nodiscard]] Result<QStringList> tracesOf(const QStringList& paths);
  // What of these traces was open when the session was saved or stored, by a call of `done`; see
  // SessionStore::askForPart.
  void askForPart(const QStringList& traces, std::function<void(const LoadedPart&)> done);
  void dropQuestion() { m_sessionStore.dropQuestion(); }
  // The open job is about to be opened again, with another part of it: everything else stays.
  void keepForOtherPart();
  // A job was loaded, this part of these traces; its session is restored once its clock is known.
  void jobOpened(const QStringList& traces, const LoadedPart& part);
  // The clock of the open job is known or has changed.
  void jobReady();

 signals:
  // From an opened session file: "dark" or "light"; the id of a tab.
  void themeWanted(const QString& theme);
  void tabWanted(const QString& tab);

 private:
  SessionStore m_sessionStore;
  QStringList m_traces;                 // of a loaded job whose clock is not known yet
  LoadedPart m_part;                    // likewise
  std::optional<SessionState> m_opened; // a session file whose traces are being opened, or what is kept
  bool m_kept = false;                  // the latter
};

} // namespace rankscope::ui
