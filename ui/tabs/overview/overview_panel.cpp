// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/overview/overview_panel.h"

#include "core/analysis/job/recording_advice.h"
#include "core/analysis/job/scope.h"
#include "core/report/overview_tables.h"
#include "ui/actions/actions.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/job/acceptances.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/overview/overview_texts.h"
#include "ui/tabs/overview/steps_card.h"
#include "ui/widgets/caption_place.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

struct OverviewData {
  OverviewFigures figures;
  std::array<Figure, kOverviewCardCount> cards;
  QString sentence;
  std::shared_ptr<const ResultTable> devices;
  std::shared_ptr<const ResultTable> deviceGroups; // null: few enough to list each
  QString devicesText;
};

namespace {

constexpr int kChartHeight = 300;
constexpr int kNarrow = 640; // below this width, charts are below each other
constexpr int kCostRows = 8;
constexpr int kDeviceRows = 8;
constexpr int kMaxDeviceRows = 24;       // without scrolling, if it fits
constexpr std::size_t kManyDevices = 16; // from this number on, identical devices are grouped
constexpr int kAroundChart = 110;        // title and legend

OverviewData overviewOf(const JobReport& report) {
  const Analysis& analysis = report.analysis();
  OverviewData data;
  data.figures = overviewFigures(analysis, report.account());
  data.cards = overviewCards(data.figures, analysis.trace());
  const std::string late = lateRanksText(analysis.trace(), report.findings());
  data.sentence = QString::fromStdString(overviewSentence(data.figures, late));
  data.devices = std::make_shared<const ResultTable>(devicesTable(analysis));
  if (data.devices->rowCount() > kManyDevices)
    data.deviceGroups = std::make_shared<const ResultTable>(deviceGroupsTable(analysis));
  data.devicesText = QString::fromStdString(jobDevicesText(jobDevices(analysis)));
  return data;
}

std::vector<ShownColumn> costColumns() {
  return {
      {.source = "finding", .title = tr("Finding")},
      {.source = "where", .title = tr("Where")},
      {.source = "gain_low_us",
       .title = tr("Gain, at least"),
       .tip = tr("Lower bound of the time saved per step if the finding is fixed; of the range or the "
                 "recording if there is no step. Gains do not add up"),
       .hide = Hide::AllEmpty},
      {.source = "gain_high_us",
       .title = tr("At most"),
       .tip = tr("Upper bound of the time saved per step if the finding is fixed"),
       .hide = Hide::AllEmpty},
      {.source = "share_pct",
       .title = tr("Share, at least"),
       .tip = tr("Lower bound of the gain as a share of the mean kept step; in a range without steps, of the "
                 "range. 0 %: what is known does not exclude that nothing is saved"),
       .hide = Hide::AllEmpty,
       .share = true},
      {.source = "cost_bytes", .title = tr("Memory"), .hide = Hide::AllEmpty},
      {.source = "accepted",
       .title = tr("Accepted"),
       .tip = tr("Note of the accepted finding"),
       .hide = Hide::AllEmpty},
      {.source = "fix", .title = tr("Fix")},
  };
}

std::vector<ShownColumn> deviceColumns() {
  return {
      {.source = "rank", .title = tr("Rank")},
      {.source = "ranks", .title = tr("Ranks")},
      {.source = "devices", .title = tr("Devices")},
      {.source = "host", .title = tr("Host"), .hide = Hide::AllEmpty},
      {.source = "device", .title = tr("Device")},
      {.source = "name", .title = tr("GPU"), .hide = Hide::AllEmpty},
      {.source = "memory_bytes", .title = tr("Memory"), .hide = Hide::AllEmpty},
      {.source = "multiprocessors", .title = tr("SMs"), .tip = tr("Multiprocessors"), .hide = Hide::AllEmpty},
      {.source = "compute_capability", .title = tr("Compute capability"), .hide = Hide::AllEmpty},
      {.source = "utilization_pct",
       .title = tr("Utilization"),
       .tip = overviewCardDefinition(OverviewCard::Utilization),
       .share = true},
      {.source = "sm_efficiency_pct",
       .title = tr("Est. SM eff."),
       .tip = overviewCardDefinition(OverviewCard::SmEfficiency),
       .hide = Hide::AllEmpty},
      {.source = "occupancy_pct",
       .title = tr("Est. occup."),
       .tip = overviewCardDefinition(OverviewCard::Occupancy),
       .hide = Hide::AllEmpty},
      {.source = "peak_reserved_bytes", .title = tr("Peak reserved"), .hide = Hide::AllEmpty},
  };
}

} // namespace

OverviewPanel::OverviewPanel(TraceSession& session, QSettings& settings, const ActionRegistry& actions,
                             QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_actions(actions),
      m_figures(new FigureRow), m_charts(new QHBoxLayout), m_steps(new StepsCard(session)),
      m_phases(new PhaseBars(session)), m_phasesCaption(new WrappedLabel), m_sentence(new WrappedLabel),
      m_costs(new TableCard(tr("Top findings"), costColumns(), session)),
      m_devices(new TableCard(tr("Devices"), deviceColumns(), session)), m_deviceChoice(new QComboBox) {
  for (std::size_t i = 0; i < kOverviewCardCount; ++i) {
    const auto card = static_cast<OverviewCard>(i);
    m_figures->addCard(new FigureCard(overviewCardTitle(card), overviewCardDefinition(card)));
  }
  m_sentence->setObjectName(QStringLiteral("cardTitle"));
  makeTables();
  m_costs->setMemoryKey(settings, QStringLiteral("overview.costs"));
  m_devices->setMemoryKey(settings, QStringLiteral("overview.devices"));
  m_charts->setSpacing(12);
  m_charts->addWidget(m_steps, 3);
  m_charts->addWidget(makePhases(), 2);
  m_steps->setMinimumHeight(scaledToText(kChartHeight));
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  column->addWidget(m_sentence);
  column->addWidget(m_figures);
  column->addLayout(m_charts, 3);
  column->addWidget(m_costs, 2);
  column->addWidget(m_devices, 1);
  column->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(inner);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(scroll);
  for (QComboBox* choice : {&m_steps->rankChoice(), &m_steps->kindChoice()})
    connect(choice, &QComboBox::currentIndexChanged, this, &OverviewPanel::limitHeights);
  connect(m_steps, &StepsCard::stepRevealed, this, &OverviewPanel::timelineWanted);
  setReportContents<OverviewData>(
      overviewOf, [this](const std::shared_ptr<const OverviewData>& made) { showData(made); });
  showData(nullptr);
}

void OverviewPanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  const bool narrow = width() < scaledToText(kNarrow);
  m_charts->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QWidget* OverviewPanel::makePhases() {
  auto* card = m_phasesCard = new QFrame;
  card->setObjectName(QStringLiteral("card"));
  auto* title = new QLabel(tr("Phases"));
  title->setObjectName(QStringLiteral("cardTitle"));
  m_phasesCaption->setObjectName(QStringLiteral("caption"));
  m_phases->setAccessibleName(tr("Phases"));
  auto* top = new QHBoxLayout;
  top->addWidget(title);
  top->addStretch();
  top->addWidget(m_phasesCaption);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(18, 14, 18, 14);
  column->setSpacing(10);
  column->addLayout(top);
  column->addWidget(m_phases, 1);
  new CaptionPlace(*card, *top, *m_phasesCaption);
  return card;
}

void OverviewPanel::makeTables() {
  m_costs->setStretchColumn("fix");
  connect(&m_session.acceptances(), &Acceptances::changed, this, [this] {
    showCosts();
    limitHeights();
  });
  m_costs->setCaption(tr("double-click to see the evidence"));
  m_costs->setBarColor([this](int row, const Theme& theme) {
    if (!m_costs->model().textOf(row, "accepted").isEmpty()) return theme.faint;
    const QString severity = m_costs->model().textOf(row, "severity");
    if (severity == QLatin1String("critical")) return theme.bad;
    return severity == QLatin1String("warning") ? theme.warn : theme.accent;
  });
  auto* all = new QToolButton;
  all->setObjectName(QStringLiteral("allGains"));
  all->setText(tr("All gains"));
  all->setToolTip(tr("Shows what each part of the step takes, and what it would gain"));
  connect(all, &QToolButton::clicked, this, [this] { m_actions.run(QStringLiteral("window.gains")); });
  m_costs->addControl(all);
  m_devices->setStretchColumn("name");
  connect(m_costs, &TableCard::rowActivated, this, [this](int row) {
    const int id = m_costs->model().textOf(row, "id").toInt();
    if (!report() || id < 1 || static_cast<std::size_t>(id) > report()->findings().size()) return;
    emit findingOpened(report()->findings()[static_cast<std::size_t>(id) - 1]);
  });
  m_deviceChoice->addItems({tr("grouped"), tr("each")});
  m_deviceChoice->setAccessibleName(tr("Group identical devices, or list each"));
  m_devices->addControl(m_deviceChoice);
  connect(m_deviceChoice, &QComboBox::currentIndexChanged, this, &OverviewPanel::showDevices);
  connect(m_devices, &TableCard::rowActivated, this, &OverviewPanel::revealDevice);
}

// For a group of devices, the first rank is shown.
void OverviewPanel::revealDevice(int row) {
  if (!analysis() || row < 0) return;
  const QString ranks = m_devices->model().textOf(row, "ranks");
  static const QRegularExpression number(QStringLiteral("\\d+"));
  const QString rank =
      ranks.isEmpty() ? m_devices->model().textOf(row, "rank") : number.match(ranks).captured();
  for (const RankIndex index : analysis()->ranks()) {
    const RankEntry& entry = analysis()->trace().rank(index);
    if (entry.rank != rank.toInt()) continue;
    m_session.revealPlace(index, analysis()->clocks().of(index).toJob(RankRange::of(entry.trace->extent)));
    emit timelineWanted();
    return;
  }
}

void OverviewPanel::showDevices() {
  const bool many = m_data && m_data->deviceGroups;
  const bool grouped = many && m_deviceChoice->currentIndex() == 0;
  const QString none =
      analysis() && isOfRange(*analysis()) ? tr("No device is active in the range.")
      : !analysis()                        ? QString()
                    : tr("No device activity was recorded. If the job ran on a GPU, profile with %1.")
                          .arg(QString::fromStdString(optionFor(Recordable::Device, analysis()->trace())));
  m_deviceChoice->setVisible(many);
  m_devices->setStretchColumn(grouped ? "ranks" : "name");
  m_devices->setTable(!m_data   ? nullptr
                      : grouped ? m_data->deviceGroups
                                : m_data->devices,
                      m_data ? none : tr("Computing …"));
  m_devices->setCaption(m_data ? m_data->devicesText : QString());
  limitHeights();
}

void OverviewPanel::limitHeights() {
  m_costs->setMinimumHeight(m_costs->heightFor(kCostRows));
  m_costs->setMaximumHeight(std::max(m_costs->minimumHeight(), m_costs->heightFor(m_costs->shownRows())));
  m_devices->setMinimumHeight(m_devices->heightFor(kDeviceRows));
  m_devices->setMaximumHeight(m_devices->heightFor(kMaxDeviceRows));
  const int rows = std::max(m_steps->largestChartHeight(), m_phases->largestHeight());
  const int maxHeight = std::max(scaledToText(kChartHeight), rows + scaledToText(kAroundChart));
  m_steps->setMaximumHeight(maxHeight);
  m_phasesCard->setMaximumHeight(maxHeight);
}

void OverviewPanel::showData(const std::shared_ptr<const OverviewData>& made) {
  const QString wait = tr("Computing …");
  m_data = made;
  for (std::size_t i = 0; i < kOverviewCardCount; ++i)
    m_figures->cards()[i]->setFigure(made ? made->cards[i] : Figure{{}, wait});
  m_steps->setAnalysis(made ? analysis() : nullptr);
  m_phases->setBars(made ? overviewPhases(made->figures) : std::vector<PhaseBar>());
  m_sentence->setText(made ? made->sentence : QString());
  if (made) {
    const QString whole = made->figures.areSteps  ? tr("step")
                          : made->figures.isRange ? tr("range")
                                                  : tr("recording");
    const QString what =
        (made->figures.hasDevices ? tr("GPU time as annotated, share of the %1, phases may overlap")
                                  : tr("CPU time as annotated, share of the %1, phases may overlap"))
            .arg(whole);
    m_phasesCaption->setText(made->figures.ranks.captures == 1
                                 ? what
                                 : tr("%1, mean of %2").arg(what, ranksText(made->figures.ranks)));
  } else {
    m_phasesCaption->clear();
  }
  m_costs->setCaption((!made || made->figures.areSteps ? tr("gain per step; double-click to see the evidence")
                                                       : tr("double-click to see the evidence")));
  showCosts();
  showDevices();
}

// Again when findings are accepted; they are few.
void OverviewPanel::showCosts() {
  const bool made = m_data != nullptr && report() != nullptr;
  m_costs->setTable(
      made ? std::make_shared<const ResultTable>(costsTable(*report(), m_session.acceptances().all()))
           : nullptr,
      !made ? tr("Computing …")
      : !report()->hasFindings()
          ? tr("The findings of these ranks need their events, which a digest has not kept.")
          : tr("No finding has a gain in time or memory; the Findings panel lists all findings and checks."));
}

namespace tabs {

TabPage* overview(const TabContext& context) {
  return new OverviewPanel(context.session, context.settings, context.actions);
}

} // namespace tabs

} // namespace rankscope::ui
