// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: title row, tabs, findings, start page, and all ways to open traces (menus, recent list,
// drops). Lays out and connects them; the open job is in the document, view state in the session, and tabs
// come from the registry. UI thread only; never blocks on a worker.
#pragma once

#include "core/analysis/job/truncated_ranks.h"
#include "core/io/load/job_loader.h"
#include "ui/actions/actions.h"
#include "ui/job/event_finder.h"
#include "ui/job/job_document.h"
#include "ui/job/session_files.h"
#include "ui/job/timeline_settings.h"
#include "ui/job/trace_session.h"
#include "ui/opening/recent_paths.h"

#include <QMainWindow>

#include <functional>
#include <optional>
#include <span>

class QSettings;
class QSplitter;
class QStackedWidget;

namespace rankscope::ui {

class DropOverlay;
class MessageBanner;
class NsysExport;
class PartPage;
class TourBar;
class SearchField;
class RemotePage;
class ReportExport;
class StartPage;
class TabPage;
class TabPages;
class TabRow;
class TableExport;
class TitleBar;

enum class ThemeChoice : std::uint8_t { System, Dark, Light };

// What to open of a job: what its session has, unless the options ask for a part; or what they say.
enum class OpenedPart : std::uint8_t { AsLeft, AsAsked };

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // The settings store the recent list, theme and window geometry.
  // theme: instead of the one in the settings.
  explicit MainWindow(QSettings& settings, LoadFunction load = loadJob,
                      std::optional<ThemeChoice> theme = std::nullopt);
  ~MainWindow() override;

  // Opens these paths in place of the open job; returns at once.
  void open(const QStringList& given, const LoadOptions& options = {}, OpenedPart part = OpenedPart::AsLeft);
  // By registry id; unknown ids are ignored.
  void showTab(const QString& id);
  [[nodiscard]] QString currentTab() const;
  void setThemeChoice(ThemeChoice choice);
  // The same, also against the session that is opened next.
  void askForTheme(ThemeChoice choice);
  // From now on the system's theme is what the desktop says while the window is open; without an address,
  // over the session bus.
  void followSystemTheme(const QString& busAddress = {});
  // Folder of the demo job; empty: none is offered. Next to the program by default.
  void setDemoJob(const QString& folder);

  [[nodiscard]] JobDocument& document() { return m_document; }
  [[nodiscard]] TraceSession& session() { return m_session; }
  [[nodiscard]] ActionRegistry& actions() { return m_actions; }
  [[nodiscard]] TabPages& tabs() { return *m_tabs; }
  [[nodiscard]] TabRow& tabRow() { return *m_row; }
  [[nodiscard]] SearchField& searchField() { return *m_search; }
  [[nodiscard]] EventFinder& finder() { return m_finder; }
  [[nodiscard]] SessionStore& sessionStore() { return m_files.sessionStore(); }
  [[nodiscard]] ReportExport& reportExport() { return *m_export; }
  [[nodiscard]] MessageBanner& banner() { return *m_banner; }
  [[nodiscard]] PartPage& partPage() { return *m_part; }
  [[nodiscard]] RemotePage& remotePage() { return *m_remote; }
  // Everything but the frame: what a screenshot shows.
  [[nodiscard]] QWidget& content() { return *centralWidget(); }

  // All outstanding work: loads, tables, details, cache writes and exports.
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
  void buildTabs();
  void buildMenus();
  void addActions();
  void addTabActions();
  void fillMainMenu();
  void showPalette();
  void showKeys();
  void addThemeActions();
  void addTextSizeActions();
  void connectDocument();
  void rebuildRecent();
  void addRecentActions(QMenu* menu);
  void chooseFolder();
  void chooseFiles();
  void chooseRemote();
  void openDemo();
  void takeTour();
  void saveScreenshot();
  void exportTable();
  void saveSession();
  [[nodiscard]] TableExport* currentTable() const;
  // The visible tab; null while another page is shown.
  [[nodiscard]] TabPage* currentPage() const;

  void showTraces(bool otherJob);
  void showOpened();
  void showAnalysis();
  void showFailure(const Error& error, bool partial);
  // Says that only a part is open, as it was when the job was left.
  void showMissingSteps(const Analysis& analysis);
  void showStoredPart();
  // All of the paths of which a part was opened, or was to be.
  void openEverything();
  void showWorkFailure(const Error& error);
  // Offers to export reports of Nsight Systems that were opened; false if there are none.
  bool offerNsysExport(const QStringList& lines);
  void exportReports(const QStringList& reports, const QStringList& opened);
  void showCancelled(bool partial);
  void showExported(const QString& folder, const QStringList& files, const QString& problem);
  void showRanLow(std::uint64_t left, bool partial);
  // Offers to open a job partially after it ran out of memory.
  void offerPart(const QString& reason, bool partial);
  void connectPart();
  void connectRemote();
  void showPartPage();
  // cut: what is missing of truncated files.
  void showFileProblems(const TraceSet& traces, std::span<const CutRank> cut = {});
  void followBanner();
  void showSummary();
  void showPage();
  void restoreShape();
  [[nodiscard]] ThemeName chosenTheme() const;
  void applyStyle();
  void applyChosenTheme();

  QSettings& m_settings;
  RecentPaths m_recent;
  Appearance m_appearance;
  PendingWork m_pending;
  JobDocument m_document;
  TraceSession m_session{m_appearance, nullptr, &m_pending};
  TimelineSettings m_timelineSettings{m_session, m_settings};
  EventFinder m_finder{m_session};
  SessionFiles m_files{m_session, m_finder};
  ActionRegistry m_actions{this};
  std::function<void()> m_bannerAction;
  QStringList m_exported; // results of the exports that are reported together
  bool m_exportFailed = false;
  QString m_demoJob; // its folder
  ThemeChoice m_themeChoice = ThemeChoice::System;
  ThemeName m_systemTheme; // also while another one is chosen

  QMenu* m_openMenu = nullptr;
  QMenu* m_recentMenu = nullptr;
  QMenu* m_mainMenu = nullptr;
  std::vector<QMenu*> m_groupMenus; // submenus of m_mainMenu
  TitleBar* m_title = nullptr;
  SearchField* m_search = nullptr;
  TabRow* m_row = nullptr;
  TabPages* m_tabs = nullptr;
  MessageBanner* m_banner = nullptr;
  QString m_toldOfFiles; // what the banner said of files
  QStackedWidget* m_pages = nullptr;
  StartPage* m_start = nullptr;
  PartPage* m_part = nullptr;
  RemotePage* m_remote = nullptr;
  TourBar* m_tour = nullptr;
  bool m_partStored = false;     // what is opened is the part of a session
  bool m_tourWaits = false;      // for the job that it shows
  bool m_themeAsked = false;     // likewise a theme
  bool m_tabAsked = false;       // a tab was asked for, so that a session does not choose another
  QSplitter* m_across = nullptr; // pages and findings
  ReportExport* m_export = nullptr;
  DropOverlay* m_drop = nullptr;
  NsysExport* m_nsys = nullptr;
};

} // namespace rankscope::ui
