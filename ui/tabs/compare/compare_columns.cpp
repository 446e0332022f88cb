// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/compare_columns.h"

#include "core/base/unit_text.h"
#include "ui/base/readable_kernel.h"
#include "ui/base/readable_shapes.h"
#include "ui/base/ui_text.h"
#include "ui/tabs/compare/compare_words.h"

#include <cmath>

namespace rankscope::ui {

namespace {

// Calls of a step: whole where they are.
QString callsText(const Cell& cell) {
  const auto* value = std::get_if<double>(&cell);
  if (value == nullptr) return QStringLiteral("–");
  if (std::abs(*value - std::round(*value)) < 1e-6)
    return QString::fromStdString(groupedText(std::llround(*value)));
  // One decimal of what was rounded, so that 9.96 is no "9.10".
  const std::int64_t tenths = std::llround(*value * 10);
  return QStringLiteral("%1.%2").arg(QString::fromStdString(groupedText(tenths / 10))).arg(tenths % 10);
}

// People ask for the sign of a change.
QString signedTime(const Cell& cell) {
  const auto* value = std::get_if<std::int64_t>(&cell);
  return value == nullptr ? QStringLiteral("–") : QString::fromStdString(signedDurationText(*value));
}

QString signedPercent(const Cell& cell) {
  const auto* value = std::get_if<double>(&cell);
  if (value == nullptr) return QStringLiteral("–");
  const QString size = QString::fromStdString(percentText(std::abs(*value)));
  return (*value > 0 ? QStringLiteral("+") : *value < 0 ? QStringLiteral("-") : QString()) + size;
}

ShownColumn plain(const char* source, const QString& title, const QString& tip) {
  return {.source = source, .title = title, .tip = tip};
}

ShownColumn hidden(ShownColumn column) {
  column.hidden = true;
  return column;
}

// Jobs on CPUs have none of it.
ShownColumn unlessZero(ShownColumn column) {
  column.hide = Hide::AllZero;
  return column;
}

// A figure of A and the same of B, for which the letter is enough beside it.
ShownColumn ofA(const char* source, const QString& what, const QString& tip) {
  return {.source = source, .title = tr("%1 A").arg(what), .tip = tr("%1; side A").arg(tip)};
}

ShownColumn ofB(const char* source, const QString& what, const QString& tip) {
  return {.source = source,
          .title = QStringLiteral("B"),
          .tip = tr("%1; side B").arg(tip),
          .longTitle = tr("%1 B").arg(what)};
}

ShownColumn callsA(const QString& tip) {
  ShownColumn column = ofA("a_calls", tr("Calls"), tip);
  column.words = callsText;
  return column;
}

ShownColumn callsB(const QString& tip) {
  ShownColumn column = ofB("b_calls", tr("Calls"), tip);
  column.words = callsText;
  return column;
}

ShownColumn bars() {
  return {.source = "bar_pct",
          .title = tr("Relative size"),
          .tip = tr("Relative to the largest change; blue: B costs less, amber: B costs more"),
          .share = true};
}

ShownColumn matched() {
  return {.source = "matched_by",
          .title = tr("Matched by"),
          .tip = tr("What the row of A has in common with the row of B; only in A, only in B: the other side "
                    "has no such row"),
          .display = matchWords};
}

ShownColumn contributes() {
  return {.source = "contribution_us",
          .title = tr("Contribution"),
          .tip = tr("Part of the difference in compute time; all rows add up to that difference"),
          .footer = Footer::Sum,
          .words = signedTime};
}

ShownColumn times(const char* source, const QString& title, const QString& tip) {
  return {.source = source, .title = title, .tip = tip, .words = signedTime};
}

ShownColumn percents(const char* source, const QString& title, const QString& tip) {
  return {.source = source, .title = title, .tip = tip, .words = signedPercent};
}

ShownColumn change(const char* source = "delta_us", const QString& tip = tr("B − A, in a kept step")) {
  return times(source, tr("Change"), tip);
}

ShownColumn countEffect() {
  return times("count_effect_us", tr("Count effect"),
               tr("What more or fewer calls cost: (calls B − calls A) × mean time in A"));
}

ShownColumn speedEffect() {
  return times("speed_effect_us", tr("Speed effect"),
               tr("What slower or faster calls cost: calls B × (mean time B − mean time A)"));
}

std::vector<ShownColumn> classes() {
  const QString mean = tr("Mean over ranks and kept steps");
  return {
      {.source = "class",
       .title = tr("Category"),
       .tip = tr("Compute, exposed communication, memcpy, idle: together the step"),
       .display = categoryTitle},
      {.source = "leaf",
       .title = tr("Cause"),
       .tip = tr("Part of the category; –: all of the category"),
       .display = causeTitle},
      plain("a_us", QStringLiteral("A"), tr("%1; side A").arg(mean)),
      plain("b_us", QStringLiteral("B"), tr("%1; side B").arg(mean)),
      change(),
      bars(),
      percents("delta_pct", tr("Change in %"), tr("B − A, relative to A")),
      plain("share_of_delta_pct", tr("Share of difference"),
            tr("Of the difference of the steps; more than 100 % where other parts have the opposite sign")),
      times("ci_low_us", tr("95 % CI low"),
            tr("Lower end of the 95 % confidence interval of the difference of the means")),
      times("ci_high_us", tr("95 % CI high"),
            tr("Upper end of the 95 % confidence interval of the difference of the means"))};
}

std::vector<ShownColumn> modules() {
  const QString calls = tr("Calls of the module in a step");
  const QString device = tr("Sum of durations of what its operators launched, in a step");
  const QString host = tr("Sum of durations of its calls on the CPU, in a step");
  return {plain("path", tr("Module"), tr("Module with those around it; #: which of several of one class")),
          matched(),
          callsA(calls),
          callsB(calls),
          ofA("a_device_us", tr("GPU time"), device),
          ofB("b_device_us", tr("GPU time"), device),
          contributes(),
          bars(),
          countEffect(),
          speedEffect(),
          hidden(ofA("a_host_us", tr("CPU time"), host)),
          hidden(ofB("b_host_us", tr("CPU time"), host))};
}

std::vector<ShownColumn> operators() {
  const QString calls = tr("Calls of the operator in a step");
  const QString device = tr("Sum of durations of what it launched itself, in a step");
  const QString host = tr("Time on the CPU excluding nested operators, in a step");
  // Beside the name, which rows of other shapes and phases have too.
  return {plain("operator", tr("Operator"), tr("Name of the operator")),
          {.source = "shapes",
           .title = tr("Input shapes"),
           .tip = tr("Shapes of its input tensors; of A and of B where they differ"),
           .hide = Hide::AllEmpty,
           .display = shortShapes},
          {.source = "module",
           .title = tr("Module"),
           .tip = tr("Module that calls it"),
           .hide = Hide::AllEmpty,
           .elideStart = true},
          plain("phase", tr("Phase"), tr("Forward, backward, optimizer or another phase that calls it")),
          callsA(calls),
          callsB(calls),
          unlessZero(ofA("a_device_us", tr("GPU time"), device)),
          unlessZero(ofB("b_device_us", tr("GPU time"), device)),
          contributes(),
          bars(),
          times("delta_host_self_us", tr("Self CPU change"), tr("%1; B − A").arg(host)),
          matched(),
          hidden(ofA("a_host_self_us", tr("Self CPU"), host)),
          hidden(ofB("b_host_self_us", tr("Self CPU"), host)),
          hidden(countEffect()),
          hidden(speedEffect()),
          hidden(plain("q", QStringLiteral("q"),
                       tr("False discovery rate of the rows that explain 1 % or more of the difference")))};
}

std::vector<ShownColumn> kernels() {
  const QString calls = tr("Calls of the kernel in a step");
  const QString time = tr("Sum of durations in a step");
  const QString mean = tr("Mean duration of a call");
  return {{.source = "kernel_a",
           .title = tr("Kernel A"),
           .tip = tr("Kernel of A; –: A has none for this row"),
           .elideSame = true,
           .display = readableKernel},
          {.source = "kernel_b",
           .title = tr("Kernel B"),
           .tip = tr("Kernel of B that is compared with it; –: B has none"),
           .elideSame = true,
           .display = readableKernel},
          plain("operator", tr("Operator"), tr("Operator that launched it")),
          callsA(calls),
          callsB(calls),
          ofA("a_us", tr("Time"), time),
          ofB("b_us", tr("Time"), time),
          change(),
          contributes(),
          bars(),
          ofA("a_mean_us", tr("Mean"), mean),
          ofB("b_mean_us", tr("Mean"), mean),
          matched()};
}

std::vector<ShownColumn> collectives() {
  const QString calls = tr("Calls of the collective in a step");
  const QString wait = tr("Time for the last rank to begin, in a step");
  const QString transfer = tr("Time after the last rank began, in a step");
  const QString exposed = tr("Time not overlapped by compute, in a step");
  const QString bandwidth = tr("Bus bandwidth of the transfers, as in nccl-tests");
  return {plain("group", tr("Group"), tr("Process group")),
          plain("operation", tr("Operation"), tr("Collective, send or receive")),
          plain("bytes", tr("Bytes"), tr("Message size of a call")),
          callsA(calls),
          callsB(calls),
          ofA("a_wait_us", tr("Wait"), wait),
          ofB("b_wait_us", tr("Wait"), wait),
          ofA("a_transfer_us", tr("Transfer"), transfer),
          ofB("b_transfer_us", tr("Transfer"), transfer),
          ofA("a_exposed_us", tr("Exposed"), exposed),
          ofB("b_exposed_us", tr("Exposed"), exposed),
          change("delta_exposed_us", tr("Of the exposed time, B − A")),
          bars(),
          {.source = "a_busbw_gb_s",
           .title = tr("Bus bandwidth A"),
           .tip = tr("%1; side A").arg(bandwidth),
           .hide = Hide::AllEmpty},
          {.source = "b_busbw_gb_s",
           .title = QStringLiteral("B"),
           .tip = tr("%1; side B").arg(bandwidth),
           .hide = Hide::AllEmpty,
           .longTitle = tr("Bus bandwidth B")},
          matched()};
}

std::vector<ShownColumn> ranks() {
  const QString step = tr("Mean time of the kept steps of the rank");
  const QString wait = tr("Time in collectives until the last rank began, in a step");
  return {plain("rank", tr("Rank"), tr("Rank of A; of B where A has none")),
          plain("b_rank", tr("Rank B"), tr("Rank of B that it is compared with")),
          ofA("a_step_us", tr("Step"), step),
          ofB("b_step_us", tr("Step"), step),
          change(),
          bars(),
          ofA("a_wait_us", tr("Wait"), wait),
          ofB("b_wait_us", tr("Wait"), wait),
          times("delta_excluding_communication_us", tr("Change excluding communication"),
                tr("Change of the step time without exposed communication, B − A"))};
}

// Figures of many units, which their names end with.
QString figureText(const Cell& cell) {
  const auto* value = std::get_if<double>(&cell);
  if (value == nullptr) return QStringLiteral("–");
  QString text = QString::fromStdString(groupedText(static_cast<std::int64_t>(std::trunc(*value))));
  const double rest = std::abs(*value - std::trunc(*value));
  if (std::abs(*value) >= 1000 || rest < 5e-4) return text;
  return QString::number(*value, 'f', std::abs(*value) >= 10 ? 1 : 3);
}

std::vector<ShownColumn> parallelism() {
  const auto figure = [](const char* source, const QString& title, const QString& tip) {
    return ShownColumn{.source = source, .title = title, .tip = tip, .words = figureText};
  };
  const QString unit = tr("in the unit that the figure names");
  return {{.source = "table",
           .title = tr("Table"),
           .tip = tr("Table of the Parallelism tab that has the figure"),
           .display = layoutTableTitle},
          plain("row", tr("Row"), tr("Row of that table: a dimension, bucket, unit, layer, stage or rank")),
          {.source = "figure",
           .title = tr("Figure"),
           .tip = tr("Mean over ranks and kept steps"),
           .display = figureTitle},
          figure("a", QStringLiteral("A"), tr("Side A, %1").arg(unit)),
          figure("b", QStringLiteral("B"), tr("Side B, %1").arg(unit)),
          figure("delta", tr("Change"), tr("B − A, %1").arg(unit)),
          percents("delta_pct", tr("Change in %"), tr("B − A, relative to A")),
          bars(),
          matched()};
}

std::vector<ShownColumn> findings() {
  const QString gain = tr("What a fix would win at least, per step");
  return {plain("state", tr("State"),
                tr("new: only in B; gone: only in A; more, less: the possible gain is larger or smaller in "
                   "B, so the problem grew or shrank")),
          plain("title", tr("Finding"), tr("Title of the finding; of B where both sides have it")),
          {.source = "kind",
           .title = tr("Kind"),
           .tip = tr("What the rule checks"),
           .display = findingKindWords,
           .hidden = true},
          {.source = "leaf",
           .title = tr("Cause"),
           .tip = tr("Part of the step time that the finding is about"),
           .display = causeTitle},
          plain("rank", tr("Rank"), tr("Rank with the problem; –: several or all")),
          ofA("a_gain_low_us", tr("Gain"), gain),
          ofB("b_gain_low_us", tr("Gain"), gain),
          change("delta_us", tr("Of the gain, B − A"))};
}

} // namespace

QStringList compareTableTitles() {
  return {tr("Categories"),  tr("Modules"), tr("Operators"),   tr("Kernels"),
          tr("Collectives"), tr("Ranks"),   tr("Parallelism"), tr("Findings")};
}

std::vector<ShownColumn> compareColumns(CompareTable table) {
  switch (table) {
  case CompareTable::Classes:
    return classes();
  case CompareTable::Modules:
    return modules();
  case CompareTable::Operators:
    return operators();
  case CompareTable::Kernels:
    return kernels();
  case CompareTable::Collectives:
    return collectives();
  case CompareTable::Ranks:
    return ranks();
  case CompareTable::Parallelism:
    return parallelism();
  case CompareTable::Findings:
    break;
  }
  return findings();
}

std::string compareStretchColumn(CompareTable table) {
  switch (table) {
  case CompareTable::Classes:
    return "leaf";
  case CompareTable::Modules:
    return "path";
  case CompareTable::Operators:
    return "operator";
  case CompareTable::Kernels:
    return "kernel_a";
  case CompareTable::Collectives:
    return "operation";
  case CompareTable::Ranks:
    return "rank";
  case CompareTable::Parallelism:
    return "row";
  case CompareTable::Findings:
    break;
  }
  return "title";
}

} // namespace rankscope::ui
