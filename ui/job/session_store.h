// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps what was marked and where one was looking for the next time that a job is opened, in the user's own
// folder: nothing is left in a folder of others, and nobody's marks take the place of somebody else's. To
// pass them on there are session files that one saves. Files are read and written on a worker; what changes
// is written within seconds and when the window closes. UI thread.
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

  // The user's folder for sessions; empty, as at first: nothing is kept by itself.
  void setFolder(const QString& folder) { m_folder = folder; }

  // The job that is open came from these; what was kept of it is shown as soon as it is read, unless a
  // session is given to show instead.
  void begin(const QStringList& traces, const std::optional<SessionState>& instead);
  // What there is to keep now.
  [[nodiscard]] SessionState state() const;
  // The same job has another TraceSet now.
  void follow();
  // How tracks are arranged is remembered elsewhere, so of one's own sessions it is not taken.
  void apply(const SessionState& state, bool withTimeline);
  // Writes what has changed since; waits until it is written.
  void saveNow();

 private:
  void touched();
  void save();
  [[nodiscard]] std::function<bool()> writing();
  [[nodiscard]] bool canSave() const;

  TraceSession& m_session;
  EventFinder& m_finder;
  QString m_folder;
  QStringList m_traces;
  std::weak_ptr<const TraceSet>
      m_trace;        // that these became: nothing of another one is written to their files
  QJsonObject m_rest; // fields of a newer version, carried along
  bool m_dirty = false;
  bool m_applying = false;
  QTimer m_timer;
  // Writes on a worker and one at the end: whoever comes last must not write what is older.
  struct WriteOrder {
    std::mutex mutex;
    std::uint64_t written = 0;
  };
  std::shared_ptr<WriteOrder> m_writeOrder = std::make_shared<WriteOrder>();
  std::uint64_t m_writeNumber = 0;
  LatestTask<std::optional<SessionState>> m_reading;
  LatestTask<bool> m_writing;
};

// The newer one of the two places that can be read.
[[nodiscard]] std::optional<SessionState> readStored(const SessionPlaces& places);
// In the user's folder; of very many sessions there, the oldest go in which nobody marked anything. False
// when it could not be written.
bool writeStored(const SessionPlaces& places, const SessionState& state);

} // namespace rankscope::ui
