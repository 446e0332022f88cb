// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/overview/overview_texts.h"

#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/event_palette.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Overview", text);
}

QString duration(TimeNs time) {
  return QString::fromStdString(durationText(time));
}

QString percent(double pct) {
  return QString::fromStdString(percentText(pct));
}

QString textOf(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Info severity is not colored.
FigureLevel levelOf(std::optional<Severity> severity) {
  if (severity == Severity::Critical) return FigureLevel::Critical;
  return severity == Severity::Warning ? FigureLevel::Warning : FigureLevel::Fine;
}

QString noDevices() {
  return tr("no device activity was recorded: profile with activities=[ProfilerActivity.CUDA]");
}

QString lowestText(const RankFigure& figure, const TraceSet& trace) {
  const RankEntry& lowest = trace.rank(figure.lowest);
  const QString text = tr("lowest %1 (rank %2").arg(percent(figure.lowestPct)).arg(lowest.rank);
  return text + (trace.severalCaptures() ? tr(", capture %1)").arg(lowest.capture) : QStringLiteral(")"));
}

Figure stepTime(const OverviewFigures& figures) {
  if (!figures.stepMean) {
    const bool elsewhere = figures.recordingHasSteps;
    return {{},
            elsewhere ? tr("no step begins in the range")
                      : tr("no steps were recorded: call profiler.step() after each training step")};
  }
  const QString steps = counted(figures.steps, tr("1 step"), tr("%1 steps"));
  const QString note = figures.stepSpread ? tr("±%1 over %2").arg(duration(*figures.stepSpread), steps)
                                          : tr("of %1").arg(steps);
  return {duration(*figures.stepMean), note, levelOf(spreadSeverity(figures))};
}

Figure utilization(const OverviewFigures& figures, const TraceSet& trace) {
  if (!figures.utilization) return {{}, noDevices()};
  const RankFigure& of = *figures.utilization;
  const QString note = of.captures > 1
                           ? ranksText(figures.ranks) + QStringLiteral(", ") + lowestText(of, trace)
                           : tr("of the time with a kernel running");
  return {percent(of.meanPct), note, levelOf(utilizationSeverity(figures))};
}

Figure smEfficiency(const OverviewFigures& figures, const TraceSet& trace) {
  if (!figures.smEfficiency)
    return {{}, figures.hasDevices ? tr("blocks per SM were not recorded") : noDevices()};
  const RankFigure& of = *figures.smEfficiency;
  return {percent(of.meanPct), of.captures > 1 ? lowestText(of, trace) : tr("of SMs with a block")};
}

Figure occupancy(const OverviewFigures& figures) {
  if (!figures.occupancy) return {{}, figures.hasDevices ? tr("occupancy was not recorded") : noDevices()};
  return {percent(figures.occupancy->meanPct), tr("15 to 30 % is common for GEMM")};
}

Figure exposed(const OverviewFigures& figures) {
  if (!figures.exposed) return {{}, tr("no collective was recorded")};
  const QString share = percent(figures.exposed->sharePct);
  return {duration(figures.exposed->mean),
          figures.areSteps ? tr("%1 of the step").arg(share) : tr("%1 of the time").arg(share),
          levelOf(exposedSeverity(figures))};
}

Figure idle(const OverviewFigures& figures) {
  if (!figures.idle) return {{}, noDevices()};
  QString note = figures.areSteps ? tr("%1/step").arg(duration(figures.idle->mean))
                                  : tr("%1/rank").arg(duration(figures.idle->mean));
  if (figures.idleCause) note += tr(", mostly %1").arg(textOf(gapCauseTitle(*figures.idleCause)));
  return {percent(figures.idle->sharePct), note, levelOf(idleSeverity(figures))};
}

QColor Theme::*colorOf(Phase phase) {
  // Loss differs from forward, which is next to it.
  return phase == Phase::Loss ? &Theme::annotation : phaseRole(phase, &Theme::faint);
}

} // namespace

QString overviewCardTitle(OverviewCard card) {
  switch (card) {
  case OverviewCard::StepTime:
    return tr("Step time");
  case OverviewCard::Utilization:
    return tr("GPU utilization");
  case OverviewCard::SmEfficiency:
    return tr("Est. SM efficiency");
  case OverviewCard::Occupancy:
    return tr("Est. achieved occupancy");
  case OverviewCard::Exposed:
    return tr("Exposed communication");
  case OverviewCard::Idle:
    return tr("Idle");
  }
  return {};
}

QString overviewCardDefinition(OverviewCard card) {
  switch (card) {
  case OverviewCard::StepTime:
    return tr("Mean step time over all ranks, including the device work launched by the step; ± is the "
              "standard deviation over steps, each the mean of its ranks.");
  case OverviewCard::Utilization:
    return tr("Share of the step time with at least one kernel running on the device, including "
              "communication, excluding memcpy; mean over ranks. Colored at 50 % or less.");
  case OverviewCard::SmEfficiency:
    return tr("Blocks per SM of the running kernels, at most 1, averaged over the step time: estimated share "
              "of the SMs in use. Mean over ranks.");
  case OverviewCard::Occupancy:
    return tr("Active warps per SM as a share of the device maximum, weighted by kernel duration, as "
              "estimated by the profiler. Mean over ranks.");
  case OverviewCard::Exposed:
    return tr("Time per step in which a collective runs without concurrent compute kernels. With full "
              "overlap the step would be shorter by this time. Colored at 15 % of the step or more.");
  case OverviewCard::Idle:
    return tr("Time per step in which nothing runs on the device, and its main cause. Colored at 10 % of the "
              "step or more.");
  }
  return {};
}

std::array<Figure, kOverviewCardCount> overviewCards(const OverviewFigures& figures, const TraceSet& trace) {
  return {stepTime(figures),
          utilization(figures, trace),
          smEfficiency(figures, trace),
          occupancy(figures),
          exposed(figures),
          idle(figures)};
}

QString ranksText(const RankCounts& counts) {
  const QString ranks = counted(static_cast<qint64>(counts.ranks), tr("1 rank"), tr("%1 ranks"));
  if (!counts.severalCaptures()) return ranks;
  return ranks + QStringLiteral(", ") + counted(static_cast<qint64>(counts.captures), {}, tr("%1 captures"));
}

std::vector<PhaseBar> overviewPhases(const OverviewFigures& figures) {
  std::vector<PhaseBar> bars;
  for (const PhasePart& of : figures.phases) {
    QString name = textOf(phaseTitle(of.phase));
    name[0] = name[0].toUpper();
    const StepPart& main = of.device ? *of.device : of.part;
    PhaseBar bar{name, main.sharePct, of.annotated, {}, colorOf(of.phase), {}};
    if (!of.annotated)
      bar.note = tr("not annotated");
    else if (of.device)
      bar.note = tr("CPU %1").arg(textOf(percentText(of.part.sharePct)));
    bar.tip = !of.annotated ? tr("%1: nothing recorded names this phase. Mark it with "
                                 "torch.profiler.record_function.")
                                  .arg(name)
              : of.device ? tr("%1: GPU %2/step, work launched in this phase, whenever it ran. CPU %3/step, "
                               "over all threads.")
                                .arg(name, duration(of.device->mean), duration(of.part.mean))
                          : tr("%1: CPU %2/step, over all threads").arg(name, duration(of.part.mean));
    bars.push_back(std::move(bar));
  }
  return bars;
}

} // namespace rankscope::ui
