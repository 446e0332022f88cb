// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include "core/analysis/job/cut_ranks.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "core/report/other_jobs.h"
#include "ui/base/counted.h"
#include "ui/base/remote_names.h"
#include "ui/base/text_scale.h"
#include "ui/base/work_failures.h"
#include "ui/details/search_field.h"
#include "ui/findings/findings_panel.h"
#include "ui/help/help_window.h"
#include "ui/job/highlight_settings.h"
#include "ui/job/loaded_part.h"
#include "ui/opening/demo_job.h"
#include "ui/opening/drop_overlay.h"
#include "ui/opening/file_problems.h"
#include "ui/opening/load_bar.h"
#include "ui/opening/nsys_export.h"
#include "ui/opening/part_page.h"
#include "ui/opening/problem_list.h"
#include "ui/opening/remote_page.h"
#include "ui/opening/start_page.h"
#include "ui/opening/tour_bar.h"
#include "ui/tabs/tab_registry.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/tab_row.h"
#include "ui/window/capture_choice.h"
#include "ui/window/digest_events.h"
#include "ui/window/report_export.h"
#include "ui/window/tab_pages.h"
#include "ui/window/title_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

// Resources of a static library must be initialized explicitly; the macro requires the global namespace.
static void nameResources() {
  Q_INIT_RESOURCE(resources);
}

namespace rankscope::ui {

namespace {

constexpr QSize kFirstSize(1440, 900);
constexpr int kRoomForFindings = 800; // least width for pages with findings beside them
constexpr qsizetype kJobsOffered = 3; // with a button each
const QString kFindingsKey = QStringLiteral("window/findingsShown");
const QString kGeometryKey = QStringLiteral("window/geometry");

// The tab about files beside recordings, where there are no recordings.
int tabOfFilesAlone(const TraceSet& job) {
  const char* const tab = !job.side().flightRecords.empty()      ? "hang"
                          : job.side().empty() && !isDigest(job) ? "network"
                                                                 : "memory";
  return tabNamed(QString::fromLatin1(tab));
}

// It says who stands still, which only Flight Recorder dumps know.
void showHangTab(TabRow& row, bool dumps) {
  const int hang = tabNamed(QStringLiteral("hang"));
  row.setAbsent(hang, !dumps);
  row.setPinned(dumps ? hang : -1);
}

// Asked once, before the first window changes the palette, which is the source of the answer.
ThemeName themeAtStart() {
  static const ThemeName theme = systemTheme();
  return theme;
}

} // namespace

MainWindow::MainWindow(QSettings& settings, LoadFunction load, std::optional<ThemeChoice> theme)
    : m_settings(settings), m_recent(settings), m_document(std::move(load), &m_pending),
      m_systemTheme(themeAtStart()) {
  nameResources();
  // Set before children are created, and for this window too: widgets whose style sheet sets only a size
  // would inherit the family of the desktop's font.
  QApplication::setFont(textFont(12));
  setFont(QApplication::font());
  setWindowTitle(QStringLiteral("Rankscope"));
  setWindowIcon(QIcon(QStringLiteral(":/rankscope.svg")));
  setAcceptDrops(true);
  buildMenus();
  if (theme) m_themeChoice = *theme;
  applyStyle(); // before there are many widgets
  buildContent();
  connectDocument();
  connectPart();
  connectRemote();
  connect(&WorkFailures::ofProgram(), &WorkFailures::reported, this, &MainWindow::showWorkFailure);
  restoreShape();
  applyChosenTheme();
  setDemoJob(demoJobFolder(QCoreApplication::applicationDirPath()));
  showPage();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildContent() {
  auto* content = new QWidget;
  content->setObjectName(QStringLiteral("page"));
  m_title = new TitleBar(m_openMenu, m_mainMenu);
  m_search = new SearchField(m_session, m_finder);
  m_title->addSearch(m_search);
  m_banner = new MessageBanner;
  m_start = new StartPage;
  m_tour = new TourBar;
  m_part = new PartPage(m_session);
  m_remote = new RemotePage;
  buildTabs();
  m_pages->addWidget(m_start);
  m_pages->addWidget(m_part);
  m_pages->addWidget(m_remote);
  auto* loadBar = new LoadBar(m_document.loading());

  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_title);
  column->addWidget(m_row);
  column->addWidget(m_banner);
  column->addWidget(m_tour);
  m_across = new QSplitter(Qt::Horizontal);
  m_across->setChildrenCollapsible(false);
  m_across->setHandleWidth(1);
  m_across->addWidget(m_pages);
  m_across->addWidget(&m_tabs->findings());
  m_across->setStretchFactor(0, 1);
  m_across->setStretchFactor(1, 0);
  column->addWidget(m_across, 1);
  column->addWidget(loadBar);
  setCentralWidget(content);
  m_drop = new DropOverlay(m_session, content);
  m_export = new ReportExport(m_session, m_document, *m_tabs, m_settings, m_pending, this);

  // The traces of an excerpt are all that is in its folder.
  m_export->setSession([this](const QString& folder) {
    SessionState state = m_files.sessionStore().state();
    state.traces = QStringList{folder};
    state.part = {};
    return sessionText(state, folder);
  });

  connect(m_search, &QLineEdit::textEdited, m_tabs, &TabPages::showPlace);
  connect(m_search, &SearchField::left, m_tabs, &TabPages::showPlace);
  connect(&m_files, &SessionFiles::themeWanted, this, [this](const QString& theme) {
    if (!std::exchange(m_themeAsked, false))
      setThemeChoice(theme == QLatin1String("light") ? ThemeChoice::Light : ThemeChoice::Dark);
  });
  connect(&m_files, &SessionFiles::tabWanted, this, [this](const QString& tab) {
    if (!m_tabAsked && tabNamed(tab) >= 0) showTab(tab);
    m_tabAsked = false;
  });
  connect(m_banner, &MessageBanner::actionWanted, this, &MainWindow::followBanner);
  connect(loadBar, &LoadBar::partWanted, &m_document, &JobDocument::choosePart);
  connect(m_start, &StartPage::openFolderWanted, this, &MainWindow::chooseFolder);
  connect(m_start, &StartPage::openFilesWanted, this, &MainWindow::chooseFiles);
  connect(m_start, &StartPage::openDemoWanted, this, &MainWindow::openDemo);
  connect(m_start, &StartPage::tourWanted, this, &MainWindow::takeTour);
  connect(m_tour, &TourBar::actionWanted, &m_actions, &ActionRegistry::run);
  // A small window begins without the findings: the tour opens them for its stop only.
  connect(m_tour, &TourBar::findingsWanted, this, [this, opened = false](bool wanted) mutable {
    const bool shown = m_tabs->findingsButton().isChecked();
    const bool turn = wanted ? !shown : shown && opened;
    opened = wanted && (turn || opened);
    if (!turn) return;
    const bool chosen = m_settings.contains(kFindingsKey);
    m_actions.run(QStringLiteral("window.findings"));
    if (!chosen) m_settings.remove(kFindingsKey); // not a choice of the user
  });
  connect(m_start, &StartPage::recordingGuideWanted, this, [this] {
    HelpWindow::of(*this, m_session).showPage(QStringLiteral("opening.md"), QStringLiteral("record-a-job"));
  });
  connect(m_start, &StartPage::openWanted, this, [this](const QStringList& paths) { open(paths); });
  connect(m_start, &StartPage::forgetWanted, this, [this](const QStringList& paths) {
    m_recent.remove(paths);
    rebuildRecent();
  });
  connect(m_export, &ReportExport::finished, this, &MainWindow::showExported);
}

// Positions in the row equal those in the registry and in the page stack.
void MainWindow::buildTabs() {
  m_tabs = new TabPages({m_session, m_finder, *m_search, m_settings, m_actions}, this);
  m_row = new TabRow;
  m_row->setObjectName(QStringLiteral("viewTabs"));
  m_pages = new QStackedWidget;
  for (std::size_t i = 0; i < tabSpecs().size(); ++i) {
    const Action* const action = m_actions.find(actionOfTab(tabSpecs()[i]));
    m_row->addTab(tabSpecs()[i].title(), ActionRegistry::keysText(*action));
    m_pages->addWidget(m_tabs->pages()[i]);
  }
  m_row->addButton(&m_tabs->captureChoice());
  m_row->addButton(&m_tabs->scopeButton());
  m_row->addButton(&m_tabs->findingsButton());
  showHangTab(*m_row, false);
  connect(m_row, &TabRow::currentChanged, this, &MainWindow::showPage);
  connect(m_tabs, &TabPages::byteUnitsChanged, &m_document, &JobDocument::analyzeAgain);
  connect(m_tabs, &TabPages::pageWanted, this,
          [this](TabPage* page) { m_row->setCurrent(m_pages->indexOf(page)); });
}

void MainWindow::connectDocument() {
  follow(m_session, m_document);
  connect(&m_document.loading(), &LoadJob::started, this, [this] {
    m_banner->hide();
    m_partStored = false;
    m_files.dropQuestion(); // about a job that was to be opened before
  });
  connect(&m_document, &JobDocument::leaving, this, [this] { m_files.sessionStore().saveNow(); });
  connect(&m_document, &JobDocument::tracesChanged, this, &MainWindow::showTraces);
  connect(&m_document, &JobDocument::opened, this, &MainWindow::showOpened);
  connect(&m_document, &JobDocument::analyzed, this, &MainWindow::showAnalysis);
  connect(&m_document, &JobDocument::failed, this, &MainWindow::showFailure);
  connect(&m_document, &JobDocument::cancelled, this, &MainWindow::showCancelled);
  connect(&m_document, &JobDocument::ranLow, this, &MainWindow::showRanLow);
  new DigestEvents(m_session, m_document, *m_banner, this);
}

void MainWindow::connectPart() {
  PartChoice& part = m_document.part();
  connect(&part, &PartChoice::asked, this, &MainWindow::showPartPage);
  connect(&part, &PartChoice::left, this, &MainWindow::showPage);
  connect(&part, &PartChoice::foundMore, this, [this, &part] { m_part->showFound(part.question()); });
  connect(m_part, &PartPage::openWanted, &part, &PartChoice::choose);
  connect(m_part, &PartPage::leaveWanted, &part, &PartChoice::leave);
  // Choosing a tab cancels the question.
  connect(m_row, &TabRow::chosen, &part, &PartChoice::leave);
}

void MainWindow::connectRemote() {
  RemoteChooser& remote = m_document.remote();
  connect(&remote, &RemoteChooser::asked, this, [this, &remote] {
    m_remote->ask(remote.contents());
    showPage();
    m_remote->takeFocus();
  });
  connect(&remote, &RemoteChooser::left, this, &MainWindow::showPage);
  connect(m_remote, &RemotePage::fetchWanted, &remote, &RemoteChooser::choose);
  connect(m_remote, &RemotePage::leaveWanted, &remote, &RemoteChooser::leave);
  connect(m_row, &TabRow::chosen, &remote, &RemoteChooser::leave);
  connect(m_start, &StartPage::openRemoteWanted, this, &MainWindow::chooseRemote);
}

void MainWindow::open(const QStringList& given, const LoadOptions& options, OpenedPart part) {
  if (given.isEmpty()) return;
  QStringList paths;
  for (const QString& path : given) paths << withoutCredentialsKept(path);
  m_files.dropQuestion();
  const Result<QStringList> traces = m_files.tracesOf(paths);
  if (!traces) return m_document.refuse(traces.error());
  if (part == OpenedPart::AsAsked || !partOf(options).everything()) return m_document.open(*traces, options);
  m_files.askForPart(*traces, [this, traces = *traces, options](const LoadedPart& left) {
    m_document.open(traces, withPart(options, left));
    m_partStored = !left.everything();
  });
}

void MainWindow::openEverything() {
  if (m_document.opening().paths == m_document.loading().paths()) m_files.keepForOtherPart();
  LoadOptions options = withPart(m_document.loading().options(), {});
  options.mayRead = {}; // that of the part
  m_document.open(m_document.loading().paths(), options);
}

void MainWindow::setDemoJob(const QString& folder) {
  m_demoJob = folder;
  m_start->setDemoThere(!folder.isEmpty());
  rebuildRecent();
}

void MainWindow::openDemo() {
  open({m_demoJob});
}

// On the open job, else on the demo job.
void MainWindow::takeTour() {
  if (m_session.trace()) return m_tour->start();
  m_tourWaits = true;
  openDemo();
}

void MainWindow::showPartPage() {
  m_part->ask(m_document.part().question());
  showPage();
  m_part->takeFocus();
}

void MainWindow::showTab(const QString& id) {
  m_tabAsked = m_tabAsked || !id.isEmpty();
  m_row->setCurrent(tabNamed(id));
}

QString MainWindow::currentTab() const {
  return tabSpecs()[static_cast<std::size_t>(m_row->current())].name();
}

TabPage* MainWindow::currentPage() const {
  return qobject_cast<TabPage*>(m_pages->currentWidget());
}

void MainWindow::showPage() {
  const bool anything = m_session.trace() != nullptr;
  m_row->setVisible(anything);
  m_tabs->setJobOpen(anything);
  m_search->setEnabled(anything);
  if (m_document.part().asking())
    m_pages->setCurrentWidget(m_part);
  else if (m_document.remote().asking())
    m_pages->setCurrentWidget(m_remote);
  else if (anything)
    m_pages->setCurrentIndex(m_row->current());
  else
    m_pages->setCurrentWidget(m_start);
  if (TabPage* const page = currentPage()) page->takeFocus();
}

void MainWindow::showTraces(bool otherJob) {
  m_tabs->setReport(nullptr);
  showSummary();
  if (otherJob) showPage();
}

void MainWindow::showOpened() {
  m_files.jobOpened(m_document.opening().paths, partOf(m_document.opening().options));
  // Large texts in a small window: the button shows how many there are.
  const bool narrow = width() < scaledToText(kRoomForFindings);
  if (narrow && !m_settings.contains(kFindingsKey) && m_tabs->findingsButton().isChecked()) {
    m_actions.run(QStringLiteral("window.findings"));
    m_settings.remove(kFindingsKey); // not a choice of the user
  }
  showSummary();
  const TraceSet& job = *m_document.recorded();
  if (m_partStored) showStoredPart();
  showFileProblems(job);
  showHangTab(*m_row, !job.side().flightRecords.empty());
  // Without a recording, what lies beside is all there is.
  if (job.ranks().empty()) m_row->setCurrent(tabOfFilesAlone(job));
  m_recent.add(m_document.opening().paths);
  rebuildRecent();
  if (TabPage* const page = currentPage()) page->takeFocus();
}

void MainWindow::showAnalysis() {
  m_files.jobReady();
  m_tabs->setReport(m_document.tables().report);
  showSummary();
  // The files are told of while the analysis runs that knows how much of them is missing.
  const std::vector<CutRank> cut = cutRanks(m_document.tables().report->analysis());
  const bool stillTold = m_banner->isVisible() && m_banner->text() == m_toldOfFiles;
  if (!cut.empty() && stillTold) showFileProblems(m_document.tables().report->analysis().trace(), cut);
  showMissingSteps(m_document.tables().report->analysis());
  if (std::exchange(m_tourWaits, false)) m_tour->start();
}

void MainWindow::showFailure(const Error& error, bool partial) {
  m_tourWaits = false;
  const QString reason = QString::fromStdString(error.text());
  if (error.kind == ErrorKind::OutOfMemory) return offerPart(reason, partial);
  constexpr qsizetype kMaxLines = 12;
  const QStringList all = reason.split(QLatin1Char('\n'));
  QStringList lines = all;
  QStringList actions;
  if (all.size() > kMaxLines) {
    lines.resize(kMaxLines - 1);
    lines += tr("and %1 more").arg(all.size() - lines.size());
    actions << tr("Show all");
  }
  if (m_partStored) actions << tr("Open everything");
  // Of many files the list is what helps.
  if (all.size() <= kMaxLines && offerNsysExport(lines)) return;
  m_banner->showChoices(MessageBanner::Severity::Error, tr("Opening failed"), lines, actions);
  m_bannerAction = [this, all, partOnly = m_partStored, count = actions.size()] {
    if (partOnly && m_banner->chosen() == count - 1) return openEverything();
    showProblemList(this, tr("Opening failed"), all);
  };
}

void MainWindow::showMissingSteps(const Analysis& analysis) {
  QStringList lines = missingSteps(analysis, m_document.opening().options.filter);
  if (lines.isEmpty()) return;
  const bool toldOfFiles = m_banner->isVisible() && m_banner->text() == m_toldOfFiles;
  if (toldOfFiles) lines << fileProblemTitle(fileProblems(analysis.trace()));
  m_banner->showMessage(MessageBanner::Severity::Notice, lines.takeFirst(), lines,
                        toldOfFiles ? tr("Show files") : QString());
  m_bannerAction = [this] { showTab(QLatin1String(kProblemsTab)); };
}

void MainWindow::showStoredPart() {
  m_banner->showMessage(
      MessageBanner::Severity::Notice,
      tr("Opened in part, as it was left: %1").arg(partText(partOf(m_document.opening().options))), {},
      tr("Open everything"));
  m_bannerAction = [this] { openEverything(); };
}

bool MainWindow::offerNsysExport(const QStringList& lines) {
  const QStringList opened = m_document.loading().paths();
  const QStringList reports = NsysExport::reportsIn(opened);
  if (reports.isEmpty()) return false;
  const bool installed = !NsysExport::program().isEmpty();
  QStringList actions{tr("Copy command")};
  if (installed) actions.prepend(tr("Export with nsys"));
  m_banner->showChoices(MessageBanner::Severity::Error,
                        counted(reports.size(), tr("A report of Nsight Systems: export it first"),
                                tr("%1 reports of Nsight Systems: export them first")),
                        lines, actions);
  m_bannerAction = [this, reports, opened, installed, lines] {
    if (installed && m_banner->chosen() == 0) return exportReports(reports, opened);
    // The command is part of what the reader says of a report.
    const QString text = lines.join(QLatin1Char('\n'));
    const qsizetype begin = text.indexOf(QLatin1String("for f in"));
    const qsizetype end = text.indexOf(QLatin1String("; done"), begin);
    if (begin >= 0 && end > begin) QGuiApplication::clipboard()->setText(text.mid(begin, end + 6 - begin));
  };
  return true;
}

void MainWindow::exportReports(const QStringList& reports, const QStringList& opened) {
  if (m_nsys == nullptr) m_nsys = new NsysExport(this);
  if (m_nsys->running()) return;
  m_nsys->disconnect(this);
  connect(m_nsys, &NsysExport::progressed, this, [this](int number, int count, const QString& report) {
    m_banner->showMessage(MessageBanner::Severity::Notice,
                          tr("Exporting report %1 of %2 with nsys").arg(number).arg(count),
                          {QFileInfo(report).fileName()}, tr("Cancel"));
    m_bannerAction = [this] { m_nsys->cancel(); };
  });
  connect(m_nsys, &NsysExport::cancelled, this,
          [this] { m_banner->showMessage(MessageBanner::Severity::Notice, tr("Export canceled"), {}); });
  connect(m_nsys, &NsysExport::failed, this, [this](const QString& report, const QString& reason) {
    m_banner->showMessage(MessageBanner::Severity::Error, tr("Export with nsys failed"),
                          {QFileInfo(report).fileName() + QLatin1String(": ") + reason});
  });
  connect(m_nsys, &NsysExport::finished, this, [this, opened](const QStringList& exports) {
    // A folder is opened as before: its other files belong to the job.
    const bool beside =
        QFileInfo(exports.front()).absolutePath() == QFileInfo(opened.value(0)).absoluteFilePath();
    open(beside && opened.size() == 1 ? opened : exports);
  });
  const QString cache = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
  m_nsys->start(NsysExport::program(), reports, cache + QLatin1String("/nsys"));
}

void MainWindow::showWorkFailure(const Error& error) {
  const bool memory = error.kind == ErrorKind::OutOfMemory;
  m_banner->showMessage(
      MessageBanner::Severity::Error, memory ? tr("Not enough memory") : tr("Operation failed"),
      {memory ? tr("Some of the requested data cannot be shown.") : QString::fromStdString(error.text())},
      memory ? tr("Open partially …") : QString());
  m_bannerAction = [this] { m_document.choosePart(); };
}

void MainWindow::showCancelled(bool partial) {
  m_tourWaits = false;
  m_banner->showMessage(MessageBanner::Severity::Notice, tr("Opening canceled"),
                        partial ? QStringList{tr("Only the ranks loaded so far are shown.")} : QStringList{});
}

// Several exports are reported together, because a message replaces the previous one.
void MainWindow::showExported(const QString& folder, const QStringList& files, const QString& problem) {
  const QString written = counted(files.size(), tr("1 file written"), tr("%1 files written"));
  const QString message = tr("%1 to %2").arg(written, folder);
  m_exported << (problem.isEmpty() ? message : tr("Export failed: %1; %2").arg(problem, message));
  m_exportFailed |= !problem.isEmpty();
  if (m_export->working()) return;
  const bool failed = std::exchange(m_exportFailed, false);
  const QStringList all = std::exchange(m_exported, {});
  const auto severity = failed ? MessageBanner::Severity::Error : MessageBanner::Severity::Success;
  const QString action = failed ? QString() : tr("Open folder");
  if (all.size() > 1)
    m_banner->showMessage(severity, tr("%1 exports finished").arg(all.size()), all, action);
  else if (failed)
    m_banner->showMessage(severity, tr("Export failed"), {problem, written});
  else
    m_banner->showMessage(severity, message, {}, action);
  m_bannerAction = [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); };
}

void MainWindow::showRanLow(std::uint64_t left, bool partial) {
  offerPart(tr("Only %1 of memory was left.")
                .arg(QString::fromStdString(bytesText(static_cast<std::int64_t>(left)))),
            partial);
}

void MainWindow::offerPart(const QString& reason, bool partial) {
  QStringList details{reason};
  if (partial) details << tr("The ranks loaded so far are shown.");
  m_banner->showMessage(MessageBanner::Severity::Error, tr("Opening stopped: low memory"), details,
                        tr("Open partially …"));
  m_bannerAction = [this, opening = Opening{m_document.loading().paths(), m_document.loading().options()}] {
    m_document.choosePartOf(opening, PartQuestion::Reason::RanLow);
  };
}

void MainWindow::showFileProblems(const TraceSet& traces, std::span<const CutRank> cut) {
  const std::vector<FileProblem> fileProblemList = fileProblems(traces, cut);
  if (fileProblemList.empty()) return;
  // The worst ones come first.
  const bool bad = fileProblemList.front().kind == FileProblemKind::Unreadable;
  const bool onlyOthers = std::ranges::all_of(fileProblemList, [](const FileProblem& fileProblem) {
    return fileProblem.kind == FileProblemKind::OtherJob;
  });
  const std::vector<FoundJob> others = otherJobs(traces);
  QStringList actions;
  for (const FoundJob& job : others) {
    if (actions.size() == kJobsOffered) break;
    const QString name = QFileInfo(QString::fromStdString(job.name)).fileName();
    actions << tr("Open %1 (%2)")
                   .arg(name, counted(static_cast<qint64>(job.files.size()), tr("1 file"), tr("%1 files")));
  }
  if (!onlyOthers || actions.size() < static_cast<qsizetype>(others.size()) || actions.isEmpty())
    actions << tr("Show files");
  m_banner->showChoices(bad ? MessageBanner::Severity::Error : MessageBanner::Severity::Notice,
                        fileProblemTitle(fileProblemList), fileProblemLines(fileProblemList), actions);
  m_toldOfFiles = m_banner->text();
  m_bannerAction = [this, others] {
    const auto at = static_cast<std::size_t>(m_banner->chosen());
    if (at >= std::min<std::size_t>(others.size(), kJobsOffered)) return showTab(QLatin1String(kProblemsTab));
    QStringList paths;
    for (const std::string& path : others[at].files) paths << QString::fromStdString(path);
    open(paths);
  };
}

void MainWindow::followBanner() {
  // The action may show another message.
  if (const auto action = m_bannerAction) action();
}

void MainWindow::showSummary() {
  const auto& traces = m_document.recorded();
  QString name = traces ? QString::fromStdString(traces->jobName()) : QString();
  if (const std::size_t others = traces ? otherJobs(*traces).size() : 0; others > 0)
    name = tr("%1: %2 (1 of %3 jobs)")
               .arg(name, QFileInfo(QString::fromStdString(openedJob(*traces).name)).fileName())
               .arg(others + 1);
  m_title->setJob(name, m_document.summary());
  setWindowTitle(name.isEmpty() ? QStringLiteral("Rankscope") : tr("%1 – Rankscope").arg(name));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const QStringList paths = droppedPaths(*event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  const auto& open = m_session.trace();
  m_drop->showFor(recentTitle(paths),
                  open ? tr("Replaces %1.").arg(QString::fromStdString(open->jobName()))
                       : tr("Folders are searched recursively; ranks are detected automatically."));
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) {
  m_drop->hide();
}

void MainWindow::dropEvent(QDropEvent* event) {
  m_drop->hide();
  const QStringList paths = droppedPaths(*event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  open(paths);
}

void MainWindow::restoreShape() {
  resize(kFirstSize);
  restoreGeometry(m_settings.value(kGeometryKey).toByteArray());
  m_appearance.setHighlights(savedHighlights(m_settings));
}

// A key with a meaning by position must not trigger the shortcut of its letter.
bool MainWindow::event(QEvent* event) {
  // Events of child members may arrive before there are pages.
  if (event->type() == QEvent::ShortcutOverride) {
    const TabPage* const page = currentPage();
    if (page && page->claimsKey(*static_cast<QKeyEvent*>(event))) {
      event->accept();
      return true;
    }
  }
  return QMainWindow::event(event);
}

// Unhandled keys go to the visible tab.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  TabPage* const page = currentPage();
  if (page && page->pressKey(*event)) return;
  QMainWindow::keyPressEvent(event);
}

void MainWindow::keyReleaseEvent(QKeyEvent* event) {
  if (!m_actions.release(*event)) QMainWindow::keyReleaseEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  m_document.giveUp();
  m_files.sessionStore().saveNow();
  m_timelineSettings.saveNow();
  m_settings.setValue(kGeometryKey, saveGeometry());
  for (TabPage* page : m_tabs->pages()) page->saveLayout();
  saveHighlights(m_settings, m_appearance.highlights());
  QMainWindow::closeEvent(event);
}

} // namespace rankscope::ui
