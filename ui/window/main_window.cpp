// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/work_failures.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/collective_panel.h"
#include "ui/details/find_tools.h"
#include "ui/details/gap_panel.h"
#include "ui/details/mark_tools.h"
#include "ui/details/search_field.h"
#include "ui/details/source_opener.h"
#include "ui/details/stack_panel.h"
#include "ui/findings/findings_panel.h"
#include "ui/job/highlight_settings.h"
#include "ui/opening/drop_overlay.h"
#include "ui/opening/file_troubles.h"
#include "ui/opening/load_bar.h"
#include "ui/opening/part_page.h"
#include "ui/opening/start_page.h"
#include "ui/tabs/distributed/distributed_panel.h"
#include "ui/tabs/files/files_panel.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/tabs/memory/memory_panel.h"
#include "ui/tabs/operators/operators_panel.h"
#include "ui/tabs/overview/overview_panel.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/analysis_tabs.h"
#include "ui/window/report_export.h"
#include "ui/window/title_bar.h"

#include <QApplication>
#include <QCloseEvent>
#include <QCursor>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>

// Resources of a static library are there once somebody names them; the macro wants the global namespace.
static void nameResources() {
  Q_INIT_RESOURCE(resources);
}

namespace rankscope::ui {

namespace {

constexpr QSize kFirstSize(1440, 900);
constexpr int kBottomHeight = 230;
const QString kGeometryKey = QStringLiteral("window/geometry");
const QString kSplitterKey = QStringLiteral("window/splitter");
const QString kFiguresKey = QStringLiteral("timeline/figures");
const QString kCollapsedKey = QStringLiteral("window/bottomCollapsed");

QStringList localPaths(const QMimeData* data) {
  QStringList paths;
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  return paths;
}

} // namespace

MainWindow::MainWindow(QSettings& settings, LoadFunction load)
    : m_settings(settings), m_recent(settings), m_document(std::move(load), &m_pending) {
  nameResources();
  // Before there are children, and for this window too: it was made with the desktop's font already, whose
  // family those would inherit that a style sheet gives no more than a size.
  QApplication::setFont(textFont(12));
  setFont(QApplication::font());
  setWindowTitle(QStringLiteral("Rankscope"));
  setWindowIcon(QIcon(QStringLiteral(":/rankscope.svg")));
  setAcceptDrops(true);
  buildMenus();
  buildContent();
  connectDocument();
  connectPart();
  connect(&WorkFailures::ofProgram(), &WorkFailures::reported, this, &MainWindow::showWorkFailure);
  restoreShape();
  applyChosenTheme();
  rebuildRecent();
  showPage();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildContent() {
  auto* content = new QWidget;
  content->setObjectName(QStringLiteral("page"));
  m_title = new TitleBar(m_openMenu, m_mainMenu);
  m_tabs = new QTabBar;
  m_tabs->setExpanding(false);
  m_tabs->setDrawBase(false);
  m_tabs->setUsesScrollButtons(false);
  m_tabs->setFocusPolicy(Qt::TabFocus);
  for (const QString& name : viewNames()) m_tabs->addTab(viewTitle(*viewNamed(name)));
  auto* tabRow = new QFrame;
  tabRow->setObjectName(QStringLiteral("viewTabs"));
  auto* tabLine = new QHBoxLayout(tabRow);
  tabLine->setContentsMargins(12, 0, 12, 1);
  tabLine->setSpacing(8);
  tabLine->addWidget(m_tabs);
  tabLine->addStretch();
  m_analysis = new AnalysisTabs(m_session, m_settings, m_actions, this);
  tabLine->addWidget(&m_analysis->scopeButton());
  tabLine->addWidget(&m_analysis->findingsButton());

  m_banner = new MessageBanner;
  m_start = new StartPage;
  m_part = new PartPage(m_session);
  m_pages = new QStackedWidget;
  m_pages->addWidget(buildTimelinePage());
  m_pages->addWidget(&m_analysis->overview());
  m_pages->addWidget(&m_analysis->distributed());
  m_pages->addWidget(&m_analysis->operators());
  m_pages->addWidget(&m_analysis->kernels());
  m_pages->addWidget(&m_analysis->memory());
  m_pages->addWidget(&m_analysis->files());
  m_pages->addWidget(m_start);
  m_pages->addWidget(m_part);
  auto* loadBar = new LoadBar(m_document.loading());

  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_title);
  column->addWidget(tabRow);
  column->addWidget(m_banner);
  m_across = new QSplitter(Qt::Horizontal);
  m_across->setChildrenCollapsible(false);
  m_across->setHandleWidth(1);
  m_across->addWidget(m_pages);
  m_across->addWidget(&m_analysis->findings());
  m_across->setStretchFactor(0, 1);
  m_across->setStretchFactor(1, 0);
  column->addWidget(m_across, 1);
  column->addWidget(loadBar);
  setCentralWidget(content);
  m_drop = new DropOverlay(m_session, content);
  m_find = new FindTools(m_session, *m_timeline, *m_bottom, m_actions, this);
  m_title->addSearch(&m_find->field());
  connect(m_find, &FindTools::timelineWanted, this, [this] { setView(View::Timeline); });
  m_marks = new MarkTools(m_session, *m_timeline, *m_bottom, *m_find, m_actions, this);
  connect(m_marks, &MarkTools::themeWanted, this, [this](const QString& theme) {
    setThemeChoice(theme == QLatin1String("light") ? ThemeChoice::Light : ThemeChoice::Dark);
  });
  connect(m_marks, &MarkTools::failed, this, [this](const QString& title, const QString& reason) {
    m_banner->showMessage(MessageBanner::Severity::Error, title, {reason});
  });

  connect(m_tabs, &QTabBar::currentChanged, this, &MainWindow::showPage);
  connect(m_banner, &MessageBanner::actionWanted, this, &MainWindow::followBanner);
  connect(loadBar, &LoadBar::partWanted, &m_document, &JobDocument::choosePart);
  connect(m_start, &StartPage::openFolderWanted, this, &MainWindow::chooseFolder);
  connect(m_start, &StartPage::openFilesWanted, this, &MainWindow::chooseFiles);
  connect(m_start, &StartPage::openWanted, this, [this](const QStringList& paths) { open(paths); });
  connect(m_start, &StartPage::forgetWanted, this, [this](const QStringList& paths) {
    m_recent.remove(paths);
    rebuildRecent();
  });
  m_export = new ReportExport(m_session, *m_analysis, *m_timeline, m_settings, m_pending, this);
  connect(m_export, &ReportExport::finished, this, &MainWindow::showExported);
  connect(m_analysis, &AnalysisTabs::timelineWanted, this, [this] { setView(View::Timeline); });
  connect(m_analysis, &AnalysisTabs::pageWanted, this,
          [this](QWidget* page) { m_tabs->setCurrentIndex(m_pages->indexOf(page)); });
}

QWidget* MainWindow::buildTimelinePage() {
  m_timeline = new TimelineView(m_session, nullptr, &m_actions);
  m_details = new DetailsPanel(m_session);
  m_bottom = new BottomPanel;
  const int selection = m_bottom->addPanel(tr("Selection"), m_details);
  auto* stack = new StackPanel(m_session);
  connect(stack, &StackPanel::sourceWanted, this, [this](const SourcePlace& place) {
    QToolTip::showText(QCursor::pos(), openSource(m_settings, place, this), m_bottom);
  });
  m_collective = new CollectivePanel(m_session);
  const int collective = m_bottom->addPanel(tr("Collective across ranks"), m_collective);
  const int gap = m_bottom->addPanel(tr("Idle gap"), new GapPanel(m_session));
  m_bottom->addPanel(tr("Call stack"), stack);
  followSelection(selection, collective, gap);
  connect(m_collective, &CollectivePanel::eventWanted, m_timeline, &TimelineView::goTo);
  m_splitter = new QSplitter(Qt::Vertical);
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setHandleWidth(1);
  m_splitter->addWidget(m_timeline);
  m_splitter->addWidget(m_bottom);
  m_splitter->setStretchFactor(0, 1);
  m_splitter->setStretchFactor(1, 0);
  m_splitter->setSizes({kFirstSize.height() - kBottomHeight, kBottomHeight});
  m_openHeight = kBottomHeight;
  connect(m_bottom, &BottomPanel::collapsedChanged, this, &MainWindow::shareHeight);
  return m_splitter;
}

// The panel that tells most of what was selected comes to the front. Who then turns to another one keeps it
// while walking from like to like.
void MainWindow::followSelection(int selection, int collective, int gap) {
  connect(&m_session, &TraceSession::gapChanged, m_bottom, [this, gap] {
    if (m_session.gap()) m_bottom->followTo(gap);
  });
  connect(&m_session, &TraceSession::selectionChanged, m_bottom,
          [this, selection, collective, gap, wasCollective = false]() mutable {
            if (!m_session.selection().valid()) return;
            const bool isCollective = m_collective->shows();
            const int current = m_bottom->current();
            if (isCollective && (!wasCollective || current == gap))
              m_bottom->followTo(collective);
            else if (!isCollective && (current == collective || current == gap))
              m_bottom->followTo(selection);
            wasCollective = isCollective;
          });
}

void MainWindow::connectDocument() {
  follow(m_session, m_document);
  connect(&m_document.loading(), &LoadJob::started, m_banner, &QWidget::hide);
  connect(&m_document, &JobDocument::leaving, this, [this] { m_marks->keeper().saveNow(); });
  connect(&m_document, &JobDocument::tracesChanged, this, &MainWindow::showTraces);
  connect(&m_document, &JobDocument::opened, this, &MainWindow::showOpened);
  connect(&m_document, &JobDocument::analysed, this, &MainWindow::showAnalysis);
  connect(&m_document, &JobDocument::failed, this, &MainWindow::showFailure);
  connect(&m_document, &JobDocument::cancelled, this, &MainWindow::showCancelled);
  connect(&m_document, &JobDocument::ranLow, this, &MainWindow::showRanLow);
}

void MainWindow::connectPart() {
  PartChoice& part = m_document.part();
  connect(&part, &PartChoice::asked, this, &MainWindow::showPartPage);
  connect(&part, &PartChoice::left, this, &MainWindow::showPage);
  connect(&part, &PartChoice::stepsFound, this, [this, &part] { m_part->showSteps(part.question()); });
  connect(m_part, &PartPage::openWanted, &part, &PartChoice::choose);
  connect(m_part, &PartPage::leaveWanted, &part, &PartChoice::leave);
  // Whoever goes back to a view has thought better of it.
  connect(m_tabs, &QTabBar::tabBarClicked, &part, &PartChoice::leave);
}

void MainWindow::open(const QStringList& paths, const LoadOptions& options) {
  if (paths.isEmpty()) return;
  const Result<QStringList> traces = m_marks->tracesOf(paths);
  if (traces)
    m_document.open(*traces, options);
  else
    m_document.refuse(traces.error());
}

void MainWindow::showPartPage() {
  m_part->ask(m_document.part().question());
  showPage();
  m_part->takeFocus();
}

void MainWindow::setView(View view) {
  m_tabs->setCurrentIndex(static_cast<int>(view));
}

View MainWindow::view() const {
  return static_cast<View>(m_tabs->currentIndex());
}

void MainWindow::showPage() {
  const bool anything = m_session.trace() != nullptr;
  const bool asking = m_document.part().asking();
  m_tabs->parentWidget()->setVisible(anything);
  if (asking)
    m_pages->setCurrentWidget(m_part);
  else if (anything)
    m_pages->setCurrentIndex(m_tabs->currentIndex());
  else
    m_pages->setCurrentWidget(m_start);
  if (anything && view() == View::Timeline && !asking) m_timeline->setFocus();
}

void MainWindow::showTraces(bool otherJob) {
  m_analysis->setReport(nullptr);
  showSummary();
  if (otherJob) showPage();
}

void MainWindow::showOpened() {
  m_marks->jobOpened(m_document.opening().paths);
  showSummary();
  showTroubles(*m_document.recorded());
  m_recent.add(m_document.opening().paths);
  rebuildRecent();
  if (view() == View::Timeline && !m_document.part().asking()) m_timeline->setFocus();
}

void MainWindow::showAnalysis() {
  m_marks->jobReady();
  m_analysis->setReport(m_document.tables().report);
  showSummary();
}

void MainWindow::showFailure(const Error& error, bool partial) {
  const QString reason = QString::fromStdString(error.text());
  if (error.kind == ErrorKind::OutOfMemory) return offerPart(reason, partial);
  m_banner->showMessage(MessageBanner::Severity::Error, tr("Nothing could be opened"), {reason});
}

void MainWindow::showWorkFailure(const Error& error) {
  const bool memory = error.kind == ErrorKind::OutOfMemory;
  m_banner->showMessage(
      MessageBanner::Severity::Error, memory ? tr("Not enough memory") : tr("Something went wrong"),
      {memory ? tr("Not all that was asked for can be shown.") : QString::fromStdString(error.text())},
      memory ? tr("Open a part …") : QString());
  m_bannerAction = [this] { m_document.choosePart(); };
  emit workFinished();
}

void MainWindow::showCancelled(bool partial) {
  m_banner->showMessage(MessageBanner::Severity::Notice, tr("Opening was cancelled"),
                        partial ? QStringList{tr("Only the ranks that had arrived are shown.")}
                                : QStringList{});
}

// Several that were asked for at once are told together, for a message takes the place of the one before.
void MainWindow::showExported(const QString& folder, const QStringList& files, const QString& problem) {
  const QString written = counted(files.size(), tr("1 file written"), tr("%1 files written"));
  const QString told = tr("%1 to %2").arg(written, folder);
  m_exported << (problem.isEmpty() ? told : tr("The export stopped: %1; %2").arg(problem, told));
  m_exportFailed |= !problem.isEmpty();
  if (m_export->working()) return;
  const bool failed = std::exchange(m_exportFailed, false);
  const QStringList all = std::exchange(m_exported, {});
  const auto severity = failed ? MessageBanner::Severity::Error : MessageBanner::Severity::Notice;
  if (all.size() > 1)
    m_banner->showMessage(severity, tr("%1 exports ended").arg(all.size()), all);
  else if (failed)
    m_banner->showMessage(severity, tr("The export stopped"), {problem, written});
  else
    m_banner->showMessage(severity, told, {});
}

void MainWindow::showRanLow(std::uint64_t left, bool partial) {
  offerPart(tr("Only %1 of memory were left.")
                .arg(QString::fromStdString(bytesText(static_cast<std::int64_t>(left)))),
            partial);
}

void MainWindow::offerPart(const QString& reason, bool partial) {
  QStringList details{reason};
  if (partial) details << tr("The ranks that had arrived are shown.");
  m_banner->showMessage(MessageBanner::Severity::Error, tr("Opening was given up: memory ran low"), details,
                        tr("Open a part …"));
  m_bannerAction = [this, opening = Opening{m_document.loading().paths(), m_document.loading().options()}] {
    m_document.choosePartOf(opening, PartQuestion::Reason::RanLow);
  };
}

void MainWindow::showTroubles(const TraceSet& traces) {
  const std::vector<FileTrouble> troubles = fileTroubles(traces);
  if (troubles.empty()) return;
  // The worst ones come first.
  const bool bad = troubles.front().kind == TroubleKind::Unreadable;
  QStringList otherJob;
  if (std::ranges::all_of(troubles,
                          [](const FileTrouble& trouble) { return trouble.kind == TroubleKind::OtherJob; }))
    for (const FileTrouble& trouble : troubles) otherJob << trouble.path;
  m_banner->showMessage(bad ? MessageBanner::Severity::Error : MessageBanner::Severity::Notice,
                        troubleTitle(troubles), troubleLines(troubles),
                        otherJob.isEmpty() ? tr("Show files") : tr("Open them instead"));
  m_bannerAction = [this, otherJob] {
    if (otherJob.isEmpty())
      setView(View::Files);
    else
      open(otherJob);
  };
}

void MainWindow::followBanner() {
  // What it does may put up another message.
  if (const auto action = m_bannerAction) action();
}

void MainWindow::showSummary() {
  const auto& traces = m_document.recorded();
  const QString name = traces ? QString::fromStdString(traces->jobName()) : QString();
  m_title->setJob(name, m_document.summary());
  setWindowTitle(name.isEmpty() ? QStringLiteral("Rankscope") : tr("%1 – Rankscope").arg(name));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const QStringList paths = localPaths(event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  const auto& open = m_session.trace();
  m_drop->showFor(recentTitle(paths),
                  open ? tr("It takes the place of %1.").arg(QString::fromStdString(open->jobName()))
                       : tr("Folders are searched deep; ranks are found by themselves."));
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) {
  m_drop->hide();
}

void MainWindow::dropEvent(QDropEvent* event) {
  m_drop->hide();
  const QStringList paths = localPaths(event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  open(paths);
}

void MainWindow::restoreShape() {
  resize(kFirstSize);
  restoreGeometry(m_settings.value(kGeometryKey).toByteArray());
  m_splitter->restoreState(m_settings.value(kSplitterKey).toByteArray());
  m_bottom->setCollapsed(m_settings.value(kCollapsedKey, false).toBool());
  m_appearance.setHighlights(savedHighlights(m_settings));
  m_timeline->setFiguresShown(m_settings.value(kFiguresKey, true).toBool());
}

bool MainWindow::timelineHasKeys() const {
  return view() == View::Timeline && m_session.trace() && !m_document.part().asking();
}

// A key that moves the timeline by its place is no shortcut of what is printed on it.
bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && timelineHasKeys() &&
      m_actions.wantsByPlace(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QMainWindow::event(event);
}

// A splitter leaves the room of a panel that became lower empty: it is the timeline's until the panel opens.
void MainWindow::shareHeight(bool folded) {
  if (folded == std::exchange(m_folded, folded)) return;
  const QList<int> sizes = m_splitter->sizes();
  const int all = std::accumulate(sizes.begin(), sizes.end(), 0);
  if (folded && all > 0) m_openHeight = sizes.back();
  const int bottom = folded ? m_bottom->maximumHeight() : m_openHeight;
  m_splitter->setSizes({std::max(0, (all > 0 ? all : height()) - bottom), bottom});
}

// What is typed anywhere in the timeline's page, and wanted by nobody there, is for the timeline.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (timelineHasKeys() && m_timeline->pressKey(*event)) return;
  QMainWindow::keyPressEvent(event);
}

void MainWindow::keyReleaseEvent(QKeyEvent* event) {
  if (!m_actions.release(*event)) QMainWindow::keyReleaseEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  m_document.giveUp();
  m_marks->keeper().saveNow();
  m_memory.saveNow();
  m_settings.setValue(kGeometryKey, saveGeometry());
  if (!m_bottom->collapsed()) m_settings.setValue(kSplitterKey, m_splitter->saveState());
  m_settings.setValue(kCollapsedKey, m_bottom->collapsed());
  saveHighlights(m_settings, m_appearance.highlights());
  m_settings.setValue(kFiguresKey, m_timeline->figuresShown());
  QMainWindow::closeEvent(event);
}

} // namespace rankscope::ui
