// SPDX-License-Identifier: GPL-3.0-or-later
// Remembers in the settings how each job's timeline was arranged, by the folder that the job was read from,
// and what of it is a habit (colors, unit, lane height) for every job. Writes a while after the last change.
// UI thread.
#pragma once

#include <QObject>
#include <QTimer>

class QSettings;

namespace rankscope::ui {

class TraceSession;

class TimelineSettings : public QObject {
  Q_OBJECT

 public:
  TimelineSettings(TraceSession& session, QSettings& settings, QObject* parent = nullptr);
  ~TimelineSettings() override;

  void saveNow();

 private:
  void restore();
  void write();

  TraceSession& m_session;
  QSettings& m_settings;
  QTimer m_later;
  QString m_job;        // the key of what is open; empty: nothing
  QByteArray m_changed; // its choice as text, while it is to be written
};

} // namespace rankscope::ui
