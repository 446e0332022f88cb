// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/overview/steps_card.h"

#include "core/analysis/job/analysis.h"
#include "core/analysis/job/step_notes.h"
#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/charts/line_plot.h"
#include "ui/job/trace_session.h"
#include "ui/widgets/rank_names.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QStackedWidget>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMaxDots = 200; // of steps that means leave out

struct CategoryLook {
  StepCategory category;
  ThemeColor color;
};

constexpr std::array<CategoryLook, kStepCategoryCount> kLooks{{
    {StepCategory::Kernel, &Theme::gemm},
    {StepCategory::Memcpy, &Theme::memoryCopy},
    {StepCategory::Memset, &Theme::attention},
    {StepCategory::Communication, &Theme::exposed},
    {StepCategory::Runtime, &Theme::muted},
    {StepCategory::DataLoader, &Theme::dataLoader},
    {StepCategory::CpuExec, &Theme::cpuOp},
    {StepCategory::Other, &Theme::line},
}};

QString nameOf(StepCategory category, bool hasDevices) {
  // Communication that overlaps other device work counts as that work. Without a device all of it counts. It
  // is not the exposed communication, as the caption says.
  if (category == StepCategory::Communication)
    return hasDevices ? StepsCard::tr("Communication alone")
                      : StepsCard::tr("Communication, also overlapped");
  if (category == StepCategory::CpuExec && !hasDevices)
    return StepsCard::tr("CPU exec: operators and annotations");
  if (category == StepCategory::Other) return StepsCard::tr("Other: Python, or not recorded");
  const std::string_view text = stepCategoryText(category);
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

TimeNs timeOf(const StepMean& step, StepCategory category) {
  return step.categories[static_cast<std::size_t>(category)];
}

QString stepDuration(TimeNs time) {
  return QString::fromStdString(durationText(time));
}

// Empty for a step that means include.
QString whyLeftOut(const StepMean& step) {
  if (step.status == StepStatus::Kept) return {};
  const std::string_view why = stepStatusText(step.status);
  return StepsCard::tr("Left out of means: %1")
      .arg(QString::fromUtf8(why.data(), static_cast<qsizetype>(why.size())));
}

// A stack of two charts, of which one is visible.
QStackedWidget* stackOf(QWidget* first, QWidget* second) {
  auto* stack = new QStackedWidget;
  stack->addWidget(first);
  stack->addWidget(second);
  return stack;
}

} // namespace

StepsCard::StepsCard(TraceSession& session, QWidget* parent)
    : StepsCard(session, new StackedBars(session), new LinePlot(session), parent) {}

StepsCard::StepsCard(TraceSession& session, StackedBars* bars, LinePlot* curve, QWidget* parent)
    : ChartCard(tr("Step time breakdown"), stackOf(bars, curve), session, parent), m_session(session),
      m_bars(bars), m_curve(curve), m_charts(static_cast<QStackedWidget*>(bars->parentWidget())),
      m_rank(new QComboBox), m_kind(new QComboBox) {
  m_rank->setToolTip(tr("Rank"));
  // Not as wide as the widest of thousands of ranks, which would all be measured.
  m_rank->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_rank->setMinimumContentsLength(static_cast<int>(tr("Mean of all captures").size()));
  m_kind->setToolTip(tr("Number of steps"));
  m_kind->addItems({tr("Slowest, median, fastest"), tr("All steps")});
  addControl(m_kind);
  addControl(m_rank);
  connect(m_rank, &QComboBox::currentIndexChanged, this, &StepsCard::showChosen);
  connect(m_kind, &QComboBox::currentIndexChanged, this, &StepsCard::showChosen);
  connect(m_bars, &StackedBars::partClicked, this, [this](int row, int) {
    if (static_cast<std::size_t>(row) < m_shown.size()) reveal(m_shown[static_cast<std::size_t>(row)]);
  });
  connect(m_bars, &StackedBars::rowHovered, this, [this](int row) {
    const bool over = row >= 0 && static_cast<std::size_t>(row) < m_shown.size();
    m_session.pointAt(over ? std::optional(m_shown[static_cast<std::size_t>(row)].place) : std::nullopt);
  });
  connect(m_curve, &LinePlot::clicked, this, [this](int, double x) {
    const auto at = static_cast<std::size_t>(std::max(0.0, std::round(x)));
    if (at < m_steps.size()) reveal(m_steps[at]);
  });
  listRanks();
  showChosen();
}

void StepsCard::setAnalysis(std::shared_ptr<const Analysis> analysis) {
  m_analysis = std::move(analysis);
  listRanks();
  showChosen();
}

int StepsCard::largestChartHeight() const {
  constexpr int kMaxCurvePoints = 640;
  return m_charts->currentIndex() == 1 ? scaledToText(kMaxCurvePoints) : m_bars->largestHeight();
}

void StepsCard::listRanks() {
  const QVariant chosen = m_rank->currentData();
  const QSignalBlocker quiet(m_rank);
  m_rank->clear();
  const std::size_t count = m_analysis ? m_analysis->ranks().size() : 0;
  // One rank may have several captures.
  const auto numberOf = [this](RankIndex rank) { return m_analysis->trace().rank(rank).rank; };
  const bool captures = count > 1 && std::ranges::all_of(m_analysis->ranks(), [&](RankIndex rank) {
                          return numberOf(rank) == numberOf(m_analysis->ranks().front());
                        });
  // Instead of the mean of a single step, its ranks are shown.
  const std::vector<StepMean> all = count > 1 ? stepMeans(*m_analysis, {}) : std::vector<StepMean>();
  const bool each = all.size() == 1 && all.front().ranks > 1;
  m_rank->addItem(each       ? (captures ? tr("Each capture") : tr("Each rank"))
                  : captures ? tr("Mean of all captures")
                             : tr("Mean of all ranks"),
                  -1);
  for (std::size_t i = 0; i < count; ++i) {
    const RankIndex rank = m_analysis->ranks()[i];
    m_rank->addItem(rankName(*m_analysis, rank), static_cast<int>(rank.value));
  }
  m_rank->setVisible(count > 1);
  m_rank->setCurrentIndex(std::max(0, m_rank->findData(chosen)));
}

RankIndex StepsCard::chosenRank() const {
  const int chosen = m_rank->currentData().toInt();
  return chosen >= 0 ? RankIndex(static_cast<std::size_t>(chosen)) : RankIndex();
}

void StepsCard::showChosen() {
  m_steps = m_analysis ? stepMeans(*m_analysis, chosenRank()) : std::vector<StepMean>();
  m_byRank = m_steps.size() == 1 && m_steps.front().ranks > 1;
  // Instead of a single bar, the ranks are shown side by side.
  for (std::size_t i = 0; m_byRank && i < m_analysis->ranks().size(); ++i) {
    const std::vector<StepMean> own = stepMeans(*m_analysis, m_analysis->ranks()[i]);
    if (own.size() == 1) m_steps.push_back(own.front());
  }
  if (m_byRank) m_steps.erase(m_steps.begin());
  const bool many = m_steps.size() > kMaxBars;
  const bool asCurve = many && !m_byRank && m_kind->currentIndex() == 1;
  m_kind->setVisible(many && !m_byRank);
  m_charts->setCurrentIndex(asCurve ? 1 : 0);
  if (asCurve)
    showCurve(m_steps);
  else
    showBars(m_steps);
  setCaption(m_analysis ? captionFor(m_steps.size(), asCurve) : QString());
  setEmptyText(!m_analysis       ? tr("Computing …")
               : m_steps.empty() ? textOf(whyNoSteps(*m_analysis))
                                 : QString());
}

bool StepsCard::hasDevices() const {
  return m_analysis && std::ranges::any_of(m_analysis->ranks(), [this](RankIndex rank) {
           return m_analysis->statistics(rank).hasDeviceActivity;
         });
}

bool StepsCard::areSteps() const {
  return m_analysis && std::ranges::any_of(m_analysis->ranks(), [this](RankIndex rank) {
           return m_analysis->stepWindows(rank).areSteps();
         });
}

void StepsCard::showBars(const std::vector<StepMean>& steps) {
  m_shown.clear();
  for (const std::size_t i : representativeSteps(steps, kMaxBars)) m_shown.push_back(steps[i]);
  const bool captures = m_analysis && m_analysis->trace().severalCaptures();
  std::vector<CategoryLook> looks;
  for (const CategoryLook& look : kLooks) {
    const auto some = [&](const StepMean& step) { return timeOf(step, look.category) > 0; };
    if (std::ranges::any_of(m_shown, some)) looks.push_back(look);
  }
  BarRows bars;
  std::vector<LegendItem> legend;
  const bool devices = hasDevices();
  for (const CategoryLook& look : looks) {
    // Hatched orange is what is exposed.
    const bool whole = look.category == StepCategory::Communication && !devices;
    const bool hatched = look.category == StepCategory::Communication && devices;
    const ThemeColor color = whole ? &Theme::communication : look.color;
    bars.parts.push_back({nameOf(look.category, devices), color, hatched});
    legend.push_back({nameOf(look.category, devices), color, hatched});
  }
  for (const StepMean& step : m_shown) {
    BarRow row{m_byRank      ? rankName(*m_analysis, step.slowest)
               : !areSteps() ? tr("Recording")
               : captures    ? tr("Step %1, capture %2").arg(step.number).arg(step.capture)
                             : tr("Step %1").arg(step.number),
               {},
               stepDuration(step.duration)};
    for (const CategoryLook& look : looks)
      row.amounts.push_back(static_cast<double>(timeOf(step, look.category)));
    if (const QString why = whyLeftOut(step); !why.isEmpty()) {
      row.faded = true;
      row.why = why;
    }
    bars.rows.push_back(std::move(row));
  }
  if (std::ranges::any_of(bars.rows, &BarRow::faded))
    legend.push_back({tr("pale: left out of means"), &Theme::faint, false, false, 0.35});
  m_bars->setBars(std::move(bars));
  setLegend(std::move(legend));
}

void StepsCard::showCurve(const std::vector<StepMean>& steps) {
  m_shown.clear();
  Curves curves;
  Curve mean{tr("step time")};
  Band spread{tr("min … max over ranks")};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto x = static_cast<double>(i);
    mean.points << QPointF(x, static_cast<double>(steps[i].duration));
    spread.lower << QPointF(x, static_cast<double>(steps[i].shortest));
    spread.upper << QPointF(x, static_cast<double>(steps[i].longest));
    curves.xTexts << QString::number(steps[i].number);
  }
  std::vector<LegendItem> legend{{mean.name, mean.color, false, true}};
  if (!chosenRank().valid() && m_rank->count() > 2) {
    legend.push_back({spread.name, spread.color, false, false, 0.3});
    curves.bands.push_back(std::move(spread));
  }
  curves.curves.push_back(std::move(mean));
  // A curve of a single point is a dot.
  const auto leftOut = [](const StepMean& step) { return step.status != StepStatus::Kept; };
  for (std::size_t i = 0; i < steps.size() && curves.curves.size() <= kMaxDots; ++i) {
    if (!leftOut(steps[i])) continue;
    Curve dot{.name = tr("left out of means"), .color = &Theme::warn};
    dot.points << QPointF(static_cast<double>(i), static_cast<double>(steps[i].duration));
    curves.curves.push_back(std::move(dot));
  }
  if (std::ranges::any_of(steps, leftOut))
    legend.push_back({tr("dots: left out of means"), &Theme::warn, false, false});
  curves.xEnd = static_cast<double>(std::max<std::size_t>(steps.size(), 2) - 1);
  curves.fromZero = false;
  m_curve->setCurves(std::move(curves));
  setLegend(std::move(legend));
}

QString StepsCard::captionFor(std::size_t steps, bool asCurve) const {
  const bool communication =
      !asCurve && hasDevices() && std::ranges::any_of(m_shown, [](const StepMean& step) {
        return timeOf(step, StepCategory::Communication) > 0;
      });
  const QString what = whatIsShown(steps, asCurve);
  return communication
             ? tr("%1 · communication alone has its CPU calls too, unlike exposed communication").arg(what)
             : what;
}

QString StepsCard::whatIsShown(std::size_t steps, bool asCurve) const {
  if (m_byRank && steps <= kMaxBars)
    return areSteps() ? tr("step %1 of each rank").arg(m_steps.front().number)
                      : tr("the recording of each rank");
  if (asCurve || steps <= kMaxBars)
    return asCurve        ? tr("click a step to show it in the timeline")
           : hasDevices() ? tr("GPU activity; CPU activity while the GPU is idle")
                          : tr("CPU activity; no GPU activity was recorded");
  constexpr int kThird = static_cast<int>(kMaxBars / 3);
  return tr("the %1 slowest, %1 median and %1 fastest of %2 %3")
      .arg(kThird)
      .arg(steps)
      .arg(m_byRank ? tr("ranks") : tr("steps"));
}

void StepsCard::reveal(const StepMean& step) {
  m_session.revealPlace(step.slowest, step.place);
  emit stepRevealed();
}

} // namespace rankscope::ui
