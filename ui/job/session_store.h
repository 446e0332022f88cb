// SPDX-License-Identifier: GPL-3.0-or-later
// Stores marks and view of each job in the user's folder and restores them when the job is opened again.
// Nothing is written next to the traces, so users do not overwrite each other's marks; session files are
// for sharing. Files are read and written on a worker; changes are written within seconds and when the
// window closes. UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/job/session_file.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace rankscope::ui {

class EventFinder;
class TraceSession;

class SessionStore : public QObject {
  Q_OBJECT

 public:
  SessionStore(TraceSession& session, EventFinder& finder, QObject* parent = nullptr);
  ~SessionStore() override;

  // The user's folder for sessions; empty by default: nothing is stored.
  void setFolder(const QString& folder) { m_folder = folder; }

  // Calls `done` with what of these paths was open when their session was stored: at once if none is stored
  // anywhere, else after it was read; not at all after another question or dropQuestion().
  void askForPart(const QStringList& traces, std::function<void(const LoadedPart&)> done);
  void dropQuestion() { m_partReading.drop(); }
  // The paths of the open job and what of them is open; its stored session is restored unless another one is
  // given.
  void begin(const QStringList& traces, const LoadedPart& part, const std::optional<SessionState>& instead);
  // The current state.
  [[nodiscard]] SessionState state() const;
  // The TraceSet of the same job was replaced.
  void follow();
  // Without `withTimeline` the track arrangement is not restored: TimelineSettings stores it.
  void apply(const SessionState& state, bool withTimeline);
  // The state has changed and is to be written.
  void touched();
  // Writes changes; blocks until they are written.
  void saveNow();

 private:
  void save();
  [[nodiscard]] std::function<bool()> writing();
  [[nodiscard]] bool canSave() const;

  TraceSession& m_session;
  EventFinder& m_finder;
  QString m_folder;
  QStringList m_traces;
  LoadedPart m_part;
  std::weak_ptr<const TraceSet> m_trace; // of m_traces; the state of another one is not written
  QJsonObject m_rest;                    // fields of a newer version, preserved
  bool m_dirty = false;
  bool m_applying = false;
  QTimer m_timer;
  // Orders writes of the worker and the final one: an older state must not overwrite a newer one.
  struct WriteOrder {
    std::mutex mutex;
    std::uint64_t written = 0;
  };
  std::shared_ptr<WriteOrder> m_writeOrder = std::make_shared<WriteOrder>();
  std::uint64_t m_writeNumber = 0;
  LatestTask<std::optional<SessionState>> m_reading;
  LatestTask<bool> m_writing;
  LatestTask<LoadedPart> m_partReading;
};

// The newer of the two readable files.
[[nodiscard]] std::optional<SessionState> readStored(const SessionPlaces& places);
// Writes to the user's folder; if there are too many sessions, the oldest ones without marks are removed.
// False if it could not be written.
bool writeStored(const SessionPlaces& places, const SessionState& state);

} // namespace rankscope::ui
