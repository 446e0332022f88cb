// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of all tabs and the findings panel: creates the tabs of the registry, gives them their report,
// and opens targets of findings. The window lays them out and switches between them. Tabs are known as
// TabPage only. UI thread.
#pragma once

#include "ui/job/table_scope.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/tab_page.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

class QSettings;
class QToolButton;

namespace rankscope::ui {

class CaptureChoice;
class DigestCover;
class FindingsPanel;
struct TabSpec;

// The action that shows the tab.
[[nodiscard]] QString actionOfTab(const TabSpec& tab);

class TabPages : public QObject {
  Q_OBJECT
 public:
  TabPages(const TabContext& context, QObject* parent);

  // Report of the whole recording; null without a job.
  void setReport(std::shared_ptr<const JobReport> whole);
  [[nodiscard]] TableScope& scope() { return m_scope; }

  // In the order of the registry.
  [[nodiscard]] const std::vector<TabPage*>& pages() const { return m_pages; }
  // The page with its concrete type. REQUIRES: there is such a tab, and its page has this type.
  template <class Page> [[nodiscard]] Page& page(const char* id) const {
    return dynamic_cast<Page&>(*pageNamed(QString::fromLatin1(id)));
  }
  // Null for an unknown id.
  [[nodiscard]] TabPage* pageNamed(const QString& id) const;
  // The page that is looked at; null: none.
  [[nodiscard]] TabPage* currentPage() const;
  // Makes all that the tabs show, also what was not shown yet.
  void prepareAll();
  // Shows the tab with the timeline.
  void showPlace();
  // Takes the timeline to the finding and opens what proves it.
  void openFinding(const Finding& finding);

  [[nodiscard]] FindingsPanel& findings() { return *m_findings; }
  // Shows the scope and toggles between whole trace and selection; for the tab row.
  [[nodiscard]] QToolButton& scopeButton() { return *m_scopeButton; }
  // Without a job there are no findings, so their panel is hidden.
  void setJobOpen(bool open);
  // Toggles the findings and shows their number; for the tab row.
  [[nodiscard]] QToolButton& findingsButton() { return *m_findingsButton; }
  // Chooses one of several recordings of the ranks; hidden if there is one.
  [[nodiscard]] CaptureChoice& captureChoice() { return *m_captures; }

 signals:
  // The window should show this page.
  void pageWanted(rankscope::ui::TabPage* page);
  // Sizes in texts that the analysis made are in other units now.
  void byteUnitsChanged();

 private:
  void feed();
  void give(std::size_t tab, const std::shared_ptr<const JobReport>& report);
  void showScope();
  void showFindings(bool shown);
  void addActions(ActionRegistry& actions);
  void addCallActions(ActionRegistry& actions);

  QSettings& m_settings;
  TableScope m_scope;
  TraceSession& m_session;
  std::vector<TabPage*> m_pages;
  std::vector<DigestCover*> m_covers; // of the page at the same place
  FindingsPanel* m_findings;
  QToolButton* m_scopeButton;
  QToolButton* m_findingsButton;
  bool m_jobOpen = false;
  CaptureChoice* m_captures;
};

} // namespace rankscope::ui
