// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs over the analysis and the findings beside them: it makes them, feeds them what the scope says, and
// takes whoever clicks in them to the timeline. The window places them. UI thread.
#pragma once

#include "ui/job/table_scope.h"

#include <QObject>

#include <memory>
#include <vector>

class QSettings;
class QToolButton;
class QWidget;

namespace rankscope::ui {

class ActionRegistry;
class AnalysisPage;
class DistributedPanel;
class FilesPanel;
class FindingsPanel;
class KernelsPanel;
class MemoryPanel;
class Occurrences;
class OperatorsPanel;
class OverviewPanel;

class AnalysisTabs : public QObject {
  Q_OBJECT
 public:
  AnalysisTabs(TraceSession& session, QSettings& settings, ActionRegistry& actions, QObject* parent);

  // Of the recording; null while there is none.
  void setReport(std::shared_ptr<const JobReport> whole);
  [[nodiscard]] TableScope& scope() { return m_scope; }

  // Makes all that the tabs show, also what nobody has looked at yet.
  void prepareAll();
  // Those that follow the scope, in the order of the tabs.
  [[nodiscard]] const std::vector<AnalysisPage*>& pages() const { return m_pages; }

  [[nodiscard]] OverviewPanel& overview() { return *m_overview; }
  [[nodiscard]] DistributedPanel& distributed() { return *m_distributed; }
  [[nodiscard]] OperatorsPanel& operators() { return *m_operators; }
  [[nodiscard]] KernelsPanel& kernels() { return *m_kernels; }
  [[nodiscard]] MemoryPanel& memory() { return *m_memory; }
  [[nodiscard]] FilesPanel& files() { return *m_files; }
  [[nodiscard]] FindingsPanel& findings() { return *m_findings; }
  // Says what the tabs are about and switches between all and the selection; for the tabs' row.
  [[nodiscard]] QToolButton& scopeButton() { return *m_scopeButton; }
  // Shows and hides the findings and says how many there are; for the tabs' row.
  [[nodiscard]] QToolButton& findingsButton() { return *m_findingsButton; }

 signals:
  // What was revealed in the session is to be looked at.
  void timelineWanted();
  // One of the tabs is to be looked at.
  void pageWanted(QWidget* page);

 private:
  void feed();
  void showScope();
  void showFindings(bool shown);
  void addCallActions(ActionRegistry& actions);
  // Of the tab that is looked at; null where it has none.
  [[nodiscard]] Occurrences* callsInSight() const;
  // Takes the timeline to it and opens what proves it.
  void openFinding(const Finding& finding);

  QSettings& m_settings;
  TableScope m_scope;
  TraceSession& m_session;
  OverviewPanel* m_overview;
  DistributedPanel* m_distributed;
  OperatorsPanel* m_operators;
  KernelsPanel* m_kernels;
  MemoryPanel* m_memory;
  FilesPanel* m_files;
  FindingsPanel* m_findings;
  std::vector<AnalysisPage*> m_pages;
  QToolButton* m_scopeButton;
  QToolButton* m_findingsButton;
};

} // namespace rankscope::ui
