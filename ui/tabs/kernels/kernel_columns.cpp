// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/kernels/kernel_columns.h"

#include "ui/base/readable_kernel.h"
#include "ui/tables/rank_columns.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("KernelColumns", text);
}

// "[264, 1, 1] · [128, 1, 1]" as "264×1×1 · 128×1×1".
QString shortShape(const QString& shape) {
  QString text = shape;
  text.remove(QLatin1Char('[')).remove(QLatin1Char(']'));
  return text.replace(QStringLiteral(", "), QStringLiteral("×"));
}

} // namespace

std::vector<ShownColumn> kernelColumns() {
  return {
      {.source = "rank", .title = tr("Rank"), .hide = Hide::AllSame},
      captureColumn(),
      {.source = "kernel", .title = tr("Kernel"), .display = readableKernel},
      {.source = "operator",
       .title = tr("Operator"),
       .tip = tr("The innermost operator that was open when the kernel was launched")},
      {.source = "grid_block",
       .title = tr("Grid · block"),
       .tip = tr("How many blocks of how many threads it was launched with"),
       .display = shortShape},
      {.source = "kind",
       .title = tr("Kind"),
       .tip = tr("compute, communication between devices, or memory copies and sets")},
      {.source = "calls", .title = tr("Calls"), .footer = Footer::Sum},
      {.source = "total_us",
       .title = tr("Share"),
       .tip = tr("Part of the device time of all rows; times are summed over streams"),
       .share = true,
       .footer = Footer::Sum},
      {.source = "total_us",
       .title = tr("Total"),
       .tip = tr("Sum of the calls' durations"),
       .footer = Footer::Sum},
      {.source = "mean_us", .title = tr("Mean")},
      {.source = "min_us", .title = tr("Min")},
      {.source = "max_us", .title = tr("Max")},
      {.source = "stddev_us", .title = tr("Spread"), .tip = tr("Standard deviation of the calls' durations")},
      {.source = "blocks_per_sm",
       .title = tr("Blocks/SM"),
       .tip = tr("Mean over the calls, weighted by duration"),
       .hide = Hide::AllEmpty},
      {.source = "occupancy_pct",
       .title = tr("Occup."),
       .tip = tr("Mean estimated achieved occupancy, weighted by duration"),
       .hide = Hide::AllEmpty},
      {.source = "tensor_cores",
       .title = tr("TC"),
       .tip = tr("Whether the kernel uses tensor cores, as far as its name tells"),
       .hide = Hide::AllEmpty,
       .words = yesOrNo},
  };
}

} // namespace rankscope::ui
