// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/operators/operator_columns.h"

#include "core/analysis/job/recording_advice.h"
#include "ui/base/readable_shapes.h"
#include "ui/base/ui_text.h"
#include "ui/tables/model_parts.h"
#include "ui/tables/rank_columns.h"

#include <QStringList>

#include <algorithm>

namespace rankscope::ui {

namespace {

// Innermost frames first: they distinguish the rows.
QString innermostFirst(const QString& stack) {
  QStringList frames = stack.split(QLatin1Char('\n'));
  std::ranges::reverse(frames);
  return frames.join(QStringLiteral(" ← "));
}

ShownColumn time(const char* source, const QString& title, const QString& tip, bool share = false) {
  return {.source = source,
          .title = title,
          .tip = tip,
          .hide = Hide::AllSame,
          .share = share,
          .footer = Footer::Sum};
}

// Without a sum: what a child took is in its parent's total too.
ShownColumn total(const char* source, const QString& title, const QString& tip) {
  ShownColumn column = time(source, title, tip);
  column.footer = Footer::None;
  return column;
}

} // namespace

std::vector<ShownColumn> operatorColumns() {
  std::vector<ShownColumn> columns{
      {.source = "rank", .title = tr("Rank"), .hide = Hide::AllSame},
      captureColumn(),
      {.source = "operator", .title = tr("Operator"), .elideSame = true},
      {.source = "input_shapes", .title = tr("Input shapes"), .display = readableShapes},
      {.source = "call_stack",
       .title = tr("Call stack"),
       .tip = tr("Innermost frame first"),
       .display = innermostFirst},
      {.source = "source_line",
       .title = tr("Source line"),
       .tip = tr("Innermost source line outside torch"),
       .elideStart = true},
      {.source = "calls", .title = tr("Calls"), .footer = Footer::Sum},
      time("device_self_us", tr("Device self %"),
           tr("Share of the device time of all rows: of what operators launched, not of all device time"),
           true),
      time("device_self_us", tr("Device self"), tr("Device time of kernels launched by the operator itself")),
      total("device_total_us", tr("Device total"), tr("Including kernels launched by child operators")),
      time("host_self_us", tr("Host self %"), tr("Share of the host time of all rows"), true),
      time("host_self_us", tr("Host self"), tr("Host time excluding child operators")),
      total("host_total_us", tr("Host total"),
            tr("Host time including child operators; recursive calls count twice")),
      {.source = "tensor_core_eligible",
       .title = tr("TC eligible"),
       .tip = tr("TC: tensor cores. Whether the operator can use them, judged by its name or its kernels"),
       .hide = Hide::AllSame,
       .words = yesOrNo},
      {.source = "tensor_core_self_pct",
       .title = tr("TC self"),
       .tip = tr("TC: tensor cores. Share of device self time in kernels that use them"),
       .hide = Hide::AllEmpty},
      {.source = "tensor_core_total_pct",
       .title = tr("TC total"),
       .tip = tr("TC: tensor cores. Share of device total time in kernels that use them"),
       .hide = Hide::AllEmpty},
  };
  const auto name = std::ranges::find(columns, std::string("operator"), &ShownColumn::source);
  const std::vector<ShownColumn> parts = modelPartColumns();
  columns.insert(name + 1, parts.begin(), parts.end());
  return columns;
}

std::vector<ShownColumn> compiledColumns() {
  return {
      {.source = "rank", .title = tr("Rank"), .hide = Hide::AllSame},
      captureColumn(),
      {.source = "region",
       .title = tr("Region"),
       .tip = tr("Frame and recompilation of TorchDynamo; what no region launched, lookups of guards and the "
                 "compiler itself in brackets")},
      {.source = "recompilation",
       .title = tr("Recompiled"),
       .tip = tr("How often the frame was compiled again before, because guards failed"),
       .hide = Hide::AllEmpty},
      {.source = "graphs",
       .title = tr("Graphs"),
       .tip = tr("Begins of their hashes"),
       .hide = Hide::AllEmpty},
      {.source = "calls", .title = tr("Calls")},
      {.source = "calls_per_step", .title = tr("Calls/step"), .hide = Hide::AllEmpty},
      {.source = "kernels",
       .title = tr("Kernels"),
       .tip = tr("Device events that it launched"),
       .footer = Footer::Sum},
      {.source = "kernels_per_step", .title = tr("Kernels/step"), .hide = Hide::AllEmpty},
      {.source = "device_us", .title = tr("Device"), .footer = Footer::Sum},
      {.source = "host_us", .title = tr("Host"), .tip = tr("Time of these calls on the host")},
      {.source = "graph_breaks",
       .title = tr("Graph breaks"),
       .tip = tr("Times that a region of another frame followed in the same step after eager operators")},
      {.source = "eager_after",
       .title = tr("Eager operators before the next region"),
       .tip = tr("The most frequent first"),
       .hide = Hide::AllEmpty},
  };
}

QString whyNoOperators(OperatorDetail detail, const TraceSet& traces) {
  const QString stacks = QString::fromStdString(optionFor(Recordable::Stacks, traces));
  switch (detail) {
  case OperatorDetail::None:
    return tr("No operators were recorded: profile with %1.")
        .arg(QString::fromStdString(optionFor(Recordable::Operators, traces)));
  case OperatorDetail::Shapes:
    return tr("No input shapes were recorded: profile with %1.")
        .arg(QString::fromStdString(optionFor(Recordable::Shapes, traces)));
  case OperatorDetail::Stack:
    return tr("No call stacks were recorded: profile with %1.").arg(stacks);
  case OperatorDetail::SourceLine:
    return tr("No source lines were recorded: profile with %1.").arg(stacks);
  case OperatorDetail::Module:
    if (recordedByNsight(traces)) return tr("No modules were recorded: profile with %1.").arg(stacks);
    return tr("No modules were recorded: profile with with_stack=True (TorchScript models: also "
              "with_modules=True).");
  default:
    break;
  }
  const auto grouping = groupingOf(detail);
  return grouping ? whyNoModelParts(*grouping, traces) : QString();
}

} // namespace rankscope::ui
