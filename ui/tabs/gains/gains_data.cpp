// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/gains/gains_data.h"

#include "core/analysis/job/cut_ranks.h"
#include "core/analysis/job/graph_capture.h"
#include "core/analysis/job/step_notes.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/model/rank_recordings.h"
#include "core/report/findings_table.h"
#include "core/report/reported_part.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"
#include "ui/widgets/rank_names.h"

#include <algorithm>

namespace rankscope::ui {

namespace {

QString duration(double time) {
  return textOf(durationText(rounded(time)));
}

QString shareOf(double time, double whole) {
  return textOf(percentText(whole > 0 ? 100 * time / whole : 0));
}

// What the parts add up to.
QString wholeText(const AccountView& view) {
  return view.areSteps ? tr("step") : view.ofRange ? tr("range") : tr("recording");
}

bool hasFinding(const JobReport& report, FindingKind kind) {
  return std::ranges::find(report.findings(), kind, &Finding::kind) != report.findings().end();
}

QString ranksText(std::size_t ranks) {
  return counted(static_cast<qint64>(ranks), tr("1 rank"), tr("%1 ranks"));
}

void listChoices(const JobReport& report, GainsData& data) {
  const Analysis& analysis = report.analysis();
  for (const RankIndex rank : rankRows(analysis.trace(), analysis.ranks()).first)
    data.ranks.push_back({rankName(analysis, rank, true), analysis.trace().rank(rank).rank});
  data.ranksText = ranksText(rankRows(analysis.trace(), wholeRanks(analysis)).count());
  const bool captures = analysis.trace().severalCaptures();
  for (const std::size_t place : accountSteps(report, {})) {
    const JobStep& step = analysis.keptSteps().steps[place];
    QString title = captures ? tr("Step %1, capture %2").arg(step.number).arg(step.capture)
                             : tr("Step %1").arg(step.number);
    if (!step.kept()) title += tr(" · left out");
    data.steps.push_back({title, {step.capture, step.number, step.occurrence}});
  }
}

// Of what is there still.
AccountPart partOf(const JobReport& report, GainsChoice& choice) {
  const Analysis& analysis = report.analysis();
  AccountPart part;
  for (const RankIndex rank : analysis.ranks())
    if (choice.rank == analysis.trace().rank(rank).rank) part.rank = rank;
  if (!part.rank.valid()) choice.rank.reset();
  for (const std::size_t place : accountSteps(report, part.rank)) {
    const JobStep& step = analysis.keptSteps().steps[place];
    if (choice.step == GainsChoice::JobStep{step.capture, step.number, step.occurrence}) part.step = place;
  }
  if (!part.step) choice.step.reset();
  return part;
}

QString stepsNote(const JobReport& report, const AccountView& view) {
  const QString ranks = view.ranks == 1 ? QString() : tr(" and %1").arg(ranksText(view.ranks));
  if (!view.areSteps) {
    const QString windows =
        counted(static_cast<qint64>(view.recordings), tr("One recording."), tr("Mean of %1 recordings."));
    return view.ofRange ? tr("No kept step begins in the range: shares are of the range.")
                        : windows + QStringLiteral(" ") + textOf(noMarkedSteps(report.analysis()));
  }
  if (view.part.step) {
    const JobStep& step = report.analysis().keptSteps().steps[*view.part.step];
    QString mean =
        view.ranks == 1 ? tr("One step of one rank.") : tr("Mean of %1.").arg(ranksText(view.ranks));
    if (step.kept()) return mean;
    return mean + tr(" Left out of means: %1.").arg(textOf(stepStatusText(step.status)));
  }
  QString text =
      tr("Mean of %1%2.")
          .arg(counted(static_cast<qint64>(view.steps), tr("1 kept step"), tr("%1 kept steps")), ranks);
  if (view.ranks > 1 && ranksDifferInSteps(report.analysis()))
    text +=
        tr(" Ranks recorded different steps: each step counts once here, and once for its own ranks in their "
           "minimum and maximum.");
  const QString leftOut = textOf(leftOutText(report));
  return leftOut.isEmpty() ? text : text + tr(" Left out: %1.").arg(leftOut);
}

QString notesOf(const JobReport& report, const AccountView& view) {
  QStringList notes{stepsNote(report, view)};
  const std::string captured = graphCaptureText(graphCapture(report.analysis()));
  if (!captured.empty()) notes << textOf(captured);
  if (!view.hasDevices)
    notes << tr("No device activity was recorded: compute is operators of the training threads, which share "
                "their cores with communication; idle is time without either.");
  if (const std::string waits = unknownWaitText(report.analysis(), view); !waits.empty())
    notes << textOf(waits);
  if (view.hasDevices) notes << tr("Ideal compute is kernels without a known inefficiency.");
  if (captured.empty() && hasFinding(report, FindingKind::Benchmark))
    notes << tr("This looks like a benchmark: costs of single kernels or collectives are not those of a "
                "training step.");
  if (std::ranges::any_of(report.findings(), [](const Finding& finding) { return finding.gain.has_value(); }))
    notes << tr("Times of the parts add up to the %1. Gains of different findings do not add up: what one "
                "saves, another may hide.")
                 .arg(wholeText(view));
  return notes.join(QLatin1Char(' '));
}

QString gainLine(const JobReport& report, const Finding& finding) {
  QString line = textOf(finding.title).toHtmlEscaped();
  const QString cost = textOf(findingCostText(report, finding));
  return finding.gain ? line + tr(" · gain %1").arg(cost.toHtmlEscaped()) : line;
}

QString tipOf(const JobReport& report, const AccountView& view, const AccountLeaf& leaf) {
  QStringList lines{QStringLiteral("<b>%1</b> · %2")
                        .arg(textOf(leafTitle(leaf.leaf)).toHtmlEscaped(), textOf(leafText(leaf.leaf))),
                    textOf(leafDefinition(leaf.leaf)).toHtmlEscaped(),
                    tr("From: %1").arg(textOf(leafSource(leaf.leaf))),
                    (view.areSteps ? tr("%1 per step, %2, %3") : tr("%1, %2, %3"))
                        .arg(duration(leaf.time), shareOf(leaf.time, view.stepTime),
                             textOf(timeClassTitle(leaf.timeClass)))};
  if (leaf.lowestRank != leaf.highestRank)
    lines << tr("Ranks: %1 (%2) … %3 (%4)")
                 .arg(duration(leaf.lowest), rankName(report.analysis(), leaf.lowestRank, true),
                      duration(leaf.highest), rankName(report.analysis(), leaf.highestRank, true));
  constexpr std::size_t kListed = 3;
  for (std::size_t i = 0; i < std::min(leaf.findings.size(), kListed); ++i)
    lines << gainLine(report, report.findings()[leaf.findings[i]]);
  if (leaf.findings.size() > kListed) lines << tr("and %1 more findings").arg(leaf.findings.size() - kListed);
  return lines.join(QStringLiteral("<br>"));
}

// The class, where a leaf occurs in two of them.
QString labelOf(const GainsData& data, std::size_t at) {
  const AccountLeaf& leaf = data.view.leaves[at];
  const QString title = textOf(leafTitle(leaf.leaf));
  const bool twice = std::ranges::count(data.view.leaves, leaf.leaf, &AccountLeaf::leaf) > 1;
  return twice && leaf.timeClass == TimeClass::Idle ? tr("%1 (idle)").arg(title) : title;
}

WaterfallRow leafRow(const GainsData& data, const AccountBar& bar, const std::vector<bool>& accepted) {
  const std::size_t at = bar.leaves.front();
  WaterfallRow row;
  row.label = labelOf(data, at);
  row.tip = data.tips[at];
  row.note = accepted[at] ? tr("%1 (accepted)").arg(data.findings[at]) : data.findings[at];
  if (const auto severity = data.severities[at])
    row.noteMark = accepted[at]                      ? &Theme::faint
                   : *severity == Severity::Critical ? &Theme::bad
                   : *severity == Severity::Warning  ? &Theme::warn
                                                     : &Theme::accent;
  row.strong = bar.group == LeafGroup::Ideal;
  return row;
}

WaterfallRow collectedRow(const GainsData& data, const AccountBar& bar) {
  WaterfallRow row;
  QStringList names;
  QStringList lines{tr("<b>Less than 1 % each</b>; click to list them")};
  for (const std::size_t at : bar.leaves) {
    const AccountLeaf& leaf = data.view.leaves[at];
    names << labelOf(data, at);
    lines << tr("%1: %2, %3")
                 .arg(labelOf(data, at).toHtmlEscaped(), duration(leaf.time),
                      shareOf(leaf.time, data.view.stepTime));
  }
  row.label = tr("▸ %1 smaller").arg(bar.leaves.size());
  row.tip = lines.join(QStringLiteral("<br>"));
  row.note = names.join(QStringLiteral(" · ")); // some names have a comma
  return row;
}

} // namespace

GainsData gainsData(const JobReport& report, const GainsChoice& choice) {
  GainsData data;
  data.chosen = choice;
  const AccountPart part = partOf(report, data.chosen);
  data.view = accountView(report, part);
  listChoices(report, data);
  data.table = std::make_shared<const ResultTable>(accountTable(report, data.view));
  data.sentence = textOf(accountSentence(data.view));
  if (data.view.leaves.empty()) {
    data.whyEmpty = part.rank.valid() ? tr("No kept step of this rank begins in the range.")
                                      : tr("The selection contains no recorded activity.");
    return data;
  }
  data.whole = wholeText(data.view);
  data.notes = notesOf(report, data.view);
  for (const AccountLeaf& leaf : data.view.leaves) {
    data.tips.push_back(tipOf(report, data.view, leaf));
    const Finding* const finding =
        leaf.findings.empty() ? nullptr : &report.findings()[leaf.findings.front()];
    data.findings.push_back(finding != nullptr ? textOf(titleWithRanks(report.analysis(), *finding))
                                               : QString());
    data.severities.push_back(finding != nullptr ? std::optional(finding->severity) : std::nullopt);
  }
  return data;
}

WaterfallFill fillOf(LeafGroup group) {
  switch (group) {
  case LeafGroup::Ideal:
    return {&Theme::good};
  case LeafGroup::Kernels:
    return {&Theme::gemm};
  case LeafGroup::Transfer:
    return {&Theme::exposed, true};
  case LeafGroup::Wait:
    return {&Theme::exposed, true, kWaitStrength};
  case LeafGroup::Memcpy:
    return {&Theme::memoryCopy};
  case LeafGroup::Host:
    return {&Theme::bad, true, 0.22};
  case LeafGroup::Queue:
    return {&Theme::annotation, true, 0.3};
  case LeafGroup::Recording:
    break;
  }
  return {&Theme::faint, false, 0.45};
}

std::vector<bool> acceptedLeaves(const GainsData& data, const JobReport& report,
                                 std::span<const AcceptedFinding> accepted) {
  std::vector<bool> leaves;
  leaves.reserve(data.view.leaves.size());
  for (const AccountLeaf& leaf : data.view.leaves)
    leaves.push_back(!leaf.findings.empty() &&
                     acceptedAs(report, report.findings()[leaf.findings.front()], accepted) != nullptr);
  return leaves;
}

WaterfallRows waterfallRows(const GainsData& data, const std::vector<AccountBar>& bars,
                            const std::vector<bool>& accepted) {
  WaterfallRows rows;
  for (const AccountBar& bar : bars) {
    WaterfallRow row = bar.leaves.size() == 1 ? leafRow(data, bar, accepted) : collectedRow(data, bar);
    row.begin = bar.begin;
    row.amount = bar.time;
    row.fill = fillOf(bar.group);
    row.value = duration(bar.time);
    row.share = shareOf(bar.time, data.view.stepTime);
    rows.rows.push_back(std::move(row));
  }
  rows.total = data.view.areSteps  ? tr("Measured step")
               : data.view.ofRange ? tr("Measured range")
                                   : tr("Recording");
  rows.amount = data.view.stepTime;
  rows.value = duration(data.view.stepTime);
  rows.partTip = tr("What the time was spent on: every nanosecond is in one part");
  rows.noteTitle = tr("Finding");
  rows.noteTip = tr("The finding that explains the part; a click opens it");
  return rows;
}

std::vector<LegendItem> gainsLegend(const std::vector<AccountBar>& bars) {
  std::vector<LegendItem> items;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (i > 0 && bars[i].group == bars[i - 1].group) continue;
    const WaterfallFill fill = fillOf(bars[i].group);
    items.push_back({textOf(leafGroupTitle(bars[i].group)), fill.color, fill.hatched, false, fill.strength});
  }
  return items;
}

} // namespace rankscope::ui
