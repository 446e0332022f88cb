// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/compare_columns.h"

#include "core/base/unit_text.h"
#include "ui/base/readable_shapes.h"

#include <QCoreApplication>

#include <cmath>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("CompareColumns", text);
}

// Calls of a step: whole where they are.
QString callsText(const Cell& cell) {
  const auto* value = std::get_if<double>(&cell);
  if (value == nullptr) return QStringLiteral("–");
  return std::abs(*value - std::round(*value)) < 1e-6 ? QString::number(std::llround(*value))
                                                      : QString::number(*value, 'f', 1);
}

ShownColumn calls(const char* source, const QString& title) {
  return {.source = source, .title = title, .tip = tr("Calls in a step"), .words = callsText};
}

ShownColumn plain(const char* source, const QString& title, const QString& tip = {}) {
  return {.source = source, .title = title, .tip = tip};
}

ShownColumn hidden(const char* source, const QString& title, const QString& tip = {}) {
  return {.source = source, .title = title, .tip = tip, .hidden = true};
}

ShownColumn bars() {
  return {.source = "bar_pct",
          .title = tr("Relative size"),
          .tip = tr("Relative to the largest change; blue: B costs less, amber: B costs more"),
          .share = true};
}

ShownColumn matched() {
  return plain("matched_by", tr("Matched by"),
               tr("How the row of A was matched to the row of B; only_a, only_b: no match"));
}

ShownColumn contributes() {
  return {.source = "contribution_us",
          .title = tr("Contribution"),
          .tip = tr("Part of the difference in compute time; all rows add up to that difference"),
          .footer = Footer::Sum};
}

std::vector<ShownColumn> classes() {
  return {
      plain("class", tr("Category")),
      plain("leaf", tr("Cause"), tr("Empty: all of the category")),
      plain("a_us", QStringLiteral("A")),
      plain("b_us", QStringLiteral("B")),
      plain("delta_us", tr("Change"), tr("B − A")),
      bars(),
      plain("delta_pct", tr("Change in %")),
      plain("share_of_delta_pct", tr("Share of difference"),
            tr("More than 100 % where other parts have the opposite sign")),
      plain("ci_low_us", tr("95 % CI low"), tr("95 % confidence interval of the difference of the means")),
      plain("ci_high_us", tr("95 % CI high"))};
}

std::vector<ShownColumn> modules() {
  return {plain("path", tr("Module")),
          matched(),
          calls("a_calls", tr("Calls A")),
          calls("b_calls", QStringLiteral("B")),
          plain("a_device_us", tr("GPU time A"), tr("Sum of durations of what its operators launched")),
          plain("b_device_us", QStringLiteral("B")),
          contributes(),
          bars(),
          plain("count_effect_us", tr("Count effect"), tr("(calls B − calls A) × mean time in A")),
          plain("speed_effect_us", tr("Speed effect"), tr("calls B × (mean time B − mean time A)")),
          hidden("a_host_us", tr("CPU time A")),
          hidden("b_host_us", tr("CPU time B"))};
}

std::vector<ShownColumn> operators() {
  // Beside the name, which rows of other shapes have too.
  return {plain("operator", tr("Operator")),
          {.source = "shapes", .title = tr("Input shapes"), .hide = Hide::AllEmpty, .display = shortShapes},
          {.source = "module", .title = tr("Module"), .hide = Hide::AllEmpty, .elideStart = true},
          calls("a_calls", tr("Calls A")),
          calls("b_calls", QStringLiteral("B")),
          plain("a_device_us", tr("GPU time A"), tr("Sum of durations of what it launched itself")),
          plain("b_device_us", QStringLiteral("B")),
          contributes(),
          bars(),
          plain("delta_host_self_us", tr("Self CPU change"), tr("Self time on the CPU, B − A")),
          matched(),
          plain("phase", tr("Phase")),
          hidden("a_host_self_us", tr("Self CPU A")),
          hidden("b_host_self_us", tr("Self CPU B")),
          hidden("count_effect_us", tr("Count effect"), tr("(calls B − calls A) × mean time in A")),
          hidden("speed_effect_us", tr("Speed effect"), tr("calls B × (mean time B − mean time A)")),
          hidden("q", QStringLiteral("q"), tr("False discovery rate; of rows that explain 1 % or more"))};
}

std::vector<ShownColumn> kernels() {
  return {{.source = "kernel_a", .title = tr("Kernel A"), .elideSame = true},
          {.source = "kernel_b", .title = tr("Kernel B"), .elideSame = true},
          plain("operator", tr("Operator")),
          calls("a_calls", tr("Calls A")),
          calls("b_calls", QStringLiteral("B")),
          plain("a_us", tr("Time A"), tr("Sum of durations in a step")),
          plain("b_us", QStringLiteral("B")),
          plain("delta_us", tr("Change")),
          contributes(),
          bars(),
          plain("a_mean_us", tr("Mean A"), tr("Duration of a call")),
          plain("b_mean_us", QStringLiteral("B")),
          matched()};
}

std::vector<ShownColumn> collectives() {
  return {plain("group", tr("Group")),
          plain("operation", tr("Operation")),
          plain("bytes", tr("Bytes")),
          calls("a_calls", tr("Calls A")),
          calls("b_calls", QStringLiteral("B")),
          plain("a_wait_us", tr("Wait A"), tr("For the last rank, in a step")),
          plain("b_wait_us", QStringLiteral("B")),
          plain("a_transfer_us", tr("Transfer A")),
          plain("b_transfer_us", QStringLiteral("B")),
          plain("a_exposed_us", tr("Exposed A"), tr("Not overlapped by compute")),
          plain("b_exposed_us", QStringLiteral("B")),
          plain("delta_exposed_us", tr("Change"), tr("Of the exposed time, B − A")),
          bars(),
          {.source = "a_busbw_gb_s", .title = tr("Bus bandwidth A"), .hide = Hide::AllEmpty},
          {.source = "b_busbw_gb_s", .title = QStringLiteral("B"), .hide = Hide::AllEmpty},
          matched()};
}

std::vector<ShownColumn> ranks() {
  return {plain("rank", tr("Rank")),
          {.source = "b_rank", .title = tr("of B"), .tip = tr("The rank of B that it is compared with")},
          plain("a_step_us", tr("Step A")),
          plain("b_step_us", QStringLiteral("B")),
          plain("delta_us", tr("Change")),
          bars(),
          plain("a_wait_us", tr("Wait A"), tr("In collectives, for other ranks")),
          plain("b_wait_us", QStringLiteral("B")),
          plain("delta_excluding_communication_us", tr("Change excluding communication"),
                tr("Change of the step time without exposed communication"))};
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
  const auto figure = [](const char* source, const QString& title, const QString& tip = {}) {
    return ShownColumn{.source = source, .title = title, .tip = tip, .words = figureText};
  };
  return {plain("table", tr("Table"), tr("The table of the Parallelism tab that has the figure")),
          plain("row", tr("Row")),
          plain("figure", tr("Figure"), tr("Mean over ranks and kept steps")),
          figure("a", QStringLiteral("A")),
          figure("b", QStringLiteral("B")),
          figure("delta", tr("Change"), tr("B − A")),
          plain("delta_pct", tr("Change in %")),
          bars(),
          matched()};
}

std::vector<ShownColumn> findings() {
  return {plain("state", tr("State"),
                tr("new: only in B; gone: only in A; more, less: the possible gain is larger or smaller in "
                   "B, so the problem grew or shrank")),
          plain("title", tr("Finding")),
          plain("kind", tr("Kind")),
          plain("leaf", tr("Cause")),
          plain("rank", tr("Rank")),
          plain("a_gain_low_us", tr("Gain A"), tr("At least, per step")),
          plain("b_gain_low_us", QStringLiteral("B")),
          plain("delta_us", tr("Change"))};
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
