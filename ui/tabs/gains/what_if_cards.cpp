// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/gains/what_if_cards.h"

#include "core/analysis/graph/scenario.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/job/path_choice.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kScenarioRows = 8;
constexpr int kWideCard = 1900; // from this width on, the two tables are beside each other
constexpr TimeNs kScenarioInstant = 1'000;
constexpr TimeNs kAroundScenario = 50'000;

// What can be chosen, and what its slider means: hundredths of a factor from the least to the most.
struct OwnKind {
  const char* id;
  const char* title;
  int least;
  int most;
  int first;
  bool filter;
};

constexpr std::array<OwnKind, 4> kOwnKinds{{
    {"kernel", QT_TRANSLATE_NOOP("rankscope::ui::WhatIfCards", "Kernels take ×"), 0, 200, 50, true},
    {"link", QT_TRANSLATE_NOOP("rankscope::ui::WhatIfCards", "Links are faster by ×"), 100, 800, 200, true},
    {"host", QT_TRANSLATE_NOOP("rankscope::ui::WhatIfCards", "Host takes ×"), 0, 200, 50, false},
    {"", QT_TRANSLATE_NOOP("rankscope::ui::WhatIfCards", "Another scenario"), 0, 0, 0, true},
}};

std::vector<ShownColumn> scenarioColumns() {
  return {
      {.source = "scenario", .title = tr("Scenario")},
      {.source = "id",
       .title = tr("Id"),
       .tip = tr("As on the command line: what-if --scenario"),
       .hidden = true},
      {.source = "predicted_us", .title = tr("Predicted"), .tip = tr("Mean step of the job less the gain")},
      {.source = "gain_us", .title = tr("Gain"), .tip = tr("Decrease of the step")},
      {.source = "gain_pct",
       .title = tr("Share"),
       .tip = tr("Decrease as a share of the step"),
       .share = true},
      {.source = "gain_low_us", .title = tr("At least"), .tip = tr("Lower bound of the gain")},
      {.source = "gain_high_us", .title = tr("At most"), .tip = tr("Upper bound of the gain")},
      {.source = "confidence",
       .title = tr("Confidence"),
       .tip = tr(
           "good: the replay matches the recorded steps closely. rough, bounds only: it is further off, so "
           "use "
           "\"At least\" and \"At most\". upper limit: cannot be reached. no answer: the note says why")},
      {.source = "next",
       .title = tr("Next bottleneck"),
       .tip = tr("What takes most of the critical path then"),
       .hide = Hide::AllEmpty},
      {.source = "note", .title = tr("Note"), .tip = tr("What is different, or why there is no answer")},
  };
}

std::vector<ShownColumn> pathColumns() {
  return {
      {.source = "key",
       .title = tr("Part"),
       .tip =
           tr("What the path runs through. \"Host, nothing recorded\": time of the host between its recorded "
              "events, such as "
              "Python without with_stack=True")},
      {.source = "on_path_us",
       .title = tr("On path"),
       .tip = tr("Time on the critical path per step"),
       .footer = Footer::Sum},
      {.source = "share_pct",
       .title = tr("Share"),
       .tip = tr("Share of the step"),
       .share = true,
       .footer = Footer::Sum},
      {.source = "slack_us",
       .title = tr("Slack"),
       .tip = tr("How much later it could end without lengthening the step; median"),
       .hide = Hide::AllEmpty},
      {.source = "imbalance_us",
       .title = tr("Imbalance"),
       .tip = tr("Time on the path above the mean over ranks: what balancing could save at most"),
       .hide = Hide::AllEmpty},
      {.source = "steps",
       .title = tr("Steps"),
       .tip = tr("Kept steps in which it is on the path"),
       .hide = Hide::AllSame},
  };
}

// Some rows without scrolling inside of the page, and at most all of them.
void limitHeight(TableCard& card) {
  card.setMinimumHeight(card.heightFor(kScenarioRows));
  card.setMaximumHeight(std::max(card.minimumHeight(), card.heightFor(card.shownRows())));
}

} // namespace

WhatIfCards::WhatIfCards(TraceSession& session, QSettings& settings, QWidget* parent)
    : QWidget(parent), m_session(session),
      m_scenarios(new TableCard(tr("What if"), scenarioColumns(), session)),
      m_path(new TableCard(tr("Critical path"), pathColumns(), session)), m_kind(new QComboBox),
      m_key(new QComboBox), m_slider(new QSlider(Qt::Horizontal)), m_factor(new QLabel),
      m_filter(new QLineEdit), m_add(new QPushButton(tr("Add"))),
      m_join(new QPushButton(tr("Replay together"))), m_scenarioTask(session.pending()),
      m_pathTask(session.pending()) {
  makeScenarios(settings);
  makePath(settings);
  auto* scenarios = new QVBoxLayout;
  scenarios->setSpacing(12);
  scenarios->addWidget(m_scenarios, 1);
  scenarios->addWidget(controls());
  scenarios->addStretch();
  auto* path = new QVBoxLayout;
  path->addWidget(m_path, 1);
  path->addStretch();
  m_columns = new QBoxLayout(QBoxLayout::TopToBottom, this);
  m_columns->setContentsMargins(0, 0, 0, 0);
  m_columns->setSpacing(12);
  m_columns->addLayout(scenarios, 3);
  m_columns->addLayout(path, 2);
  showControls();
  setReport(nullptr);
}

void WhatIfCards::makeScenarios(QSettings& settings) {
  m_scenarios->setStretchColumn("note");
  m_scenarios->setMemoryKey(settings, QStringLiteral("gains.whatif"));
  m_scenarios->setBarColor([](int, const Theme& theme) { return theme.accent; });
}

void WhatIfCards::makePath(QSettings& settings) {
  m_path->setStretchColumn("key");
  m_path->setMemoryKey(settings, QStringLiteral("gains.path"));
  m_path->setBarColor([](int, const Theme& theme) { return theme.accent; });
  m_key->setToolTip(tr("What to sum by"));
  m_key->setAccessibleName(tr("Critical path by"));
  for (const QString& title : {tr("by category"), tr("by rank"), tr("by operator"), tr("by module"),
                               tr("by kernel"), tr("by module class"), tr("by layer"), tr("by phase")})
    m_key->addItem(title);
  m_path->addControl(m_key);
  connect(m_key, &QComboBox::activated, this, &WhatIfCards::askPath);
  connect(m_path, &TableCard::rowActivated, this, &WhatIfCards::openSegment);
}

QWidget* WhatIfCards::controls() {
  auto* card = new QFrame;
  card->setObjectName(QStringLiteral("card"));
  card->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  auto* rows = new QVBoxLayout(card);
  rows->setContentsMargins(18, 8, 18, 8);
  auto* choice = new QHBoxLayout;
  auto* own = new QHBoxLayout;
  for (QHBoxLayout* row : {choice, own}) {
    row->setSpacing(10);
    rows->addLayout(row);
  }
  for (const OwnKind& kind : kOwnKinds) m_kind->addItem(tr(kind.title));
  m_kind->setAccessibleName(tr("Scenario of your own"));
  // Larger texts must not make the page wider than the window.
  m_kind->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_kind->setMinimumContentsLength(12);
  m_slider->setAccessibleName(tr("Factor"));
  m_slider->setMinimumWidth(120);
  m_filter->setAccessibleName(tr("Filter or scenario"));
  m_filter->setClearButtonEnabled(true);
  m_join->setToolTip(tr("Replay the selected scenarios as one: their gains do not add up"));
  choice->addWidget(m_kind);
  choice->addWidget(m_slider, 1);
  choice->addWidget(m_factor);
  choice->addStretch();
  own->addWidget(m_filter, 1);
  own->addWidget(m_add);
  own->addWidget(m_join);
  own->addStretch();
  connect(m_kind, &QComboBox::activated, this, [this] {
    showControls();
    m_touched = false;
    askScenarios();
  });
  connect(m_slider, &QSlider::valueChanged, this, [this](int value) {
    m_factor->setText(QString::number(value / 100.0, 'f', 2));
    if (!m_slider->signalsBlocked() && m_report) {
      m_touched = true;
      askScenarios();
    }
  });
  connect(m_filter, &QLineEdit::returnPressed, this, &WhatIfCards::add);
  connect(m_add, &QPushButton::clicked, this, &WhatIfCards::add);
  connect(m_join, &QPushButton::clicked, this, &WhatIfCards::joinSelected);
  return card;
}

void WhatIfCards::showControls() {
  const OwnKind& kind = kOwnKinds[static_cast<std::size_t>(std::max(0, m_kind->currentIndex()))];
  const bool factor = kind.most > 0;
  m_slider->blockSignals(true);
  m_slider->setRange(kind.least, std::max(kind.least, kind.most));
  m_slider->setValue(kind.first);
  m_slider->blockSignals(false);
  m_factor->setText(QString::number(kind.first / 100.0, 'f', 2));
  m_slider->setVisible(factor);
  m_factor->setVisible(factor);
  m_filter->setVisible(kind.filter);
  m_filter->clear();
  m_filter->setPlaceholderText(!factor ? tr("without_rank=3+zero_host")
                               : QLatin1String(kind.id) == QLatin1String("link")
                                   ? tr("All groups: name, intra or inter")
                                   : tr("All kernels: a search, such as gemm"));
}

std::string WhatIfCards::ownScenario() const {
  const OwnKind& kind = kOwnKinds[static_cast<std::size_t>(std::max(0, m_kind->currentIndex()))];
  std::string filter = m_filter->text().trimmed().toStdString();
  if (kind.most == 0) return filter;
  std::string text = kind.id;
  text += '=';
  text += QString::number(m_slider->value() / 100.0).toStdString();
  if (kind.filter && !filter.empty()) text += ':' + filter;
  return text;
}

void WhatIfCards::setReport(std::shared_ptr<const JobReport> report) {
  if (report && report == m_report) return;
  m_report = std::move(report);
  m_known = std::make_shared<KnownAnswers>();
  m_scenarioTask.drop();
  m_pathTask.drop();
  m_view = {};
  m_pathView = {};
  const QString wait = tr("Computing …");
  m_scenarios->setTable(nullptr, wait);
  m_path->setTable(nullptr, wait);
  m_add->setEnabled(m_report != nullptr);
  m_join->setEnabled(m_report != nullptr);
  if (!m_report) return;
  askScenarios();
  askPath();
}

// Wide windows have both beside each other.
void WhatIfCards::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_columns->setDirection(width() < scaledToText(kWideCard) ? QBoxLayout::TopToBottom
                                                            : QBoxLayout::LeftToRight);
  limitHeight(*m_scenarios); // with other columns in sight, there may be a scroll bar or none
  limitHeight(*m_path);
}

void WhatIfCards::askScenarios() {
  if (!m_report) return;
  std::vector<std::string> added = m_added;
  if (m_touched) added.push_back(ownScenario());
  m_scenarioTask.ask([report = m_report, known = m_known,
                      added = std::move(added)] { return whatIfView(*report, added, *known); },
                     [this](WhatIfView view) { showScenarios(std::move(view)); });
}

void WhatIfCards::askPath() {
  if (!m_report) return;
  const auto key = static_cast<PathKey>(std::max(0, m_key->currentIndex()));
  m_pathTask.ask([report = m_report, key] { return pathView(*report, key); },
                 [this](PathView view) {
                   m_pathView = std::move(view);
                   m_path->setTable(m_pathView.table, m_pathView.whyEmpty);
                   m_path->setCaption(m_pathView.caption);
                   limitHeight(*m_path);
                 });
}

void WhatIfCards::showScenarios(WhatIfView view) {
  m_view = std::move(view);
  m_scenarios->setTable(m_view.scenarios, m_view.whyEmpty);
  m_scenarios->setCaption(m_view.caption);
  limitHeight(*m_scenarios);
}

// A scenario that cannot be read stays in the field, with the reason as its tooltip.
void WhatIfCards::add() {
  const std::string text = ownScenario();
  const auto scenario = scenarioFromText(text);
  m_filter->setToolTip(scenario ? QString() : QString::fromStdString(scenario.error().text()));
  if (!scenario) {
    m_scenarios->setCaption(m_filter->toolTip());
    return;
  }
  std::erase(m_added, text);
  m_added.push_back(text);
  m_touched = false;
  askScenarios();
}

void WhatIfCards::joinSelected() {
  std::string text;
  int count = 0;
  for (const int row : m_scenarios->selectedRows()) {
    const auto at = static_cast<std::size_t>(row);
    if (at >= m_view.texts.size() || m_view.refused[at]) continue;
    if (!text.empty()) text += '+';
    text += m_view.texts[at];
    ++count;
  }
  if (count < 2) {
    m_scenarios->setCaption(tr("select two or more scenarios to replay them together"));
    return;
  }
  std::erase(m_added, text);
  m_added.push_back(text);
  askScenarios();
}

void WhatIfCards::openSegment(int row) {
  if (row < 0 || static_cast<std::size_t>(row) >= m_pathView.longest.size() || !m_session.trace()) return;
  const PathSegment& segment = m_pathView.longest[static_cast<std::size_t>(row)];
  if (!segment.rank.valid()) return;
  JobRange place = JobRange::of(segment.range);
  if (place.length() < kScenarioInstant) place = {place.begin - kAroundScenario, place.end + kAroundScenario};
  m_session.revealPlace(segment.rank, place);
  PathChoice::of(m_session).showSegment(segment);
  emit timelineWanted();
}

} // namespace rankscope::ui
