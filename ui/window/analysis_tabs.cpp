// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/analysis_tabs.h"

#include "ui/actions/actions.h"
#include "ui/findings/finding_proof.h"
#include "ui/findings/findings_panel.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/distributed/distributed_panel.h"
#include "ui/tabs/files/files_panel.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/tabs/memory/memory_panel.h"
#include "ui/tabs/operators/operators_panel.h"
#include "ui/tabs/overview/overview_panel.h"

#include <QSettings>
#include <QStyle>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

const QString kFindingsKey = QStringLiteral("window/findingsShown");

} // namespace

AnalysisTabs::AnalysisTabs(TraceSession& session, QSettings& settings, ActionRegistry& actions,
                           QObject* parent)
    : QObject(parent), m_settings(settings), m_scope(session), m_session(session),
      m_overview(new OverviewPanel(session, settings)),
      m_distributed(new DistributedPanel(session, settings)),
      m_operators(new OperatorsPanel(session, settings)), m_kernels(new KernelsPanel(session, settings)),
      m_memory(new MemoryPanel(session, settings)), m_files(new FilesPanel(session, settings)),
      m_findings(new FindingsPanel(session)), m_scopeButton(new QToolButton),
      m_findingsButton(new QToolButton) {
  m_pages = {m_overview, m_distributed, m_operators, m_kernels, m_memory, m_findings};
  std::vector<AnalysisPage*> all = m_pages;
  all.push_back(m_files);
  for (AnalysisPage* page : all) {
    connect(page, &AnalysisPage::timelineWanted, this, &AnalysisTabs::timelineWanted);
  }
  m_scopeButton->setObjectName(QStringLiteral("scopeButton"));
  m_scopeButton->setFocusPolicy(Qt::TabFocus);
  m_findingsButton->setObjectName(QStringLiteral("findingsButton"));
  m_findingsButton->setCheckable(true);
  m_findingsButton->setFocusPolicy(Qt::TabFocus);
  actions.add({.id = QStringLiteral("tables.scope"),
               .group = tr("Window"),
               .title = tr("Tables: whole trace or selected range"),
               .keys = {Qt::CTRL | Qt::Key_R},
               .scope = KeyScope::Window,
               .run = [this] { m_scope.setFollowsRange(!m_scope.followsRange()); },
               .enabled = [this] { return m_session.range().has_value(); },
               .checked = [this] { return m_scope.followsRange(); }});
  actions.add({.id = QStringLiteral("window.findings"),
               .group = tr("Window"),
               .title = tr("Show or hide the findings"),
               .keys = {Qt::CTRL | Qt::Key_B},
               .scope = KeyScope::Window,
               .run = [this] { showFindings(!m_findings->isVisibleTo(m_findings->parentWidget())); }});
  addCallActions(actions);
  connect(m_scopeButton, &QToolButton::clicked, this,
          [this] { m_scope.setFollowsRange(!m_scope.followsRange()); });
  connect(m_findingsButton, &QToolButton::clicked, this, &AnalysisTabs::showFindings);
  connect(m_findings, &FindingsPanel::countChanged, this, [this](int count) {
    m_findingsButton->setText(count < 0 ? tr("Findings") : tr("Findings  %1").arg(count));
  });
  connect(&m_scope, &TableScope::changed, this, &AnalysisTabs::feed);
  connect(&session, &TraceSession::rangeChanged, this, &AnalysisTabs::showScope);
  connect(&session, &TraceSession::traceChanged, this, &AnalysisTabs::showScope);
  connect(m_findings, &FindingsPanel::findingOpened, this, &AnalysisTabs::openFinding);
  connect(m_overview, &OverviewPanel::findingOpened, this, &AnalysisTabs::openFinding);
  m_findingsButton->setText(tr("Findings"));
  showFindings(settings.value(kFindingsKey, true).toBool());
  showScope();
}

void AnalysisTabs::setReport(std::shared_ptr<const JobReport> whole) {
  m_files->setReport(whole);
  m_scope.setWhole(std::move(whole));
}

Occurrences* AnalysisTabs::callsInSight() const {
  if (m_operators->isVisible()) return &m_operators->calls();
  return m_kernels->isVisible() ? &m_kernels->calls() : nullptr;
}

// Their keys are the tables' own; here they can be found and read.
void AnalysisTabs::addCallActions(ActionRegistry& actions) {
  const auto possible = [this] {
    if (m_distributed->isVisible()) return m_distributed->canStepCalls();
    const Occurrences* const calls = callsInSight();
    return calls != nullptr && calls->calls() && !calls->calls()->calls.empty();
  };
  const auto step = [this](int by) {
    if (m_distributed->isVisible()) return m_distributed->stepCalls(by);
    if (Occurrences* const calls = callsInSight()) calls->step(by);
  };
  actions.add({.id = QStringLiteral("tables.nextCall"),
               .group = tr("Tables"),
               .title = tr("Next call of the chosen row"),
               .keys = {Qt::Key_N},
               .scope = KeyScope::Tables,
               .run = [step] { step(1); },
               .enabled = possible});
  actions.add({.id = QStringLiteral("tables.previousCall"),
               .group = tr("Tables"),
               .title = tr("Previous call of the chosen row"),
               .keys = {Qt::SHIFT | Qt::Key_N},
               .scope = KeyScope::Tables,
               .run = [step] { step(-1); },
               .enabled = possible});
  const auto inSight = [this, possible] { return callsInSight() != nullptr && possible(); };
  actions.add({.id = QStringLiteral("tables.firstCall"),
               .group = tr("Tables"),
               .title = tr("Show the first call of the chosen row in the timeline"),
               .run = [this] { callsInSight()->showFirst(); },
               .enabled = inSight,
               .pointer = tr("double click")});
  actions.add({.id = QStringLiteral("tables.longestCall"),
               .group = tr("Tables"),
               .title = tr("Show the longest call of the chosen row in the timeline"),
               .run = [this] { callsInSight()->showLongest(); },
               .enabled = inSight});
}

void AnalysisTabs::prepareAll() {
  for (AnalysisPage* page : m_pages) page->prepare();
}

void AnalysisTabs::feed() {
  for (AnalysisPage* page : m_pages) page->setReport(m_scope.report());
  m_findings->setScopeText(m_scope.limited() ? tr("in the selection") : QString());
  showScope();
}

void AnalysisTabs::openFinding(const Finding& finding) {
  const auto& report = m_scope.report();
  if (!report) return;
  revealFinding(m_session, report->analysis(), finding);
  const FindingProof proof = proofOf(finding);
  switch (proof.place) {
  case ProofPlace::Timeline:
    return emit timelineWanted();
  case ProofPlace::Distributed:
    return emit pageWanted(m_distributed);
  case ProofPlace::Operators:
    m_operators->showOnly(proof.words);
    return emit pageWanted(m_operators);
  case ProofPlace::Kernels:
    m_kernels->showOnly(proof.words);
    return emit pageWanted(m_kernels);
  case ProofPlace::Memory:
    return emit pageWanted(m_memory);
  case ProofPlace::Files:
    return emit pageWanted(m_files);
  }
}

// One press is enough to see all again, another to see the selection.
void AnalysisTabs::showScope() {
  const bool possible = m_session.range().has_value();
  const bool limited = possible && m_scope.followsRange();
  m_scopeButton->setText(limited ? tr("Selection: %1").arg(m_scope.text()) : tr("Whole trace"));
  m_scopeButton->setEnabled(possible);
  m_scopeButton->setProperty("limited", limited);
  m_scopeButton->setToolTip(
      !possible ? tr("Select a range in the timeline (Shift+drag) to see figures of that part only.")
      : limited ? tr("All tabs show the selected part. Press for the whole trace (Ctrl+R).")
                : tr("All tabs show the whole trace. Press for the selected range (Ctrl+R)."));
  // A style sheet looks at a property when it is put on.
  m_scopeButton->style()->unpolish(m_scopeButton);
  m_scopeButton->style()->polish(m_scopeButton);
}

void AnalysisTabs::showFindings(bool shown) {
  m_findings->setVisible(shown);
  m_findingsButton->setChecked(shown);
  m_findingsButton->setToolTip(shown ? tr("Hide the findings (Ctrl+B)") : tr("Show the findings (Ctrl+B)"));
  m_settings.setValue(kFindingsKey, shown);
}

} // namespace rankscope::ui
