// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of all tabs and the findings beside them: it has the registry's tabs made, feeds them what they
// are about, and takes whoever clicks in them to what proves it. The window places them and turns to them. No
// tab is known here but as a page. UI thread.
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

class FindingsPanel;
struct TabSpec;

// The action that turns to the tab.
[[nodiscard]] QString actionOfTab(const TabSpec& tab);

class TabPages : public QObject {
  Q_OBJECT
 public:
  TabPages(const TabContext& context, QObject* parent);

  // Of the recording; null while there is none.
  void setReport(std::shared_ptr<const JobReport> whole);
  [[nodiscard]] TableScope& scope() { return m_scope; }

  // In the order of the registry.
  [[nodiscard]] const std::vector<TabPage*>& pages() const { return m_pages; }
  // As the folder of that tab defines it. REQUIRES: there is such a tab, and that is what its page is.
  template <class Page> [[nodiscard]] Page& page(const char* id) const {
    return dynamic_cast<Page&>(*pageNamed(QString::fromLatin1(id)));
  }
  // Null for an id that no tab has.
  [[nodiscard]] TabPage* pageNamed(const QString& id) const;
  // The page that is looked at; null: none.
  [[nodiscard]] TabPage* pageInSight() const;
  // Makes all that the tabs show, also what nobody has looked at yet.
  void prepareAll();
  // Turns to the tab in which places of the session are seen.
  void showPlace();

  [[nodiscard]] FindingsPanel& findings() { return *m_findings; }
  // Says what the tabs are about and switches between all and the selection; for the tabs' row.
  [[nodiscard]] QToolButton& scopeButton() { return *m_scopeButton; }
  // Shows and hides the findings and says how many there are; for the tabs' row.
  [[nodiscard]] QToolButton& findingsButton() { return *m_findingsButton; }

 signals:
  // One of the pages is to be looked at.
  void pageWanted(rankscope::ui::TabPage* page);

 private:
  void feed();
  void showScope();
  void showFindings(bool shown);
  void addActions(ActionRegistry& actions);
  void addCallActions(ActionRegistry& actions);
  // Takes the timeline to it and opens what proves it.
  void openFinding(const Finding& finding);

  QSettings& m_settings;
  TableScope m_scope;
  TraceSession& m_session;
  std::vector<TabPage*> m_pages;
  FindingsPanel* m_findings;
  QToolButton* m_scopeButton;
  QToolButton* m_findingsButton;
};

} // namespace rankscope::ui
