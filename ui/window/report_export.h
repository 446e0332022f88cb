// SPDX-License-Identifier: GPL-3.0-or-later
// Exports the job: all tables as files (the bytes of rankscope-cli report), every chart as a picture, and
// one HTML file with key figures, findings, charts and tables. Nothing of it depends on the size of the
// window or on what it shows of the timeline. A dialog asks what and where; files are written on a worker,
// each atomically. UI thread.
#pragma once

#include "core/report/html_report.h"
#include "core/report/report_files.h"
#include "ui/base/latest_task.h"

#include <QByteArray>
#include <QImage>
#include <QObject>
#include <QString>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QSettings;
class QWidget;

namespace rankscope::ui {

class JobDocument;
class TabPages;
class TraceSession;

struct ExportRequest {
  QString folder;
  std::optional<TableFormat> tables = TableFormat::Csv;
  std::optional<QString> charts = QStringLiteral("svg"); // or "png"
  bool html = true;
  bool excerpt = false;    // the events of the scope as traces
  QByteArray session = {}; // beside the excerpt; empty: none
};

// A chart as it was drawn on the UI thread; a worker makes files of it.
struct ReportDrawing {
  QString title;
  QString tab;            // that shows it
  QImage image;           // a picture, or
  QByteArray svg;         // a drawing
  QByteArray narrow = {}; // the same for a narrow page
  bool inReport = false;
  QString file; // of its own; empty: none
};

class ReportExport : public QObject {
  Q_OBJECT
 public:
  ReportExport(const TraceSession& session, const JobDocument& document, TabPages& tabs, QSettings& settings,
               PendingWork& pending, QObject* parent);
  ~ReportExport() override;

  // What is written beside an excerpt, for the folder of its traces.
  void setSession(std::function<QByteArray(const QString& folder)> session) {
    m_sessionText = std::move(session);
  }
  // Shows the dialog and exports.
  void ask(QWidget* window);
  // Returns at once; finished() reports the result. Requests are processed in order, each when its data is
  // ready.
  void write(const ExportRequest& request);
  [[nodiscard]] bool working() const { return m_writing || !m_requests.empty(); }

 signals:
  // File names, or the error: once per request.
  void finished(const QString& folder, const QStringList& files, const QString& problem);

 private:
  struct Outcome {
    QStringList files;
    QString problem;
  };

  void prepareCharts();
  void writeWhenReady();
  void write(const ExportRequest& request, const std::shared_ptr<const JobReport>& report);
  // Why charts that were asked for cannot be drawn; empty when all of them can.
  [[nodiscard]] QString missingChart(const ExportRequest& request) const;
  [[nodiscard]] std::vector<ReportDrawing> takeDrawings(const ExportRequest& request) const;
  [[nodiscard]] static Outcome writeAll(const ExportRequest& request, const HtmlReportOptions& options,
                                        const JobPart& part, const QString& missing,
                                        const std::vector<ReportDrawing>& drawings, const JobReport& report,
                                        Progress& progress);
  void finish(const QString& folder, const Outcome& outcome);

  // Traces of the scope, a note on what they are, and the session, below the folder.
  static void writeExcerpts(const ExportRequest& request, const HtmlReportOptions& options,
                            const JobReport& report, Outcome& outcome);

  // What of the job the tabs show; times from there on.
  [[nodiscard]] JobPart shownPart(TimeNs origin) const;
  // Where times of the commands count from.
  [[nodiscard]] JobTime originOf(const Analysis& analysis) const;
  // What opens the job again, and shows this part of it.
  [[nodiscard]] OpenCommands commands(const Analysis& analysis) const;

  const TraceSession& m_session;
  const JobDocument& m_document;
  TabPages& m_tabs;
  QSettings& m_settings;
  PendingWork& m_pending;
  std::function<QByteArray(const QString& folder)> m_sessionText;
  std::deque<ExportRequest> m_requests; // waiting
  bool m_writing = false;
  PendingWork::Token m_running; // while exporting
  std::shared_ptr<Progress> m_progress;
  LatestTask<Outcome> m_task;
};

} // namespace rankscope::ui
