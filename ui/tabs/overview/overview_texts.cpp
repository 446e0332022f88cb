// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/overview/overview_texts.h"

#include "core/base/unit_text.h"
#include "ui/base/capitalized.h"
#include "ui/base/event_palette.h"
#include "ui/base/ui_text.h"

namespace rankscope::ui {

namespace {

QString duration(TimeNs time) {
  return QString::fromStdString(durationText(time));
}

// Info severity is not colored.
FigureLevel levelOf(std::optional<Severity> severity) {
  if (severity == Severity::Critical) return FigureLevel::Critical;
  return severity == Severity::Warning ? FigureLevel::Warning : FigureLevel::Fine;
}

} // namespace

QString overviewCardTitle(OverviewCard card) {
  return textOf(keyFigureTitle(card));
}

QString overviewCardDefinition(OverviewCard card) {
  return textOf(keyFigureDefinition(card));
}

std::array<Figure, kOverviewCardCount> overviewCards(const OverviewFigures& figures, const TraceSet& trace) {
  const auto texts = keyFigureTexts(figures, trace);
  std::array<Figure, kOverviewCardCount> cards;
  for (std::size_t i = 0; i < texts.size(); ++i)
    cards[i] = {textOf(texts[i].value), textOf(texts[i].note), levelOf(texts[i].severity),
                textOf(texts[i].more)};
  return cards;
}

QString ranksText(const RankCounts& counts) {
  return textOf(rankCountText(counts));
}

std::vector<PhaseBar> overviewPhases(const OverviewFigures& figures) {
  std::vector<PhaseBar> bars;
  for (const PhasePart& of : figures.phases) {
    const QString name = capitalized(textOf(phaseTitle(of.phase)));
    const StepPart& main = of.device ? *of.device : of.part;
    PhaseBar bar{
        name, main.sharePct, of.annotated, {}, phaseRole(of.phase, &Theme::faint), of.phase == Phase::Loss,
        {}};
    if (!of.annotated)
      bar.note = tr("not annotated");
    else if (of.device)
      bar.note = tr("CPU %1").arg(textOf(percentText(of.part.sharePct)));
    const QString per = figures.areSteps ? tr("/step") : QString();
    bar.tip =
        !of.annotated
            ? tr("%1: nothing recorded names this phase. Mark it with "
                 "torch.profiler.record_function. Tables by phase also know forward operators by their "
                 "backward functions.")
                  .arg(name)
        : of.device
            ? tr("%1: GPU %2%4, work launched in this phase, whenever it ran. CPU %3%4, over all threads.")
                  .arg(name, duration(of.device->mean), duration(of.part.mean), per)
            : tr("%1: CPU %2%3, over all threads").arg(name, duration(of.part.mean), per);
    bars.push_back(std::move(bar));
  }
  return bars;
}

} // namespace rankscope::ui
