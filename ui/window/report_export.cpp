// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/report_export.h"

#include "core/export/whole_file.h"
#include "core/io/load/job_places.h"
#include "core/report/excerpt_files.h"
#include "ui/base/remote_names.h"
#include "ui/base/save_file.h"
#include "ui/charts/chart_card.h"
#include "ui/job/acceptances.h"
#include "ui/job/job_document.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/tab_registry.h"
#include "ui/window/tab_pages.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
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
#include <fmt/format.h>
#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr const char* kExcerptFolder = "excerpt";
const QString kReportFolderKey = QStringLiteral("export/folder");

ReportPicture pictureOf(const ReportDrawing& drawing) {
  return {drawing.title.toStdString(),
          {},
          "image/svg+xml",
          drawing.svg.toBase64().toStdString(),
          drawing.narrow.toBase64().toStdString(),
          drawing.tab.toStdString()};
}

bool wantsCharts(const ExportRequest& request) {
  return request.charts || request.html;
}

// The user's choice; nothing if canceled.
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
  auto* html = new QCheckBox(ReportExport::tr("One HTML file with key figures, findings, charts and tables"));
  html->setChecked(true);
  auto* excerpt =
      new QCheckBox(ReportExport::tr("Traces with the events of the scope, for Rankscope, Perfetto and HTA"));
  excerpt->setObjectName(QStringLiteral("exportExcerpt"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
  auto* line = new QHBoxLayout;
  line->addWidget(place, 1);
  line->addWidget(choose);
  auto* form = new QFormLayout(&dialog);
  form->addRow(ReportExport::tr("Scope"), new QLabel(scope));
  form->addRow(ReportExport::tr("Folder"), line);
  form->addRow(ReportExport::tr("Tables"), tables);
  form->addRow(ReportExport::tr("Charts"), charts);
  form->addRow(ReportExport::tr("Report"), html);
  form->addRow(ReportExport::tr("Excerpt"), excerpt);
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
  request.excerpt = excerpt->isChecked();
  return request;
}

} // namespace

ReportExport::ReportExport(const TraceSession& session, const JobDocument& document, TabPages& tabs,
                           QSettings& settings, PendingWork& pending, QObject* parent)
    : QObject(parent), m_session(session), m_document(document), m_tabs(tabs), m_settings(settings),
      m_pending(pending), m_task(pending) {
  connect(&session.pending(), &PendingWork::settled, this, &ReportExport::writeWhenReady);
  connect(&tabs.scope(), &TableScope::changed, this, &ReportExport::prepareCharts);
}

ReportExport::~ReportExport() {
  if (m_progress) m_progress->cancel = true;
}

void ReportExport::ask(QWidget* window) {
  if (!m_tabs.scope().report()) return;
  const QString name = QString::fromStdString(m_session.trace()->jobName()) + tr(" report");
  const QString parent = m_settings.value(kReportFolderKey, QDir::homePath()).toString();
  const auto request = askWhat(window, QDir(parent).filePath(name), m_tabs.scope().text());
  if (!request) return;
  m_settings.setValue(kReportFolderKey, QFileInfo(request->folder).absolutePath());
  ExportRequest whole = *request;
  if (whole.excerpt && m_sessionText)
    whole.session = m_sessionText(QDir(whole.folder).filePath(QLatin1String(kExcerptFolder)));
  write(whole);
}

// Charts are taken from the tabs, so tabs that were never shown are prepared first.
void ReportExport::write(const ExportRequest& request) {
  m_requests.push_back(request);
  if (!m_running) m_running = m_pending.begin();
  prepareCharts();
  writeWhenReady();
}

// Charts come from the tabs, so hidden tabs, or tabs whose scope has changed since, are prepared first.
void ReportExport::prepareCharts() {
  if (std::ranges::any_of(m_requests, wantsCharts)) m_tabs.prepareAll();
}

void ReportExport::writeWhenReady() {
  if (m_writing || m_requests.empty()) return;
  const std::shared_ptr<const JobReport> report = m_tabs.scope().report();
  if (report && !m_session.pending().idle()) return;
  const ExportRequest request = m_requests.front();
  m_requests.pop_front();
  m_writing = true;
  if (report) return write(request, report);
  // The request was for the job that was closed.
  finish(request.folder, {{}, tr("the job was closed before the export finished")});
}

void ReportExport::write(const ExportRequest& request, const std::shared_ptr<const JobReport>& report) {
  HtmlReportOptions options;
  options.dark = m_session.themeName() == ThemeName::Dark;
  options.scope = partText(shownPart(m_session.trace()->extent().begin));
  options.commands = commands(report->analysis());
  options.accepted = m_session.acceptances().all();
  m_progress = std::make_shared<Progress>();
  const QString missing = missingChart(request);
  m_task.ask(
      [request, options, missing, part = shownPart(m_session.trace()->extent().begin),
       drawings = missing.isEmpty() ? takeDrawings(request) : std::vector<ReportDrawing>(), report,
       progress = m_progress] {
        return writeAll(request, options, part, missing, drawings, *report, *progress);
      },
      [this, folder = request.folder](const Outcome& done) { finish(folder, done); },
      [this, folder = request.folder](const Error& error) {
        finish(folder, {{}, QString::fromStdString(error.text())});
      });
}

// On a worker.
ReportExport::Outcome ReportExport::writeAll(const ExportRequest& request, const HtmlReportOptions& options,
                                             const JobPart& part, const QString& missing,
                                             const std::vector<ReportDrawing>& drawings,
                                             const JobReport& report, Progress& progress) {
  const std::string folder = request.folder.toStdString();
  Outcome outcome{{}, missing};
  if (const auto error = makeFolder(folder)) return {{}, QString::fromStdString(error->text())};
  for (const ReportDrawing& drawing : drawings) {
    if (drawing.file.isEmpty() || !outcome.problem.isEmpty()) continue;
    const QString path = QDir(request.folder).filePath(drawing.file);
    const auto problem = drawing.image.isNull() ? saveFile(path, drawing.svg) : savePng(path, drawing.image);
    if (problem)
      outcome.problem = tr("%1: %2").arg(path, *problem);
    else
      outcome.files << drawing.file;
  }
  if (request.tables) {
    const auto written =
        writeReport(report, folder, reportTables(report), *request.tables, options.accepted, part, &progress);
    if (!written) outcome.problem = QString::fromStdString(written.error().text());
    if (written)
      for (const std::string& file : *written) outcome.files << QString::fromStdString(file);
  }
  if (request.excerpt && outcome.problem.isEmpty()) writeExcerpts(request, options, report, outcome);
  if (!request.html || !outcome.problem.isEmpty()) return outcome;
  std::vector<ReportPicture> pictures;
  for (const ReportDrawing& drawing : drawings)
    if (drawing.inReport) pictures.push_back(pictureOf(drawing));
  if (const auto error = writeWholeFile(folder + "/report.html", htmlReport(report, pictures, options)))
    outcome.problem = QString::fromStdString(error->text());
  else
    outcome.files << QStringLiteral("report.html");
  return outcome;
}

void ReportExport::writeExcerpts(const ExportRequest& request, const HtmlReportOptions& options,
                                 const JobReport& report, Outcome& outcome) {
  const std::string folder = QDir(request.folder).filePath(QLatin1String(kExcerptFolder)).toStdString();
  const auto failed = [&outcome](const Error& error) {
    outcome.problem = QString::fromStdString(error.text());
  };
  if (const auto error = makeFolder(folder)) return failed(*error);
  std::string note =
      fmt::format("An excerpt of {}: {}.\nEvents as recorded, whole where they overlap the range.\n\n",
                  report.analysis().trace().jobName(), options.scope.empty() ? "whole trace" : options.scope);
  const auto add = [&](const std::string& path) {
    outcome.files << QDir(request.folder).relativeFilePath(QString::fromStdString(path));
  };
  for (ExcerptFile& file : excerptFiles(report.analysis(), folder)) {
    if (const auto error = writeExcerpt(report.analysis(), file)) return failed(*error);
    if (file.events == 0) continue;
    note += fmt::format("{}: {} events\n",
                        QFileInfo(QString::fromStdString(file.path)).fileName().toStdString(), file.events);
    add(file.path);
  }
  const std::string beside = folder + "/excerpt.txt";
  if (const auto error = writeWholeFile(beside, note)) return failed(*error);
  add(beside);
  if (request.session.isEmpty()) return;
  const std::string session = folder + "/excerpt.rankscope";
  if (const auto error = writeWholeFile(session, request.session.toStdString())) return failed(*error);
  add(session);
}

QString ReportExport::missingChart(const ExportRequest& request) const {
  if (!wantsCharts(request)) return {};
  const auto old = std::ranges::find_if_not(m_tabs.pages(), &TabPage::upToDate);
  if (old == m_tabs.pages().end()) return {};
  const TabSpec& tab = tabSpecs()[static_cast<std::size_t>(old - m_tabs.pages().begin())];
  return tr("%1 could not be computed").arg(tab.title());
}

std::vector<ReportDrawing> ReportExport::takeDrawings(const ExportRequest& request) const {
  std::vector<ReportDrawing> drawings;
  if (!wantsCharts(request)) return drawings;
  for (std::size_t i = 0; i < m_tabs.pages().size(); ++i) {
    const QString tab = tabSpecs()[i].name();
    for (ChartCard* card : m_tabs.pages()[i]->findChildren<ChartCard*>()) {
      // A card that the page hides has nothing to show in this job.
      if (!card->hasChart() || !card->isVisibleTo(m_tabs.pages()[i])) continue;
      const bool asPng = request.charts == QLatin1String("png");
      const QString file = request.charts ? card->fileName() + QLatin1Char('.') + *request.charts : QString();
      if (request.html || (request.charts && !asPng))
        drawings.push_back({card->title(),
                            tab,
                            {},
                            card->svg(),
                            request.html ? card->svg(ChartCard::Page::Narrow) : QByteArray(),
                            request.html,
                            asPng ? QString() : file});
      if (asPng) drawings.push_back({card->title(), tab, card->image(), {}, {}, false, file});
    }
  }
  return drawings;
}

namespace {

constexpr std::size_t kFilesNamed = 8;

// "s3://bucket/job/rank3.json?region=eu": a file below a remote.
QString addressBelow(const QString& remote, const QString& path) {
  const qsizetype query = remote.contains(QLatin1String("://")) ? remote.indexOf(QLatin1Char('?')) : -1;
  QString address = query < 0 ? remote : remote.left(query);
  if (!address.endsWith(QLatin1Char('/')) && !address.endsWith(QLatin1Char(':'))) address += QLatin1Char('/');
  return address + path + (query < 0 ? QString() : remote.mid(query));
}

// The addresses of the files that were chosen of a remote; none if there are many of them, or files of
// elsewhere.
QStringList chosenAddresses(const QString& remote, const TraceSet& job) {
  const std::vector<std::string> places = withPlaces(std::vector<std::string>{remote.toStdString()});
  QStringList addresses;
  for (const FileRecord& file : job.files()) {
    if (file.status != FileStatus::Shown) continue;
    const auto place = std::ranges::find_if(
        places, [&file](const std::string& folder) { return file.path.starts_with(folder + "/"); });
    if (place == places.end()) return {};
    addresses << addressBelow(remote, QString::fromStdString(file.path.substr(place->size() + 1)));
  }
  addresses.removeDuplicates();
  return addresses.size() <= static_cast<qsizetype>(kFilesNamed) ? addresses : QStringList();
}

} // namespace

JobPart ReportExport::shownPart(TimeNs origin) const {
  const Opening& opening = m_document.opening();
  JobPart part;
  part.loaded = opening.options.filter;
  part.capture = opening.options.capture;
  if (!m_tabs.scope().limited()) return part;
  if (const int capture = m_session.choice().capture; capture != 0) part.capture = capture;
  if (!m_tabs.scope().followsRange() || !m_session.range()) return part;
  const TimeRange range = m_session.recorded(*m_session.range());
  part.from = std::max<TimeNs>(0, range.begin - origin);
  part.to = std::max<TimeNs>(1, range.end - origin);
  std::set<int> ranks;
  for (const RankTracks& of : m_session.rangeTracks()) ranks.insert(m_session.trace()->rank(of.rank).rank);
  part.ranks = rankList({ranks.begin(), ranks.end()});
  return part;
}

// Of one capture, the job that --capture opens begins with it.
JobTime ReportExport::originOf(const Analysis& analysis) const {
  if (m_session.choice().capture == 0) return analysis.extent().begin;
  JobRange extent;
  for (const RankIndex rank : analysis.ranks()) {
    const RankRange own = RankRange::of(analysis.trace().rank(rank).trace->extent);
    extent = extent.unitedWith(analysis.clocks().of(rank).toJob(own));
  }
  return extent.begin;
}

OpenCommands ReportExport::commands(const Analysis& analysis) const {
  const Opening& opening = m_document.opening();
  OpenCommands commands;
  commands.arguments.reserve(static_cast<std::size_t>(opening.paths.size()));
  // Of chosen ranks, their files are named.
  QStringList paths = opening.paths;
  if (!opening.options.filter.ranks.empty() && m_session.trace()) {
    paths.clear();
    for (const FileRecord& file : m_session.trace()->files())
      if (file.rank) paths << QString::fromStdString(file.path);
  }
  bool whole = true;
  if (opening.options.chooseRemote && paths.size() == 1 && m_session.trace()) {
    const QStringList chosen = chosenAddresses(paths.front(), *m_session.trace());
    whole = !chosen.isEmpty(); // else findings of all its files have other numbers
    if (whole) paths = chosen;
  }
  for (const QString& path : paths)
    commands.arguments.push_back((isRemote(path) ? path : QFileInfo(path).absoluteFilePath()).toStdString());
  const JobTime origin = originOf(analysis);
  const JobPart part = shownPart(origin.ns());
  for (std::string& word : loadArguments(part)) commands.arguments.push_back(std::move(word));
  commands.tablePart = tableArguments(part);
  if (!m_document.clocksAligned()) commands.tablePart.emplace_back("--recorded-clocks");
  if (!part.all()) commands.windowPart = windowArguments(analysis, origin);
  commands.origin = origin;
  commands.whole = whole && !m_tabs.scope().limited() && m_document.clocksAligned();
  return commands;
}

void ReportExport::finish(const QString& folder, const Outcome& outcome) {
  m_writing = false;
  emit finished(folder, outcome.files, outcome.problem);
  writeWhenReady();
  if (!working()) m_running.release();
}

} // namespace rankscope::ui
