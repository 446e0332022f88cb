// SPDX-License-Identifier: GPL-3.0-or-later
// The window: title row, tabs, the timeline with its bottom panel, the tables, the start page, and everything
// that opens traces (menus, recent list, drops). It owns the session, the load job and the derivation of
// tables and connects them; what is shown and selected lives in the session. UI thread only; nothing here
// waits for a worker.
#pragma once

#include "ui/actions/actions.h"
#include "ui/details/details_panel.h"
#include "ui/job/job_document.h"
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
  explicit MainWindow(QSettings& settings, LoadFunction load = loadTraces);
  ~MainWindow() override;

  // Opens these in place of what is open; returns at once.
  void open(const QStringList& paths, const LoadOptions& options = {});
  void setView(View view);
  [[nodiscard]] View view() const;
  void setThemeChoice(ThemeChoice choice);

  [[nodiscard]] JobDocument& document() { return m_document; }
  [[nodiscard]] TraceSession& session() { return m_session; }
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

  // Of everything: loads, tables, details still to come, what is being kept or exported.
  [[nodiscard]] PendingWork& pending() { return m_pending; }

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
  void connectDocument();
  void rebuildRecent();
  void addRecentActions(QMenu* menu);
  void chooseFolder();
  void chooseFiles();
  void saveScreenshot();
  void exportTable();
  [[nodiscard]] TableExport* bottomExport() const;
  [[nodiscard]] bool timelineHasKeys() const;

  void showTraces(bool otherJob);
  void showOpened();
  void showAnalysis();
  void showFailure(const Error& error, bool partial);
  void showWorkFailure(const Error& error);
  void showCancelled(bool partial);
  void showExported(const QString& folder, const QStringList& files, const QString& problem);
  void showRanLow(std::uint64_t left, bool partial);
  // Of a job that memory did not suffice for.
  void offerPart(const QString& reason, bool partial);
  void connectPart();
  void showPartPage();
  void showTroubles(const TraceSet& traces);
  void followBanner();
  void showSummary();
  void showPage();
  void restoreShape();
  void shareHeight(bool folded);
  void applyChosenTheme();

  QSettings& m_settings;
  RecentPaths m_recent;
  Appearance m_appearance;
  PendingWork m_pending;
  JobDocument m_document;
  TraceSession m_session{m_appearance, nullptr, &m_pending};
  TimelineMemory m_memory{m_session, m_settings};
  ActionRegistry m_actions{this};
  std::function<void()> m_bannerAction;
  QStringList m_exported; // what came of each export since none was under way
  bool m_exportFailed = false;
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
