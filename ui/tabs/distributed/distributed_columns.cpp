// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/distributed/distributed_columns.h"

#include "ui/tables/rank_columns.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Distributed", text);
}

} // namespace

std::vector<ShownColumn> collectiveColumns() {
  return {
      {.source = "rank", .title = tr("Rank")},
      captureColumn(),
      {.source = "operation", .title = tr("Operation")},
      {.source = "group",
       .title = tr("Group"),
       .tip = tr("Process group; those of one name are taken together")},
      {.source = "group_size",
       .title = tr("Group size"),
       .tip = tr("Ranks of a group"),
       .hide = Hide::AllEmpty},
      {.source = "ranks", .title = tr("Ranks"), .tip = tr("Recorded ranks that take part")},
      {.source = "calls", .title = tr("Calls")},
      {.source = "bytes", .title = tr("Total size"), .hide = Hide::AllEmpty},
      {.source = "mean_bytes", .title = tr("Mean size"), .hide = Hide::AllEmpty},
      {.source = "total_us",
       .title = tr("Total"),
       .tip = tr("Sum of the calls' durations; of all ranks together the mean of a rank")},
      {.source = "wait_us",
       .title = tr("Wait"),
       .tip = tr("Until the last rank began; of all ranks together the mean of a rank"),
       .hide = Hide::AllEmpty},
      {.source = "transfer_us",
       .title = tr("Transfer"),
       .tip = tr("From when the last rank began; of all ranks together the mean of a rank"),
       .hide = Hide::AllEmpty},
      {.source = "exposed_us",
       .title = tr("Exposed"),
       .tip = tr("With no compute beside it; of all ranks together the mean of a rank"),
       .hide = Hide::AllEmpty},
      {.source = "overlap_pct",
       .title = tr("Overlap"),
       .tip = tr("Part of the total with compute beside it"),
       .hide = Hide::AllEmpty},
      {.source = "algbw_gb_s",
       .title = tr("algbw"),
       .tip = tr("Size by transfer time, over matched calls"),
       .hide = Hide::AllEmpty},
      {.source = "busbw_gb_s",
       .title = tr("busbw"),
       .tip = tr("algbw times what the operation sends over the wires (nccl-tests)"),
       .hide = Hide::AllEmpty},
      {.source = "latency_us",
       .title = tr("α"),
       .tip = tr("Latency: transfer time = α + size / β, by least squares over calls of different sizes"),
       .hide = Hide::AllEmpty},
      {.source = "bandwidth_gb_s",
       .title = tr("β"),
       .tip = tr("Bandwidth: transfer time = α + size / β, by least squares over calls of different sizes"),
       .hide = Hide::AllEmpty},
      {.source = "fit_r2",
       .title = tr("R²"),
       .tip = tr("Part of the differences between transfer times that α and β explain"),
       .hide = Hide::AllEmpty,
       .hidden = true},
  };
}

std::vector<ShownColumn> groupColumns() {
  return {
      {.source = "name", .title = tr("Name")},
      {.source = "description", .title = tr("Description"), .hide = Hide::AllEmpty},
      {.source = "dimension",
       .title = tr("Along"),
       .tip = tr("What the group divides the job along: data, tensor, pipeline, expert or context"),
       .hide = Hide::AllEmpty},
      {.source = "capture",
       .title = tr("Capture"),
       .tip = tr("Profiling cycle, in order of time"),
       .hide = Hide::AllSame},
      {.source = "group_size", .title = tr("Size"), .hide = Hide::AllEmpty},
      {.source = "ranks", .title = tr("Ranks"), .hide = Hide::AllEmpty},
      {.source = "backend", .title = tr("Back end"), .hide = Hide::AllEmpty},
      {.source = "collectives", .title = tr("Collectives")},
      {.source = "bytes", .title = tr("Total size"), .hide = Hide::AllEmpty},
      {.source = "wait_us",
       .title = tr("Wait"),
       .tip = tr("Mean of a rank of the group"),
       .hide = Hide::AllEmpty},
  };
}

} // namespace rankscope::ui
