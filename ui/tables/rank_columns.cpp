// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/rank_columns.h"

#include "core/base/unit_text.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("RankColumns", text);
}

QString fractionText(const Cell& cell) {
  const auto* share = std::get_if<double>(&cell);
  return share != nullptr ? QString::fromStdString(percentText(100 * *share)) : QStringLiteral("–");
}

QString latenessText(const Cell& cell) {
  const auto* late = std::get_if<std::int64_t>(&cell);
  return late != nullptr ? QString::fromStdString(signedDurationText(*late)) : QStringLiteral("–");
}

// A twentieth decides about a straggler.
QString twoDecimals(const Cell& cell) {
  const auto* ratio = std::get_if<double>(&cell);
  return ratio != nullptr ? QString::number(*ratio, 'f', 2) : QStringLiteral("–");
}

// Where no device was recorded, its times are all 0 and say nothing.
constexpr const char* kDeviceTime = "gpu_span_us";

} // namespace

ShownColumn captureColumn() {
  return {.source = "capture",
          .title = tr("Capture"),
          .tip = tr("Profiling cycle of the rank, in order of time"),
          .hide = Hide::AllSame};
}

std::vector<ShownColumn> rankColumns() {
  return {
      {.source = "rank", .title = tr("Rank")},
      captureColumn(),
      {.source = "host", .title = tr("Host"), .hide = Hide::AllEmpty},
      {.source = "gpu", .title = tr("GPU"), .hide = Hide::AllEmpty},
      {.source = "step_mean_us",
       .title = tr("Step"),
       .tip = tr("Mean duration of the steps, with their device work"),
       .hide = Hide::AllEmpty},
      {.source = "compute_us",
       .title = tr("Compute"),
       .tip = tr("Time with a kernel running, over all streams"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime},
      {.source = "communication_us",
       .title = tr("Comm"),
       .tip = tr("Time with a collective running"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime},
      {.source = "overlap_pct",
       .title = tr("Overlap"),
       .tip = tr("Part of the communication that runs beside compute"),
       .hide = Hide::AllEmpty},
      {.source = "exposed_communication_us",
       .title = tr("Exposed"),
       .tip = tr("Communication with no compute beside it"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime},
      {.source = "wait_us",
       .title = tr("Wait"),
       .tip = tr("Time in collectives until the last rank began, summed"),
       .hide = Hide::AllEmpty},
      {.source = "transfer_us",
       .title = tr("Transfer"),
       .tip = tr("Time in collectives from when the last rank began, summed"),
       .hide = Hide::AllEmpty},
      {.source = "last_arrivals",
       .title = tr("Last to arrive"),
       .tip = tr("Part of its collectives in which it began last"),
       .hide = Hide::AllEmpty,
       .words = fractionText},
      {.source = "lateness_mean_us",
       .title = tr("Lateness"),
       .tip = tr("How long after the first rank it begins a collective, on average"),
       .hide = Hide::AllEmpty,
       .words = latenessText},
      {.source = "z_score",
       .title = tr("z-score"),
       .tip = tr("Own time of a step: how many standard deviations over the mean of the ranks"),
       .hide = Hide::AllEmpty,
       .words = twoDecimals},
      {.source = "slowdown",
       .title = tr("Slowdown"),
       .tip = tr("Own time of the steps, without waiting, against the median rank"),
       .hide = Hide::AllEmpty,
       .words = twoDecimals},
      {.source = "idle_us",
       .title = tr("Idle"),
       .tip = tr("GPU span in which nothing ran"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime},
      {.source = "gpu_utilization_pct",
       .title = tr("GPU busy"),
       .tip = tr("Part of the steps in which a kernel runs"),
       .hide = Hide::AllEmpty},
      {.source = "peak_allocated_bytes",
       .title = tr("Peak allocated"),
       .tip = tr("The most memory that was allocated at a time"),
       .hide = Hide::AllEmpty},
      {.source = "straggler",
       .title = tr("Straggler"),
       .tip = tr("Whether it makes the others wait"),
       .hide = Hide::AllEmpty,
       .hidden = true,
       .words = yesOrNo},
      {.source = "gpu_span_us",
       .title = tr("GPU span"),
       .tip = tr("From the first to the last device activity"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime,
       .hidden = true},
      {.source = "gpu_busy_us",
       .title = tr("GPU time"),
       .tip = tr("Time with anything running on the GPU"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime,
       .hidden = true},
      {.source = "overlap_us",
       .title = tr("Overlapped"),
       .tip = tr("Communication that runs beside compute"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime,
       .hidden = true},
      {.source = "memory_us",
       .title = tr("Memory"),
       .tip = tr("Time with a copy or set running"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime,
       .hidden = true},
      {.source = "sm_efficiency_pct",
       .title = tr("SM efficiency"),
       .tip = tr("Estimated part of the multiprocessors that have work"),
       .hide = Hide::AllEmpty,
       .hidden = true},
      {.source = "occupancy_pct",
       .title = tr("Occupancy"),
       .tip = tr("Estimated achieved occupancy of the kernels"),
       .hide = Hide::AllEmpty,
       .hidden = true},
      {.source = "peak_reserved_bytes",
       .title = tr("Peak reserved"),
       .tip = tr("The most memory that was reserved at a time"),
       .hide = Hide::AllEmpty,
       .hidden = true},
      {.source = "collectives",
       .title = tr("Collectives"),
       .tip = tr("Those that were found on other ranks too"),
       .hidden = true},
      {.source = "clock_offset_us",
       .title = tr("Clock"),
       .tip = tr("How far the rank's clock is ahead of the first rank's; corrected in the timeline"),
       .hide = Hide::AllSame},
      {.source = "clock_residual_us",
       .title = tr("Clock within"),
       .tip = tr("95 % of its ends of blocking collectives lie within this of the median rank's"),
       .hide = Hide::AllEmpty,
       .hidden = true},
      {.source = "world_size",
       .title = tr("World"),
       .tip = tr("Ranks of the whole job, as recorded"),
       .hide = Hide::AllEmpty,
       .hidden = true},
      {.source = "steps", .title = tr("Steps"), .hidden = true},
      {.source = "events", .title = tr("Events"), .hidden = true},
  };
}

} // namespace rankscope::ui
