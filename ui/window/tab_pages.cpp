// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/tab_pages.h"

#include "core/analysis/job/scope.h"
#include "core/base/byte_units.h"
#include "core/model/rank_digest.h"
#include "ui/actions/actions.h"
#include "ui/findings/finding_target.h"
#include "ui/findings/findings_panel.h"
#include "ui/job/acceptances.h"
#include "ui/job/occurrences.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_figures.h"
#include "ui/tabs/tab_registry.h"
#include "ui/widgets/analysis_page.h"
#include "ui/window/capture_choice.h"
#include "ui/window/digest_cover.h"

#include <QSettings>
#include <QStyle>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

const QString kPerStepKey = QStringLiteral("tables/perStep");
const QString kDecimalKey = QStringLiteral("tables/decimalBytes");
const QString kFindingsKey = QStringLiteral("window/findingsShown");

// Their texts have sizes in them.
void makeAnew(const std::vector<TabPage*>& pages) {
  for (TabPage* const page : pages) {
    auto* const analysis = qobject_cast<AnalysisPage*>(page);
    if (analysis == nullptr || !analysis->report()) continue;
    const std::shared_ptr<const JobReport> report = analysis->report();
    analysis->setReport(nullptr);
    analysis->setReport(report);
  }
}

} // namespace

QString actionOfTab(const TabSpec& tab) {
  return QStringLiteral("window.") + tab.name();
}

TabPages::TabPages(const TabContext& context, QObject* parent)
    : QObject(parent), m_settings(context.settings), m_scope(context.session), m_session(context.session),
      m_findings(new FindingsPanel(context.session)), m_scopeButton(new QToolButton),
      m_findingsButton(new QToolButton), m_captures(new CaptureChoice(context.session, context.actions)) {
  m_scopeButton->setObjectName(QStringLiteral("scopeButton"));
  m_scopeButton->setFocusPolicy(Qt::TabFocus);
  m_findingsButton->setObjectName(QStringLiteral("findingsButton"));
  m_findingsButton->setCheckable(true);
  m_findingsButton->setFocusPolicy(Qt::TabFocus);
  addActions(context.actions);
  TableFigures& figures = TableFigures::ofProgram();
  figures.setPerStep(m_settings.value(kPerStepKey, false).toBool());
  setByteUnits(m_settings.value(kDecimalKey, false).toBool() ? ByteUnits::Decimal : ByteUnits::Binary);
  connect(&figures, &TableFigures::changed, this,
          [this, &figures] { m_settings.setValue(kPerStepKey, figures.perStep()); });
  for (const TabSpec& spec : tabSpecs()) {
    TabPage* const page = m_pages.emplace_back(spec.make(context));
    m_covers.push_back(new DigestCover(page));
    connect(page, &TabPage::timelineWanted, this, &TabPages::showPlace);
    connect(page, &TabPage::findingOpened, this, &TabPages::openFinding);
    connect(page, &TabPage::tableWanted, this, [this](const QString& tab, const QString& words) {
      TabPage* const wanted = pageNamed(tab);
      if (wanted == nullptr) return;
      wanted->showOnly(words);
      emit pageWanted(wanted);
    });
  }
  connect(m_scopeButton, &QToolButton::clicked, this,
          [this] { m_scope.setFollowsRange(!m_scope.followsRange()); });
  connect(m_findingsButton, &QToolButton::clicked, this, &TabPages::showFindings);
  connect(m_findings, &FindingsPanel::countChanged, this, [this](int count) {
    m_findingsButton->setText(count == FindingsPanel::kCounting      ? tr("Findings  …")
                              : count == FindingsPanel::kNotAnswered ? tr("Findings  –")
                                                                     : tr("Findings  %1").arg(count));
  });
  connect(m_findings, &TabPage::findingOpened, this, &TabPages::openFinding);
  connect(&m_scope, &TableScope::changed, this, &TabPages::feed);
  connect(&m_session, &TraceSession::rangeChanged, this, &TabPages::showScope);
  connect(&m_session, &TraceSession::traceChanged, this, &TabPages::showScope);
  m_findingsButton->setText(tr("Findings  …"));
  const bool chosen = m_settings.contains(kFindingsKey);
  showFindings(m_settings.value(kFindingsKey, true).toBool());
  if (!chosen) m_settings.remove(kFindingsKey); // so that a small window may start without them
  showScope();
}

void TabPages::setReport(std::shared_ptr<const JobReport> whole) {
  for (std::size_t i = 0; i < m_pages.size(); ++i)
    if (tabSpecs()[i].scope == TabScope::WholeJob) give(i, whole);
  m_scope.setWhole(std::move(whole));
}

// A tab that needs events gets no digests.
void TabPages::give(std::size_t tab, const std::shared_ptr<const JobReport>& report) {
  const QString why = whyTabIsEmpty(tabSpecs()[tab].name(), report.get());
  m_covers[tab]->setReasons(why, whyTabNeedsTrace(tabSpecs()[tab].name(), report.get()));
  m_pages[tab]->setReport(why.isEmpty() ? report : nullptr);
}

void TabPages::feed() {
  for (std::size_t i = 0; i < m_pages.size(); ++i)
    if (tabSpecs()[i].scope == TabScope::Selection) give(i, m_scope.report());
  const auto& report = m_scope.report();
  const StepCounts steps = report ? stepCounts(report->analysis()) : StepCounts();
  TableFigures::ofProgram().setSteps(steps);
  TableFigures::ofProgram().setOfRange(report && isOfRange(report->analysis()));
  m_findings->setReport(report);
  m_findings->prepare(); // also while hidden: the button shows their number
  const bool ofRange = m_scope.followsRange() && m_session.range();
  m_findings->setScopeText(!m_scope.limited() ? QString()
                           : !ofRange         ? tr("in the capture")
                           : steps.all > 0    ? tr("in steps of the range")
                                              : tr("in the range"));
  showScope();
}

TabPage* TabPages::pageNamed(const QString& id) const {
  const int position = tabNamed(id);
  return position < 0 ? nullptr : m_pages[static_cast<std::size_t>(position)];
}

TabPage* TabPages::currentPage() const {
  const auto page = std::ranges::find_if(m_pages, [](const TabPage* tab) { return tab->isVisible(); });
  return page == m_pages.end() ? nullptr : *page;
}

void TabPages::prepareAll() {
  for (TabPage* page : m_pages) page->prepare();
}

void TabPages::showPlace() {
  const auto page = std::ranges::find_if(m_pages, &TabPage::showsPlaces);
  if (page != m_pages.end()) emit pageWanted(*page);
}

void TabPages::openFinding(const Finding& finding) {
  const auto& report = m_scope.report();
  if (!report) return;
  revealFinding(m_session, report->analysis(), finding);
  const FindingTarget proof = targetOf(finding);
  TabPage* const page = pageNamed(proof.tab);
  if (page == nullptr) return showPlace();
  page->showOnly(proof.words);
  emit pageWanted(page);
}

void TabPages::addActions(ActionRegistry& actions) {
  actions.add({.id = QStringLiteral("tables.scope"),
               .group = tr("Window"),
               .title = tr("Restrict tabs to the selected range"),
               .keys = {Qt::CTRL | Qt::Key_R},
               .scope = KeyScope::Window,
               .run = [this] { m_scope.setFollowsRange(!m_scope.followsRange()); },
               .enabled = [this] { return m_session.range().has_value(); },
               .checked = [this] { return m_scope.followsRange(); }});
  actions.add({.id = QStringLiteral("tables.perStep"),
               .group = tr("Tables"),
               .title = tr("Show sums per step"),
               .scope = KeyScope::Window,
               .run = [] { TableFigures::ofProgram().setPerStep(!TableFigures::ofProgram().perStep()); },
               .checked = [] { return TableFigures::ofProgram().perStep(); }});
  actions.add({.id = QStringLiteral("tables.decimalBytes"),
               .group = tr("Tables"),
               .title = tr("Show sizes in GB and MB instead of GiB and MiB"),
               .scope = KeyScope::Window,
               .run =
                   [this] {
                     const bool decimal = byteUnits() == ByteUnits::Binary;
                     setByteUnits(decimal ? ByteUnits::Decimal : ByteUnits::Binary);
                     m_settings.setValue(kDecimalKey, decimal);
                     makeAnew(m_pages);
                     emit byteUnitsChanged();
                   },
               .checked = [] { return byteUnits() == ByteUnits::Decimal; },
               .words = tr("bytes units binary decimal memory settings")});
  actions.add({.id = QStringLiteral("window.findings"),
               .group = tr("Window"),
               .title = tr("Show or hide findings"),
               .keys = {Qt::CTRL | Qt::Key_B},
               .scope = KeyScope::Window,
               .run = [this] { showFindings(!m_findingsButton->isChecked()); },
               .enabled = [this] { return m_session.trace() != nullptr; }});
  actions.add({.id = QStringLiteral("findings.exportAccepted"),
               .group = tr("Window"),
               .title = tr("Export accepted findings …"),
               .scope = KeyScope::Window,
               .run = [this] { m_findings->exportAccepted(); },
               .enabled = [this] { return !m_session.acceptances().all().empty(); }});
  actions.add({.id = QStringLiteral("findings.importAccepted"),
               .group = tr("Window"),
               .title = tr("Import accepted findings …"),
               .scope = KeyScope::Window,
               .run = [this] { m_findings->importAccepted(); },
               .enabled = [this] { return m_session.trace() != nullptr; }});
  addCallActions(actions);
}

// Tables handle these keys themselves; registered for menus and the palette.
void TabPages::addCallActions(ActionRegistry& actions) {
  const auto possible = [this] {
    TabPage* const page = currentPage();
    return page != nullptr && page->canStepCalls();
  };
  const auto known = [this, possible] { return possible() && currentPage()->calls() != nullptr; };
  actions.add({.id = QStringLiteral("tables.nextCall"),
               .group = tr("Tables"),
               .title = tr("Next call of the selected row"),
               .keys = {Qt::Key_N},
               .scope = KeyScope::Tables,
               .run = [this] { currentPage()->stepCalls(1); },
               .enabled = possible});
  actions.add({.id = QStringLiteral("tables.previousCall"),
               .group = tr("Tables"),
               .title = tr("Previous call of the selected row"),
               .keys = {Qt::SHIFT | Qt::Key_N},
               .scope = KeyScope::Tables,
               .run = [this] { currentPage()->stepCalls(-1); },
               .enabled = possible});
  actions.add({.id = QStringLiteral("tables.firstCall"),
               .group = tr("Tables"),
               .title = tr("Show the first call of the selected row in the timeline"),
               .run = [this] { currentPage()->calls()->showFirst(); },
               .enabled = known,
               .pointer = tr("double-click")});
  actions.add({.id = QStringLiteral("tables.longestCall"),
               .group = tr("Tables"),
               .title = tr("Show the longest call of the selected row in the timeline"),
               .run = [this] { currentPage()->calls()->showLongest(); },
               .enabled = known});
}

// The button toggles between whole trace and selection.
void TabPages::showScope() {
  // Results of a digest are those of whole recordings.
  const bool digests = m_session.trace() != nullptr && hasDigests(*m_session.trace());
  const bool possible = m_session.range().has_value() && !digests;
  const bool limited = possible && m_scope.followsRange();
  m_scopeButton->setText(limited    ? tr("Range: %1").arg(m_scope.text())
                         : possible ? tr("Tabs: whole trace")
                                    : tr("Whole trace"));
  m_scopeButton->setEnabled(possible);
  m_scopeButton->setProperty("limited", limited);
  m_scopeButton->setToolTip(
      digests     ? tr("A digest has the results of whole recordings: tabs show the whole trace.")
      : !possible ? tr("Select a range in the timeline (Shift+drag) to restrict all tabs to it.")
      : limited   ? tr("All tabs show the selected range. Click for the whole trace (Ctrl+R).")
                  : tr("All tabs show the whole trace. Click for the selected range (Ctrl+R)."));
  // A style sheet evaluates properties when it is applied.
  m_scopeButton->style()->unpolish(m_scopeButton);
  m_scopeButton->style()->polish(m_scopeButton);
}

void TabPages::setJobOpen(bool open) {
  m_jobOpen = open;
  m_findings->setVisible(open && m_findingsButton->isChecked());
}

void TabPages::showFindings(bool shown) {
  m_findings->setVisible(shown && m_jobOpen);
  m_findingsButton->setChecked(shown);
  m_findingsButton->setToolTip(shown ? tr("Hide findings (Ctrl+B)") : tr("Show findings (Ctrl+B)"));
  m_settings.setValue(kFindingsKey, shown);
}

} // namespace rankscope::ui
