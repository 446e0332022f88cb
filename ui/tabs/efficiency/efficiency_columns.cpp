// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/efficiency/efficiency_columns.h"

#include "core/base/unit_text.h"
#include "ui/base/readable_shapes.h"
#include "ui/base/ui_text.h"
#include "ui/tabs/efficiency/flop_text.h"

#include <cmath>

namespace rankscope::ui {

namespace {

QString tenths(const Cell& cell) {
  const auto* const number = std::get_if<double>(&cell);
  return number == nullptr ? QStringLiteral("–") : QString::number(*number, 'f', 1);
}

QString whole(const Cell& cell) {
  const auto* const number = std::get_if<double>(&cell);
  return number == nullptr ? QStringLiteral("–") : QString::number(*number, 'f', *number < 10 ? 1 : 0);
}

QString scaledFlops(const Cell& cell) {
  const auto* const number = std::get_if<std::int64_t>(&cell);
  return number == nullptr ? QStringLiteral("–") : flopText(static_cast<double>(*number));
}

// Three digits of what is below 1.
QString teraflopRate(const Cell& cell) {
  const auto* const number = std::get_if<double>(&cell);
  if (number == nullptr) return QStringLiteral("–");
  return *number > 0 && *number < 1 ? QString::number(*number, 'g', 3) : QString::number(*number, 'f', 1);
}

QString answerText(const Cell& cell) {
  const auto* const text = std::get_if<std::string_view>(&cell);
  if (text == nullptr || *text == "unknown") return tr("unknown");
  return *text == "ok" ? tr("✓ ok") : tr("! check");
}

QString perSecond(const Cell& cell) {
  const auto* const number = std::get_if<double>(&cell);
  return number == nullptr ? QStringLiteral("–") : QString::fromStdString(groupedText(std::llround(*number)));
}

} // namespace

std::vector<ShownColumn> pointColumns() {
  return {
      {.source = "module",
       .title = tr("Module"),
       .tip = tr("Class of the module and of the one around it; all layers together"),
       .hide = Hide::AllEmpty},
      {.source = "pass",
       .title = tr("Pass"),
       .tip = tr("backward belongs to the module of its forward operator"),
       .hide = Hide::AllEmpty},
      {.source = "operator", .title = tr("Operator")},
      {.source = "shapes",
       .title = tr("M × N × K or shapes"),
       .tip = tr("Of a batch: its size, then the product"),
       .display = readableShapes},
      {.source = "dtype",
       .title = tr("Type"),
       .tip = tr("Number format of the first matrix; tf32 by the kernel's name")},
      {.source = "calls",
       .title = tr("Calls"),
       .tip = tr("On all ranks in all steps"),
       .footer = Footer::Sum},
      {.source = "device_us",
       .title = tr("Time"),
       .tip = tr("Of its kernels, on all ranks in all steps"),
       .footer = Footer::Sum},
      {.source = "flops",
       .title = tr("FLOPs"),
       .tip = tr("Floating-point operations of all its calls; a multiply-add counts as two"),
       .words = scaledFlops},
      {.source = "tflops",
       .title = tr("TFLOP/s"),
       .tip = tr(
           "Executed operations over the time of its kernels. A convolution by Winograd or FFT computes less "
           "than counted, and may exceed the peak"),
       .words = teraflopRate},
      {.source = "peak_pct",
       .title = tr("% of peak"),
       .tip = tr("TFLOP/s over the peak of its number format. Above 100 %: see What would help"),
       .share = true},
      {.source = "intensity",
       .title = tr("FLOP/B"),
       .tip = tr("Operations per byte of least traffic"),
       .words = whole},
      {.source = "bound",
       .title = tr("Bound"),
       .tip = tr("The lower roof: memory or compute; both near the ridge")},
      {.source = "efficiency_pct",
       .title = tr("% of roofline"),
       .tip = tr("TFLOP/s as a share of the lower roof"),
       .hidden = true},
      {.source = "lost_us",
       .title = tr("Lost"),
       .tip = tr("Time beyond what the lower roof needs; 0 above the roof"),
       .footer = Footer::Sum},
      {.source = "tile",
       .title = tr("Tile"),
       .tip = tr("Of the longest kernel, by its name"),
       .hide = Hide::AllEmpty},
      {.source = "waves",
       .title = tr("Waves"),
       .tip = tr("Tiles of the result over the multiprocessors"),
       .hide = Hide::AllEmpty,
       .words = tenths},
      {.source = "advice", .title = tr("What would help"), .hide = Hide::AllEmpty},
      {.source = "tier",
       .title = tr("Source"),
       .tip = tr("What the FLOPs were made from; empty: not known"),
       .hide = Hide::AllSame},
  };
}

std::vector<ShownColumn> checkColumns() {
  return {
      {.source = "answer",
       .title = tr("Result"),
       .tip = tr("ok: not a cause of a low MFU; check: likely a cause"),
       .words = answerText},
      {.source = "check", .title = tr("Check"), .tip = tr("A usual cause of a low MFU")},
      {.source = "measured", .title = tr("Measured"), .tip = tr("What the recording says about it")},
      {.source = "time_us",
       .title = tr("Time"),
       .tip = tr("Of a step, as the mean over ranks and kept steps")},
      {.source = "finding",
       .title = tr("Finding"),
       .tip = tr("The finding of this cause; double-click to open it"),
       .hide = Hide::AllEmpty},
      {.source = "rule",
       .title = tr("Threshold and fix"),
       .tip = tr("When the check fails, and what helps then"),
       .hidden = true},
  };
}

std::vector<ShownColumn> iterationColumns() {
  return {
      {.source = "group",
       .title = tr("Phase"),
       .tip = tr(
           "By the label of the engine; without one by the rows of GEMMs, the attention kernel and graphs")},
      {.source = "iterations",
       .title = tr("Iterations"),
       .tip = tr("Figures of a row are medians over its iterations"),
       .hide = Hide::AllSame,
       .footer = Footer::Sum},
      {.source = "requests", .title = tr("Requests"), .tip = tr("In the batch"), .hide = Hide::AllEmpty},
      {.source = "tokens",
       .title = tr("Tokens"),
       .tip = tr("New tokens of an iteration"),
       .hide = Hide::AllEmpty},
      {.source = "context_tokens",
       .title = tr("Context"),
       .tip = tr("Keys and values that attention reads, over all requests"),
       .hide = Hide::AllEmpty},
      {.source = "tokens_s",
       .title = tr("Tokens/s"),
       .tip = tr("Tokens over the time of the iterations"),
       .hide = Hide::AllEmpty,
       .words = perSecond},
      {.source = "duration_us",
       .title = tr("Duration"),
       .tip = tr("From the begin on the host to the end of its device work")},
      {.source = "device_us", .title = tr("Device"), .tip = tr("Time with something running on the device")},
      {.source = "gap_before_us",
       .title = tr("Gap before"),
       .tip = tr("Idle device since the iteration before"),
       .hide = Hide::AllEmpty},
      {.source = "gap_leaf",
       .title = tr("Cause of the gap"),
       .tip = tr("What most of it is in the account of Gains"),
       .hide = Hide::AllEmpty},
      {.source = "tpot_us",
       .title = tr("Per token"),
       .tip = tr("Time per output token, from the end of the iteration before"),
       .hide = Hide::AllEmpty},
      {.source = "launches",
       .title = tr("Launches"),
       .tip = tr("Calls that launched kernels; a CUDA graph is one")},
      {.source = "tflops",
       .title = tr("TFLOP/s"),
       .tip = tr("Over its device time; empty if less than 70 % of the kernels' time has FLOPs"),
       .hide = Hide::AllEmpty,
       .words = tenths},
      {.source = "gb_s",
       .title = tr("GB/s"),
       .tip = tr("Least traffic over device time"),
       .hide = Hide::AllEmpty},
      {.source = "bandwidth_pct",
       .title = tr("% of bandwidth"),
       .tip = tr("Of the memory's peak: the limit of decode"),
       .hide = Hide::AllEmpty,
       .share = true},
  };
}

} // namespace rankscope::ui
