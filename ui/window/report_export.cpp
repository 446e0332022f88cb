// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/report_export.h"

#include "core/export/whole_file.h"
#include "ui/base/save_file.h"
#include "ui/charts/chart_card.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/tab_registry.h"
#include "ui/window/screenshot.h"
#include "ui/window/tab_pages.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

const QString kFolderKey = QStringLiteral("export/folder");
constexpr QSize kPageSize(1440, 1200); // of a tab whose charts are taken

ReportPicture pictureOf(const QString& title, const char* mimeType, const QByteArray& file) {
  return {title.toStdString(), {}, mimeType, file.toBase64().toStdString()};
}

bool wantsCharts(const ExportRequest& request) {
  return request.charts || request.html;
}

// What the user chose; nothing when he thought better of it.
std::optional<ExportRequest> askWhat(QWidget* window, const QString& folder, const QString& scope) {
  QDialog dialog(window);
  dialog.setWindowTitle(ReportExport::tr("Export"));
  auto* place = new QLineEdit(QDir::toNativeSeparators(folder));
  place->setMinimumWidth(360);
  auto* choose = new QPushButton(ReportExport::tr("Browse …"));
  QObject::connect(choose, &QPushButton::clicked, &dialog, [&dialog, place] {
    const QString chosen =
        QFileDialog::getExistingDirectory(&dialog, ReportExport::tr("Export to"), place->text());
    if (!chosen.isEmpty()) place->setText(QDir::toNativeSeparators(chosen));
  });
  auto* tables = new QComboBox;
  tables->addItems({ReportExport::tr("CSV"), ReportExport::tr("JSON"), ReportExport::tr("none")});
  auto* charts = new QComboBox;
  charts->addItems({ReportExport::tr("SVG"), ReportExport::tr("PNG"), ReportExport::tr("none")});
  auto* html = new QCheckBox(ReportExport::tr("One HTML file with findings, pictures and tables"));
  html->setChecked(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
  auto* line = new QHBoxLayout;
  line->addWidget(place, 1);
  line->addWidget(choose);
  auto* form = new QFormLayout(&dialog);
  form->addRow(ReportExport::tr("Of"), new QLabel(scope));
  form->addRow(ReportExport::tr("Folder"), line);
  form->addRow(ReportExport::tr("Tables"), tables);
  form->addRow(ReportExport::tr("Charts"), charts);
  form->addRow(ReportExport::tr("Report"), html);
  form->addRow(buttons);
  const auto check = [&] {
    buttons->button(QDialogButtonBox::Save)->setEnabled(!place->text().trimmed().isEmpty());
  };
  QObject::connect(place, &QLineEdit::textChanged, &dialog, check);
  QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  check();
  if (dialog.exec() != QDialog::Accepted) return std::nullopt;
  ExportRequest request{QDir::fromNativeSeparators(place->text().trimmed())};
  if (tables->currentIndex() == 1) request.tables = TableFormat::Json;
  if (tables->currentIndex() == 2) request.tables.reset();
  if (charts->currentIndex() == 1) request.charts = QStringLiteral("png");
  if (charts->currentIndex() == 2) request.charts.reset();
  request.html = html->isChecked();
  return request;
}

} // namespace

ReportExport::ReportExport(const TraceSession& session, TabPages& tabs, QSettings& settings,
                           PendingWork& pending, QObject* parent)
    : QObject(parent), m_session(session), m_tabs(tabs), m_settings(settings), m_pending(pending),
      m_task(pending) {
  connect(&session.pending(), &PendingWork::settled, this, &ReportExport::writeWhenReady);
  connect(&tabs.scope(), &TableScope::changed, this, &ReportExport::prepareCharts);
}

ReportExport::~ReportExport() {
  if (m_progress) m_progress->cancel = true;
}

void ReportExport::ask(QWidget* window) {
  if (!m_tabs.scope().report()) return;
  const QString name = QString::fromStdString(m_session.trace()->jobName()) + tr(" report");
  const QString parent = m_settings.value(kFolderKey, QDir::homePath()).toString();
  const auto request = askWhat(window, QDir(parent).filePath(name), m_tabs.scope().text());
  if (!request) return;
  m_settings.setValue(kFolderKey, QFileInfo(request->folder).absolutePath());
  write(*request);
}

void ReportExport::write(const ExportRequest& request) {
  m_wishes.push_back(request);
  if (!m_running) m_running = m_pending.begin();
  prepareCharts();
  writeWhenReady();
}

// Charts are taken from the tabs, so those that nobody has looked at, or not since the tabs are about
// something else, are made first.
void ReportExport::prepareCharts() {
  if (std::ranges::any_of(m_wishes, wantsCharts)) m_tabs.prepareAll();
}

void ReportExport::writeWhenReady() {
  if (m_writing || m_wishes.empty()) return;
  const std::shared_ptr<const JobReport> report = m_tabs.scope().report();
  if (report && !m_session.pending().idle()) return;
  const ExportRequest request = m_wishes.front();
  m_wishes.pop_front();
  m_writing = true;
  if (report) return write(request, report);
  // What is opened next is nobody's wish.
  finish(request.folder, {{}, tr("the job was closed before the export finished")});
}

void ReportExport::write(const ExportRequest& request, const std::shared_ptr<const JobReport>& report) {
  Outcome outcome;
  if (const auto error = makeFolder(request.folder.toStdString())) {
    outcome.problem = QString::fromStdString(error->text());
    return finish(request.folder, outcome);
  }
  std::vector<ReportPicture> pictures = takePictures(request, outcome);
  HtmlReportOptions options;
  options.dark = m_session.themeName() == ThemeName::Dark;
  options.scope = m_tabs.scope().text().toStdString();
  m_progress = std::make_shared<Progress>();
  m_task.ask(
      [request, outcome = std::move(outcome), options, pictures = std::move(pictures), report,
       progress = m_progress]() mutable {
        const std::string folder = request.folder.toStdString();
        if (request.tables) {
          std::vector<const TableSpec*> specs;
          for (const TableSpec& spec : tableSpecs()) specs.push_back(&spec);
          const auto written = writeReport(*report, folder, specs, *request.tables, progress.get());
          if (!written) outcome.problem = QString::fromStdString(written.error().text());
          if (written)
            for (const std::string& file : *written) outcome.files << QString::fromStdString(file);
        }
        if (request.html && outcome.problem.isEmpty()) {
          const auto error = writeWholeFile(folder + "/report.html", htmlReport(*report, pictures, options));
          if (error)
            outcome.problem = QString::fromStdString(error->text());
          else
            outcome.files << QStringLiteral("report.html");
        }
        return std::move(outcome);
      },
      [this, folder = request.folder](const Outcome& done) { finish(folder, done); },
      [this, folder = request.folder](const Error& error) {
        finish(folder, {{}, QString::fromStdString(error.text())});
      });
}

std::vector<ReportPicture> ReportExport::takePictures(const ExportRequest& request, Outcome& outcome) const {
  std::vector<ReportPicture> pictures;
  if (!wantsCharts(request)) return pictures;
  const auto old = std::ranges::find_if_not(m_tabs.pages(), &TabPage::upToDate);
  if (old != m_tabs.pages().end()) { // for want of memory
    const TabSpec& tab = tabSpecs()[static_cast<std::size_t>(old - m_tabs.pages().begin())];
    outcome.problem = tr("%1 could not be computed").arg(tab.title());
    return pictures;
  }
  for (std::size_t i = 0; i < m_tabs.pages().size(); ++i) {
    TabPage* const page = m_tabs.pages()[i];
    QWidget* const whole = page->reportPicture();
    if (request.html && whole)
      pictures.push_back(pictureOf(tabSpecs()[i].title(), "image/png", pngOf(picture(*whole, {}))));
    const QList<ChartCard*> cards = page->findChildren<ChartCard*>();
    if (!cards.isEmpty() && !page->isVisible()) page->resize(kPageSize);
    for (ChartCard* card : cards) {
      if (!card->hasChart()) continue;
      if (request.html) pictures.push_back(pictureOf(card->title(), "image/svg+xml", card->svg()));
      if (!request.charts || !outcome.problem.isEmpty()) continue;
      const QString name = card->fileName() + QLatin1Char('.') + *request.charts;
      const QString path = QDir(request.folder).filePath(name);
      if (const auto problem = card->savePicture(path))
        outcome.problem = tr("%1: %2").arg(path, *problem);
      else
        outcome.files << name;
    }
  }
  return pictures;
}

void ReportExport::finish(const QString& folder, const Outcome& outcome) {
  m_writing = false;
  emit finished(folder, outcome.files, outcome.problem);
  writeWhenReady();
  if (!working()) m_running.release();
}

} // namespace rankscope::ui
