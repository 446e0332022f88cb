// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/rank_columns.h"

#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"

namespace rankscope::ui {

namespace {

QString fractionText(const Cell& cell) {
  const auto* share = std::get_if<double>(&cell);
  return share != nullptr ? QString::fromStdString(percentText(100 * *share)) : QStringLiteral("–");
}

QString latenessText(const Cell& cell) {
  const auto* late = std::get_if<std::int64_t>(&cell);
  return late != nullptr ? QString::fromStdString(signedDurationText(*late)) : QStringLiteral("–");
}

// A deviation of a twentieth marks a straggler.
QString twoDecimals(const Cell& cell) {
  const auto* ratio = std::get_if<double>(&cell);
  return ratio != nullptr ? QString::number(*ratio, 'f', 2) : QStringLiteral("–");
}

// Without a recorded device, its times are all 0 and meaningless.
constexpr const char* kDeviceTime = "gpu_span_us";

std::vector<ShownColumn> rankAndTimeColumns() {
  return {
      {.source = "rank", .title = tr("Rank")},
      captureColumn(),
      {.source = "host", .title = tr("Host"), .hide = Hide::AllEmpty},
      {.source = "gpu", .title = tr("GPU"), .hide = Hide::AllEmpty},
      {.source = "step_mean_us",
       .title = tr("Mean step"),
       .tip = tr("Mean time of the kept steps, including their device work"),
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
       .tip =
           tr("Share of communication time overlapped by compute, of all that was recorded; the Overview has "
              "that of the kept steps"),
       .hide = Hide::AllEmpty},
      {.source = "exposed_communication_us",
       .title = tr("Exposed"),
       .tip = tr("Communication not overlapped by compute"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime},
  };
}

// Who waits for whom.
std::vector<ShownColumn> lateColumns() {
  return {
      {.source = "wait_us",
       .title = tr("Wait"),
       .tip = tr("Sum of the time in collectives until the last rank began"),
       .hide = Hide::AllEmpty},
      {.source = "transfer_us",
       .title = tr("Transfer"),
       .tip = tr("Sum of the time in collectives after the last rank began"),
       .hide = Hide::AllEmpty},
      {.source = "last_arrivals",
       .title = tr("Last to arrive"),
       .tip = tr("Share of its collectives in which this rank arrived last, in percent"),
       .hide = Hide::AllEmpty,
       .words = fractionText},
      {.source = "lateness_mean_us",
       .title = tr("Lateness"),
       .tip = tr("Mean time between the first rank's arrival and this rank's"),
       .hide = Hide::AllEmpty,
       .words = latenessText},
      {.source = "z_score",
       .title = tr("z-score"),
       .tip = tr("Step time excluding communication: standard deviations above the mean of the ranks"),
       .hide = Hide::AllEmpty,
       .words = twoDecimals},
      {.source = "slowdown",
       .title = tr("Slowdown"),
       .tip = tr("Step time excluding communication, relative to the median rank"),
       .hide = Hide::AllEmpty,
       .words = twoDecimals},
  };
}

std::vector<ShownColumn> deviceColumns() {
  return {
      {.source = "idle_us",
       .title = tr("Idle"),
       .tip = tr("Time with nothing running on the GPU. In total: from its first to its last activity, also "
                 "between steps, so it is no complement of GPU utilization. Per step: in the kept steps"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime},
      {.source = "gpu_utilization_pct",
       .title = tr("GPU utilization"),
       .tip = tr("Share of the time of the kept steps with a kernel running; without steps, of the GPU span. "
                 "Idle in total is of the GPU span, so the two need not add up"),
       .hide = Hide::AllEmpty},
      {.source = "peak_allocated_bytes",
       .title = tr("Peak allocated"),
       .tip = tr("Maximum memory allocated on its GPU; on the CPU for a rank without one"),
       .hide = Hide::AllEmpty},
  };
}

// Shown when they are asked for, as the next ones.
std::vector<ShownColumn> moreTimeColumns() {
  return {
      {.source = "straggler",
       .title = tr("Straggler"),
       .tip = tr("Whether other ranks wait for this rank"),
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
       .tip = tr("Time with any activity on the GPU"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime,
       .hidden = true},
      {.source = "overlap_us",
       .title = tr("Overlapped"),
       .tip = tr("Communication overlapped by compute"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime,
       .hidden = true},
      {.source = "memory_us",
       .title = tr("Memory"),
       .tip = tr("Time with a memcpy or memset running"),
       .hide = Hide::AllEmpty,
       .needs = kDeviceTime,
       .hidden = true},
  };
}

std::vector<ShownColumn> moreColumns() {
  return {
      {.source = "sm_efficiency_pct",
       .title = tr("SM efficiency"),
       .tip = tr("Estimated share of multiprocessors in use"),
       .hide = Hide::AllEmpty,
       .hidden = true},
      {.source = "occupancy_pct",
       .title = tr("Occupancy"),
       .tip = tr("Estimated achieved occupancy of the kernels"),
       .hide = Hide::AllEmpty,
       .hidden = true},
      {.source = "peak_reserved_bytes",
       .title = tr("Peak reserved"),
       .tip = tr("Maximum memory reserved"),
       .hide = Hide::AllEmpty,
       .hidden = true},
      {.source = "collectives",
       .title = tr("Collectives"),
       .tip = tr("Collectives matched on other ranks"),
       .hidden = true},
      {.source = "clock_offset_us",
       .title = tr("Clock offset"),
       .tip = tr("Clock offset relative to the first rank; corrected in the timeline"),
       .hide = Hide::AllSame},
      {.source = "clock_residual_us",
       .title = tr("Clock error"),
       .tip = tr("Clock difference that remains after the correction: 95 % of the rank's blocking "
                 "collectives end within this time of the median rank"),
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

} // namespace

ShownColumn captureColumn() {
  return {.source = "capture",
          .title = tr("Capture"),
          .tip = tr("Profiling cycle of the rank, in order of time"),
          .hide = Hide::AllSame};
}

std::vector<ShownColumn> rankColumns() {
  std::vector<ShownColumn> columns = rankAndTimeColumns();
  for (const auto& more : {lateColumns(), deviceColumns(), moreTimeColumns(), moreColumns()})
    columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

} // namespace rankscope::ui
