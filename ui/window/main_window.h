// SPDX-License-Identifier: GPL-3.0-or-later
// The window: title row, tabs, the timeline with its bottom panel, the tables, the start page, and everything
// that opens traces (menus, recent list, drops). It owns the session, the load job and the derivation of
// tables and connects them; what is shown and selected lives in the session. UI thread only; nothing here
// waits for a worker.
#pragma once

#include "ui/actions/actions.h"
#include "ui/base/latest_task.h"
#include "ui/details/details_panel.h"
#include "ui/job/cache_writer.h"
#include "ui/job/job_tables.h"
#include "ui/job/load_job.h"
#include "ui/job/timeline_memory.h"
#include "ui/job/trace_session.h"
#include "ui/opening/recent_paths.h"
#include "ui/window/view.h"

#include <QMainWindow>

#include <functional>
#include <optional>

class QActionGroup;
class QSettings;
class QSplitter;
class QStackedWidget;
class QTabBar;

namespace rankscope::ui {

class AnalysisTabs;
class BottomPanel;
class CollectivePanel;
class DropOverlay;
class FindTools;
class MarkTools;
class MessageBanner;
class PartOpener;
class PartPage;
class ReportExport;
class StartPage;
class TableExport;
class TimelineView;
class TitleBar;

enum class ThemeChoice : std::uint8_t { System, Dark, Light };

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // The settings keep the recent list, the theme and the window's shape.
  explicit MainWindow(QSettings& settings, LoadFunction load = loadTraces,
                      ReadFieldsFunction read = readEventFields);
  ~MainWindow() override;

  // Opens these in place of what is open; returns at once.
  void open(const QStringList& paths, const LoadOptions& options = {});
  // Where what is opened from now on is looked for, and kept once it is shown. Without one by default.
  void setTraceCache(std::optional<TraceCacheSettings> cache) { m_cache = std::move(cache); }
  // Free memory. With it, a job that would not fit is asked about and a load that takes too much given up;
  // without, as by default, it is nobody's concern.
  void setMemory(MemoryFunction available);
  // Puts up the page that asks which part of the open job, or of the one that is loading, is wanted.
  void choosePart();
  void setView(View view);
  [[nodiscard]] View view() const;
  void setThemeChoice(ThemeChoice choice);

  [[nodiscard]] TraceSession& session() { return m_session; }
  [[nodiscard]] LoadJob& job() { return m_job; }
  [[nodiscard]] ActionRegistry& actions() { return m_actions; }
  [[nodiscard]] TimelineView& timeline() { return *m_timeline; }
  [[nodiscard]] BottomPanel& bottomPanel() { return *m_bottom; }
  [[nodiscard]] DetailsPanel& details() { return *m_details; }
  [[nodiscard]] CollectivePanel& collective() { return *m_collective; }
  [[nodiscard]] AnalysisTabs& analysisTabs() { return *m_analysis; }
  [[nodiscard]] ReportExport& reportExport() { return *m_export; }
  [[nodiscard]] FindTools& find() { return *m_find; }
  [[nodiscard]] MarkTools& marks() { return *m_marks; }
  [[nodiscard]] MessageBanner& banner() { return *m_banner; }
  [[nodiscard]] PartPage& partPage() { return *m_part; }
  // Everything but the frame: what a screenshot shows.
  [[nodiscard]] QWidget& content() { return *centralWidget(); }

  // Whether nothing is under way: no load, no tables, no details still to come, nothing being kept.
  [[nodiscard]] bool settled() const;
  // The error of the last load, when it failed.
  [[nodiscard]] const std::optional<Error>& loadError() const { return m_loadError; }

 signals:
  // The window may have become settled().
  void workFinished();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;

 private:
  void buildContent();
  [[nodiscard]] QWidget* buildTimelinePage();
  void followSelection(int selection, int collective, int gap);
  void buildMenus();
  void addActions();
  void fillMainMenu();
  void showPalette();
  void showKeys();
  void fillThemeMenu(QMenu* menu);
  void connectJob();
  void rebuildRecent();
  void addRecentActions(QMenu* menu);
  void chooseFolder();
  void chooseFiles();
  void saveScreenshot();
  void exportTable();
  [[nodiscard]] TableExport* bottomExport() const;
  [[nodiscard]] bool timelineHasKeys() const;

  void showTraces(std::shared_ptr<const TraceSet> traces);
  void showFinished(std::shared_ptr<const TraceSet> traces, TimeNs elapsed);
  void showFailure(const Error& error);
  void showCancelled();
  void showExported(const QString& folder, const QStringList& files, const QString& problem);
  void showRanLow(std::uint64_t left);
  void connectPartOpener();
  void showPartPage();
  void closeJob();
  void showTroubles(const TraceSet& traces);
  void followBanner();
  void deriveTables();
  void keepInCache();
  void setClocksAligned(bool aligned);
  void showSummary();
  void showPage();
  void restoreShape();
  void shareHeight(bool folded);
  void applyChosenTheme();

  QSettings& m_settings;
  RecentPaths m_recent;
  TraceSession m_session;
  TimelineMemory m_memory{m_session, m_settings};
  ActionRegistry m_actions{this};
  LoadJob m_job;
  LatestTask<JobTables> m_tablesTask;
  std::optional<TraceCacheSettings> m_cache;
  CacheWriter m_cacheWriter;
  std::shared_ptr<const JobIdentity> m_keptIdentity; // of the job that was handed to the writer last
  std::shared_ptr<const TraceSet> m_recorded; // as the files say; the session's may be on the job's clock
  bool m_alignClocks = true;
  ReadFieldsFunction m_read;
  std::int64_t m_steps = -1;
  TimeNs m_openedIn = -1;
  std::optional<Error> m_loadError;
  std::function<void()> m_bannerAction;
  QStringList m_shownPaths;   // of the job that is shown
  LoadOptions m_shownOptions; // as it
  ThemeChoice m_themeChoice = ThemeChoice::System;

  QMenu* m_openMenu = nullptr;
  QMenu* m_recentMenu = nullptr;
  QMenu* m_mainMenu = nullptr;
  QMenu* m_themeMenu = nullptr;
  std::vector<QMenu*> m_groupMenus; // of m_mainMenu as it was last opened
  TitleBar* m_title = nullptr;
  QTabBar* m_tabs = nullptr;
  MessageBanner* m_banner = nullptr;
  QStackedWidget* m_pages = nullptr;
  StartPage* m_start = nullptr;
  PartPage* m_part = nullptr;
  PartOpener* m_opener = nullptr;
  QSplitter* m_across = nullptr; // pages and findings
  QSplitter* m_splitter = nullptr;
  bool m_folded = false; // the bottom panel
  int m_openHeight = 0;  // of the bottom panel
  TimelineView* m_timeline = nullptr;
  BottomPanel* m_bottom = nullptr;
  DetailsPanel* m_details = nullptr;
  CollectivePanel* m_collective = nullptr;
  AnalysisTabs* m_analysis = nullptr;
  ReportExport* m_export = nullptr;
  FindTools* m_find = nullptr;
  MarkTools* m_marks = nullptr;
  DropOverlay* m_drop = nullptr;
};

} // namespace rankscope::ui
