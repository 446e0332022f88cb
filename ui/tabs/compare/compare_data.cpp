// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/compare_data.h"

#include "core/analysis/compare/side_collect.h"
#include "core/base/thread_team.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/compare_figures.h"
#include "core/report/compare_parallel.h"
#include "core/report/compare_sides.h"
#include "core/report/compare_tables.h"
#include "core/report/compare_text.h"
#include "core/report/leaf_texts.h"
#include "ui/base/capitalized.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

// Parts of the step below this share of it, in time and in change, are one row.
constexpr double kSmallPart = 0.005;

QString duration(double time) {
  return textOf(durationText(rounded(time)));
}

QString change(double time) {
  return textOf(signedDurationText(rounded(time)));
}

QString titleOf(const SideFacts& side, const SidePart& part, const std::vector<PartOption>& options) {
  QString title = QString::fromStdString(side.identity.job);
  for (const PartOption& option : options) {
    if (option.part == part && part.kind != SidePart::Kind::Whole)
      title += QStringLiteral(" · ") + option.title;
  }
  return title;
}

QString detailOf(const SideFacts& side) {
  QStringList parts;
  const auto ranks = static_cast<qint64>(side.identity.ranks.size());
  parts << (ranks == 1 ? tr("rank %1").arg(side.identity.ranks.front())
                       : counted(ranks, tr("1 rank"), tr("%1 ranks")));
  const auto kept = static_cast<qint64>(side.keptCount());
  if (side.areSteps) parts << counted(kept, tr("1 kept step"), tr("%1 kept steps"));
  if (side.identity.cycles > 1) parts << tr("%1 captures").arg(side.identity.cycles);
  parts << (side.areSteps ? tr("%1 a step") : tr("%1 recorded")).arg(duration(side.meanDuration()));
  if (!side.identity.devices.empty()) parts << QString::fromStdString(side.identity.devices);
  return parts.join(QStringLiteral(" · "));
}

QString numberText(double value) {
  return value < 0.001 ? QStringLiteral("< 0.001") : QString::number(value, 'g', 2);
}

QString explanationOf(const Comparison& comparison) {
  QString text = textOf(verdictExplanation(comparison));
  const StepTests& tests = comparison.tests;
  if (!tests.welch || !tests.ranks || comparison.sameSteps) return text;
  text += tr(" Welch p %1 · Mann-Whitney p %2").arg(numberText(tests.welch->p), numberText(tests.ranks->p));
  if (tests.noise) text += tr(" · two captures of A differ by %1").arg(duration(*tests.noise));
  return text + QLatin1Char('.');
}

QString notesOf(const Comparison& comparison) {
  QStringList notes;
  QStringList same;
  for (const ComparedFact& fact : comparison.facts) {
    if (fact.state == FactState::Same) same << QString::fromStdString(fact.name);
    if (fact.state != FactState::Differs) continue;
    const QString a = QString::fromStdString(fact.a);
    const QString b = QString::fromStdString(fact.b);
    notes << (a == b ? tr("%1: %2").arg(QString::fromStdString(fact.name), a)
                     : tr("%1: %2 → %3").arg(QString::fromStdString(fact.name), a, b));
  }
  QString text = notes.isEmpty() ? QString() : tr("Differs: %1.").arg(notes.join(QStringLiteral("; ")));
  if (!same.isEmpty()) text = tr("Same %1. ").arg(same.join(QStringLiteral(", "))) + text;
  for (const auto& [name, side] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)}) {
    const std::string left = stepsLeftOut(*side);
    if (!left.empty()) text += tr(" %1 leaves out %2.").arg(QLatin1String(name), textOf(left));
  }
  for (const std::string& caution : comparison.cautions)
    text += tr(" Caution: %1.").arg(QString::fromStdString(caution));
  return text.trimmed();
}

std::vector<StepDot> dotsOf(const SideFacts& side) {
  std::vector<StepDot> dots;
  if (!side.areSteps) return dots;
  dots.reserve(side.samples.size());
  for (std::size_t i = 0; i < side.samples.size(); ++i) {
    const SideSample& sample = side.samples[i];
    QString tip = tr("Step %1: %2").arg(sample.number).arg(duration(sample.duration));
    if (side.identity.cycles > 1) tip += tr(", capture %1").arg(sample.cycle + 1);
    if (!sample.kept()) tip += tr(", left out: %1").arg(textOf(stepStatusText(sample.status)));
    dots.push_back({sample.duration, sample.kept(), i, tip});
  }
  return dots;
}

StepDotRows dotRows(const Comparison& comparison) {
  StepDotRows rows;
  rows.a = dotsOf(comparison.a);
  rows.b = dotsOf(comparison.b);
  const StepTests& tests = comparison.tests;
  if (!rows.a.empty() && tests.a.count > 0) rows.medianA = summaryOf(comparison.a.durations()).median;
  if (!rows.b.empty() && tests.b.count > 0) rows.medianB = summaryOf(comparison.b.durations()).median;
  if (const auto test = comparison.interval()) {
    rows.low = tests.a.mean + test->low;
    rows.high = tests.a.mean + test->high;
  }
  return rows;
}

QString intervalText(const std::optional<double>& low, const std::optional<double>& high) {
  if (!low || !high) return {};
  return QStringLiteral("± ") + duration((*high - *low) / 2);
}

DeltaRow deltaRow(const QString& label, const QString& definition, const ComparedClass& of) {
  DeltaRow row;
  row.label = label;
  row.a = of.a;
  row.b = of.b;
  row.textA = duration(of.a);
  row.textB = duration(of.b);
  row.change = change(of.delta());
  row.interval = intervalText(of.low, of.high);
  row.tip = QStringLiteral("<b>%1</b><br>%2").arg(label.toHtmlEscaped(), definition.toHtmlEscaped());
  if (of.low)
    row.tip +=
        tr("<br>95 % CI of the difference of the means: %1 … %2").arg(change(*of.low), change(*of.high));
  return row;
}

QString classLabel(TimeClass timeClass) {
  return capitalized(textOf(timeClassTitle(timeClass)));
}

// Compute and memcpy as a whole, of the others each leaf that matters.
void addClass(const std::vector<ComparedClass>& classes, std::size_t first, double least, DeltaRows& rows) {
  const ComparedClass& whole = classes[first];
  const QString title = classLabel(whole.timeClass);
  const bool split = whole.timeClass == TimeClass::ExposedCommunication || whole.timeClass == TimeClass::Idle;
  if (whole.a == 0 && whole.b == 0) return;
  const auto partOf = [&](const ComparedClass& leaf) { return classLeaf(leaf.timeClass, *leaf.leaf); };
  if (!split) {
    rows.rows.push_back(
        deltaRow(title, tr("All of the category %1").arg(textOf(timeClassText(whole.timeClass))), whole));
    for (std::size_t i = first + 1; i < classes.size() && classes[i].leaf; ++i)
      rows.rows.back().parts.push_back(partOf(classes[i]));
    return;
  }
  ComparedClass rest;
  rest.timeClass = whole.timeClass;
  std::vector<std::size_t> collected;
  for (std::size_t i = first + 1; i < classes.size() && classes[i].leaf; ++i) {
    const ComparedClass& leaf = classes[i];
    if (std::max(leaf.a, leaf.b) < least && std::abs(leaf.delta()) < least) {
      rest.a += leaf.a;
      rest.b += leaf.b;
      collected.push_back(partOf(leaf));
      continue;
    }
    rows.rows.push_back(deltaRow(textOf(leafTitle(*leaf.leaf)), textOf(leafDefinition(*leaf.leaf)), leaf));
    rows.rows.back().parts.push_back(partOf(leaf));
  }
  if (collected.empty()) return;
  rows.rows.push_back(deltaRow(
      tr("Other %1").arg(title.toLower()),
      counted(static_cast<qint64>(collected.size()), tr("1 smaller part"), tr("%1 smaller parts")), rest));
  rows.rows.back().parts = std::move(collected);
}

DeltaRows deltaRows(const Comparison& comparison) {
  DeltaRows rows;
  rows.a = comparison.a.meanDuration();
  rows.b = comparison.b.meanDuration();
  rows.textA = duration(rows.a);
  rows.textB = duration(rows.b);
  rows.change = change(rows.b - rows.a);
  if (const auto test = comparison.interval()) rows.interval = intervalText(test->low, test->high);
  const double least = kSmallPart * std::max(rows.a, rows.b);
  for (std::size_t i = 0; i < comparison.classes.size(); ++i) {
    if (!comparison.classes[i].leaf) addClass(comparison.classes, i, least, rows);
  }
  return rows;
}

// The table with each row's share of all changes behind its columns, for the bars.
std::shared_ptr<const ResultTable> withBars(const ResultTable& table, std::string_view by) {
  const auto column = table.columnNamed(by);
  std::vector<TableColumn> columns = table.columns();
  columns.push_back({"bar_pct", Unit::Percent});
  auto result = std::make_shared<ResultTable>(table.name(), std::move(columns));
  double most = 0;
  const auto valueOf = [&](std::size_t row) {
    if (!column) return 0.0;
    const Cell cell = table.at(row, *column);
    if (const auto* number = std::get_if<double>(&cell)) return std::abs(*number);
    const auto* whole = std::get_if<std::int64_t>(&cell);
    return whole != nullptr ? std::abs(static_cast<double>(*whole)) : 0.0;
  };
  for (std::size_t row = 0; row < table.rowCount(); ++row) most = std::max(most, valueOf(row));
  std::vector<Cell> cells;
  cells.reserve(table.columns().size() + 1);
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    cells.clear();
    for (std::size_t i = 0; i < table.columns().size(); ++i) cells.push_back(table.at(row, i));
    cells.push_back(most > 0 ? Cell(100 * valueOf(row) / most) : Cell());
    result->addRow(cells);
  }
  return result;
}

void addTables(const Comparison& comparison, CompareData& data) {
  const auto set = [&](CompareTable which, const ResultTable& table, std::string_view by) {
    data.tables[static_cast<std::size_t>(which)] = withBars(table, by);
  };
  set(CompareTable::Classes, compareClassesTable(comparison), "delta_us");
  set(CompareTable::Modules, compareModulesTable(comparison), "contribution_us");
  set(CompareTable::Operators, compareOperatorsTable(comparison), "contribution_us");
  set(CompareTable::Kernels, compareKernelsTable(comparison), "contribution_us");
  set(CompareTable::Collectives, compareCollectivesTable(comparison), "delta_exposed_us");
  set(CompareTable::Ranks, compareRanksTable(comparison), "delta_us");
  set(CompareTable::Parallelism, compareParallelTable(comparison), "delta_pct");
  set(CompareTable::Findings, compareFindingsTable(comparison), "delta_us");
}

} // namespace

CompareData compareData(const JobReport& report, const CompareChoice& choice) {
  CompareData data;
  const JobReport& other = choice.other ? *choice.other : report;
  data.partsA = partsOf(report.analysis());
  data.partsB = choice.other ? partsOf(other.analysis()) : data.partsA;
  if (!choice.other && choice.a == choice.b) return data; // nothing was chosen to compare with
  addChosenPart(data.partsA, choice.a);
  addChosenPart(data.partsB, choice.b);
  data.a = analysisOfPart(report, choice.a);
  data.b = analysisOfPart(other, choice.b);
  if (!data.a || !data.b) return data;
  SideOptions options;
  options.threadCount = defaultThreadCount();
  const bool whole = choice.a.kind == SidePart::Kind::Whole && choice.b.kind == SidePart::Kind::Whole;
  ComparedSides sides =
      whole ? comparedSides(report, other, options) : comparedSides(*data.a, *data.b, true, options);
  QString titleA = titleOf(sides.a, choice.a, data.partsA);
  QString titleB = titleOf(sides.b, choice.b, data.partsB);
  if (choice.swapped) {
    std::swap(sides.a, sides.b);
    std::swap(titleA, titleB);
    std::swap(data.a, data.b);
  }
  data.titleA = titleA;
  data.titleB = titleB;
  auto comparison = std::make_shared<const Comparison>(compareSides(std::move(sides.a), std::move(sides.b)));
  data.detailA = detailOf(comparison->a);
  data.detailB = detailOf(comparison->b);
  data.sentence = textOf(verdictSentence(*comparison));
  data.explanation = explanationOf(*comparison);
  data.notes = notesOf(*comparison);
  data.dots = dotRows(*comparison);
  data.waterfall = deltaRows(*comparison);
  addTables(*comparison, data);
  data.steps = stepPairs(*comparison, data.a, data.b, choice.rank, choice.position);
  data.comparison = std::move(comparison);
  return data;
}

CompareData withSteps(const CompareData& data, const CompareChoice& choice) {
  CompareData other = data;
  if (other.comparison)
    other.steps = stepPairs(*other.comparison, other.a, other.b, choice.rank, choice.position);
  return other;
}

} // namespace rankscope::ui
