// SPDX-License-Identifier: GPL-3.0-or-later
// Takes what the window shows out of it: all tables as files (the bytes of rankscope-cli report), every chart
// as a picture, and one HTML file with the findings, pictures and tables. Asks what and where to; the files
// are made on a worker, each whole or not at all. All parts of an export are of one report: that which the
// tabs are about when it is begun. UI thread.
#pragma once

#include "core/report/html_report.h"
#include "core/report/report_files.h"
#include "ui/base/latest_task.h"

#include <QObject>
#include <QString>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

class QSettings;
class QWidget;

namespace rankscope::ui {

class TabPages;
class TraceSession;

struct ExportRequest {
  QString folder;
  std::optional<TableFormat> tables = TableFormat::Csv;
  std::optional<QString> charts = QStringLiteral("svg"); // or "png"
  bool html = true;
};

class ReportExport : public QObject {
  Q_OBJECT
 public:
  ReportExport(const TraceSession& session, TabPages& tabs, QSettings& settings, PendingWork& pending,
               QObject* parent);
  ~ReportExport() override;

  // Asks, over this window, what is wanted and writes it.
  void ask(QWidget* window);
  // Returns at once; finished() says what came of it. Wishes are met one after the other, each when all that
  // is to be shown is there.
  void write(const ExportRequest& request);
  [[nodiscard]] bool working() const { return m_writing || !m_wishes.empty(); }

 signals:
  // The names of the files, or what stopped it: once for every wish.
  void finished(const QString& folder, const QStringList& files, const QString& problem);

 private:
  struct Outcome {
    QStringList files;
    QString problem;
  };

  void prepareCharts();
  void writeWhenReady();
  void write(const ExportRequest& request, const std::shared_ptr<const JobReport>& report);
  [[nodiscard]] std::vector<ReportPicture> takePictures(const ExportRequest& request, Outcome& outcome) const;
  void finish(const QString& folder, const Outcome& outcome);

  const TraceSession& m_session;
  TabPages& m_tabs;
  QSettings& m_settings;
  PendingWork& m_pending;
  std::deque<ExportRequest> m_wishes; // that wait
  bool m_writing = false;
  PendingWork::Token m_running; // while it works
  std::shared_ptr<Progress> m_progress;
  LatestTask<Outcome> m_task;
};

} // namespace rankscope::ui
