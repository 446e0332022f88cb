// SPDX-License-Identifier: GPL-3.0-or-later
// Exports reports of Nsight Systems with the user's own nsys, one after another, when the user asks for it:
// the program is started with an argument vector, never through a shell. An export is written beside its
// report, or into a folder of the cache where that cannot be written. UI thread; cancel() ends the program.
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace rankscope::ui {

class NsysExport : public QObject {
  Q_OBJECT
 public:
  explicit NsysExport(QObject* parent = nullptr);
  ~NsysExport() override;

  // nsys on the PATH; empty if there is none.
  [[nodiscard]] static QString program();
  // Reports below these paths that have no export beside them.
  [[nodiscard]] static QStringList reportsIn(const QStringList& paths);
  // The arguments for one report.
  [[nodiscard]] static QStringList arguments(const QString& report, const QString& output);

  // folder: for exports whose report's folder cannot be written.
  void start(const QString& program, const QStringList& reports, const QString& folder);
  void cancel();
  [[nodiscard]] bool running() const { return m_process.state() != QProcess::NotRunning; }

 signals:
  // Before each report; number counts from 1.
  void progressed(int number, int count, const QString& report);
  void finished(const QStringList& exports);
  void failed(const QString& report, const QString& reason);
  void cancelled();

 private:
  void next();
  void ended(int exitCode, QProcess::ExitStatus status);
  [[nodiscard]] QString outputOf(const QString& report) const;

  QProcess m_process;
  QString m_program;
  QString m_folder;
  QStringList m_reports; // still to do, the current one first
  QStringList m_exports;
  QString m_said; // the last of what the program wrote
  int m_count = 0;
  bool m_stopped = false;
};

} // namespace rankscope::ui
