// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/kernels/kernel_columns.h"

#include "ui/base/readable_kernel.h"
#include "ui/base/ui_text.h"
#include "ui/tables/model_parts.h"
#include "ui/tables/rank_columns.h"

#include <algorithm>
#include <string>

namespace rankscope::ui {

namespace {

// "[264, 1, 1] · [128, 1, 1]" as "264×1×1 · 128×1×1".
QString shortShape(const QString& shape) {
  QString text = shape;
  text.remove(QLatin1Char('[')).remove(QLatin1Char(']'));
  return text.replace(QStringLiteral(", "), QStringLiteral("×"));
}

} // namespace

std::vector<ShownColumn> kernelColumns() {
  std::vector<ShownColumn> columns{
      {.source = "rank", .title = tr("Rank"), .hide = Hide::AllSame},
      captureColumn(),
      {.source = "kernel", .title = tr("Kernel"), .elideSame = true, .display = readableKernel},
      {.source = "operator",
       .title = tr("Operator"),
       .tip = tr("Innermost operator that launched the kernel"),
       .elideSame = true},
      {.source = "grid_block",
       .title = tr("Grid · block"),
       .tip = tr("Grid and block size of the launch"),
       .display = shortShape},
      {.source = "kind",
       .title = tr("Category"),
       .tip = tr("compute (GEMM and convolution too), communication, or memory (memcpy, memset)")},
      {.source = "calls", .title = tr("Calls"), .footer = Footer::Sum},
      {.source = "total_us",
       .title = tr("Share"),
       .tip = tr("Share of the device time of all rows, summed over streams"),
       .share = true,
       .footer = Footer::Sum},
      {.source = "total_us", .title = tr("Total"), .tip = tr("Sum of call durations"), .footer = Footer::Sum},
      {.source = "mean_us", .title = tr("Mean")},
      {.source = "min_us", .title = tr("Min")},
      {.source = "max_us", .title = tr("Max")},
      {.source = "stddev_us", .title = tr("Std dev"), .tip = tr("Standard deviation of call durations")},
      {.source = "blocks_per_sm",
       .title = tr("Blocks/SM"),
       .tip = tr("Mean over calls, weighted by duration"),
       .hide = Hide::AllEmpty},
      {.source = "occupancy_pct",
       .title = tr("Occup."),
       .tip = tr("Mean estimated achieved occupancy, weighted by duration"),
       .hide = Hide::AllEmpty},
      {.source = "tensor_cores",
       .title = tr("TC"),
       .tip =
           tr("TC: whether the kernel uses tensor cores, judged by its name; empty for a GEMM, convolution "
              "or attention whose name does not tell"),
       .hide = Hide::AllEmpty,
       .words = yesOrNo},
  };
  const auto name = std::ranges::find(columns, std::string("kernel"), &ShownColumn::source);
  const std::vector<ShownColumn> parts = modelPartColumns();
  columns.insert(name + 1, parts.begin(), parts.end());
  return columns;
}

} // namespace rankscope::ui
