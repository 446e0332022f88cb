// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/overview_panel.h"

#include "ui/charts/stacked_bars.h"
#include "ui/trace_session.h"

#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace rankscope::ui {

struct OverviewData {
  BarRows steps;
  std::vector<std::pair<RankIndex, TimeRange>> places; // by row of steps
  QString caption;
};

namespace {

constexpr std::size_t kMostSteps = 64;

struct CategoryLook {
  StepCategory category;
  ThemeColour colour;
};

constexpr std::array<CategoryLook, kStepCategoryCount> kLooks{{
    {StepCategory::Kernel, &Theme::gemm},
    {StepCategory::Memcpy, &Theme::memoryCopy},
    {StepCategory::Memset, &Theme::attention},
    {StepCategory::Communication, &Theme::exposed},
    {StepCategory::Runtime, &Theme::runtime},
    {StepCategory::DataLoader, &Theme::dataLoader},
    {StepCategory::CpuExec, &Theme::cpuOp},
    {StepCategory::Other, &Theme::faint},
}};

QString nameOf(StepCategory category) {
  const std::string_view text = stepCategoryText(category);
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

OverviewData overviewOf(const Analysis& analysis) {
  OverviewData data;
  for (const CategoryLook& look : kLooks)
    data.steps.parts.push_back(
        {nameOf(look.category), look.colour, look.category == StepCategory::Communication});
  if (analysis.ranks().empty()) return data;
  const RankIndex rank = analysis.ranks().front();
  const auto& windows = analysis.stepWindows(rank);
  const auto& breakdown = analysis.stepBreakdown(rank);
  for (std::size_t i = 0; i < std::min(breakdown.size(), kMostSteps); ++i) {
    BarRow row{OverviewPanel::tr("Step %1").arg(windows.steps[i].number), {}};
    for (const CategoryLook& look : kLooks)
      row.amounts.push_back(static_cast<double>(breakdown[i].of(look.category)));
    data.steps.rows.push_back(std::move(row));
    data.places.emplace_back(rank, analysis.clocks().of(rank).toJob(windows.steps[i].range));
  }
  data.caption = OverviewPanel::tr("rank %1").arg(analysis.trace().rank(rank).rank);
  return data;
}

} // namespace

OverviewPanel::OverviewPanel(TraceSession& session, QWidget* parent)
    : AnalysisPage(parent), m_session(session), m_steps(new StackedBars(session)) {
  m_stepsCard = new ChartCard(tr("Step time breakdown"), m_steps, session);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->addWidget(m_stepsCard, 1);
  setContents<OverviewData>(
      overviewOf, [this](const std::shared_ptr<const OverviewData>& made) { showData(made.get()); });
  showData(nullptr);
}

void OverviewPanel::showData(const OverviewData* made) {
  m_steps->disconnect(this);
  m_steps->setBars(made != nullptr ? made->steps : BarRows());
  m_stepsCard->setCaption(made != nullptr ? made->caption : QString());
  std::vector<LegendItem> legend;
  for (const BarPart& part : m_steps->bars().parts) legend.push_back({part.name, part.colour, part.hatched});
  m_stepsCard->setLegend(std::move(legend));
  m_stepsCard->setEmptyText(made == nullptr            ? tr("Being computed …")
                            : made->steps.rows.empty() ? tr("Nothing was recorded in this part.")
                                                       : QString());
  if (made == nullptr) return;
  connect(m_steps, &StackedBars::partClicked, this, [this, places = made->places](int row, int) {
    const auto& [rank, range] = places[static_cast<std::size_t>(row)];
    m_session.revealRange(rank, range);
    emit timelineWanted();
  });
}

} // namespace rankscope::ui
