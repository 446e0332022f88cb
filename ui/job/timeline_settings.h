// SPDX-License-Identifier: GPL-3.0-or-later
// Saves the timeline view options of each job, by its folder, and the options shared by all jobs (colors,
// unit, lane height). Writes shortly after the last change. UI thread.
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
  QString m_job;        // key of the open job; empty: none
  QByteArray m_changed; // its choice as text, until it is written
};

} // namespace rankscope::ui
