// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/rank_columns.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("RankColumns", text);
}

} // namespace

std::vector<ShownColumn> rankColumns() {
  return {
      {.source = "rank", .title = tr("Rank")},
      {.source = "capture",
       .title = tr("Capture"),
       .tip = tr("Profiling cycle of the rank, in order of time"),
       .hide = Hide::AllSame},
      {.source = "host", .title = tr("Host"), .hide = Hide::AllEmpty},
      {.source = "gpu", .title = tr("GPU"), .hide = Hide::AllEmpty},
      {.source = "clock_offset_us",
       .title = tr("Clock"),
       .tip = tr("How far the rank's clock is ahead of the first rank's; corrected in the timeline"),
       .hide = Hide::AllSame},
      {.source = "clock_residual_us",
       .title = tr("Clock within"),
       .tip = tr("95 % of its ends of blocking collectives lie within this of the median rank's"),
       .hide = Hide::AllEmpty},
      {.source = "world_size",
       .title = tr("World"),
       .tip = tr("Ranks of the whole job, as recorded"),
       .hide = Hide::AllEmpty},
      {.source = "steps", .title = tr("Steps")},
      {.source = "events", .title = tr("Events")},
      {.source = "step_mean_us",
       .title = tr("Step"),
       .tip = tr("Mean duration of the steps, with their device work"),
       .hide = Hide::AllEmpty},
      {.source = "gpu_span_us",
       .title = tr("GPU span"),
       .tip = tr("From the first to the last device activity"),
       .hide = Hide::AllEmpty},
      {.source = "compute_us",
       .title = tr("Compute"),
       .tip = tr("Time with a kernel running, over all streams"),
       .hide = Hide::AllEmpty},
      {.source = "communication_us",
       .title = tr("Comm"),
       .tip = tr("Time with a collective running"),
       .hide = Hide::AllEmpty},
      {.source = "overlap_pct",
       .title = tr("Overlap"),
       .tip = tr("Part of the communication that runs beside compute"),
       .hide = Hide::AllEmpty},
      {.source = "exposed_communication_us",
       .title = tr("Exposed"),
       .tip = tr("Communication with no compute beside it"),
       .hide = Hide::AllEmpty},
      {.source = "memory_us",
       .title = tr("Memory"),
       .tip = tr("Time with a copy or set running"),
       .hide = Hide::AllEmpty},
      {.source = "idle_us",
       .title = tr("Idle"),
       .tip = tr("GPU span in which nothing ran"),
       .hide = Hide::AllEmpty},
      {.source = "wait_us",
       .title = tr("Wait"),
       .tip = tr("Time in collectives until the last rank began, summed"),
       .hide = Hide::AllEmpty},
      {.source = "slowdown",
       .title = tr("Slowdown"),
       .tip = tr("Own time of the steps, without waiting, against the median rank"),
       .hide = Hide::AllEmpty},
  };
}

} // namespace rankscope::ui
