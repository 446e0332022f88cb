// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/distributed/distributed_columns.h"

#include "ui/base/ui_text.h"
#include "ui/tables/model_parts.h"
#include "ui/tables/rank_columns.h"

namespace rankscope::ui {

std::vector<ShownColumn> collectiveColumns() {
  std::vector<ShownColumn> columns{
      {.source = "rank", .title = tr("Rank")},
      captureColumn(),
      {.source = "operation", .title = tr("Operation")},
      {.source = "group",
       .title = tr("Group"),
       .tip = tr("Process group; groups of the same name are combined")},
      {.source = "group_size",
       .title = tr("Group size"),
       .tip = tr("Number of ranks in the group"),
       .hide = Hide::AllEmpty},
      {.source = "ranks", .title = tr("Ranks"), .tip = tr("Recorded ranks that participate")},
      {.source = "calls", .title = tr("Calls"), .tip = tr("Of the job, or of the row's rank")},
      {.source = "bytes", .title = tr("Total size"), .hide = Hide::AllEmpty},
      {.source = "mean_bytes", .title = tr("Mean size"), .hide = Hide::AllEmpty},
      {.source = "total_us",
       .title = tr("Total"),
       .tip = tr("Sum of call durations: mean over ranks, or of the row's rank")},
      {.source = "wait_us",
       .title = tr("Wait"),
       .tip = tr("Time until the last rank began: mean over ranks, or of the row's rank"),
       .hide = Hide::AllEmpty},
      {.source = "transfer_us",
       .title = tr("Transfer"),
       .tip = tr("Time after the last rank began: mean over ranks, or of the row's rank"),
       .hide = Hide::AllEmpty},
      {.source = "exposed_us",
       .title = tr("Exposed"),
       .tip = tr("Time not overlapped by compute: mean over ranks, or of the row's rank"),
       .hide = Hide::AllEmpty},
      {.source = "overlap_pct",
       .title = tr("Overlap"),
       .tip = tr("Share of the total overlapped by compute"),
       .hide = Hide::AllEmpty},
      {.source = "algbw_gb_s",
       .title = tr("algbw"),
       .tip = tr("Algorithm bandwidth: size / transfer time, over matched calls"),
       .hide = Hide::AllEmpty},
      {.source = "busbw_gb_s",
       .title = tr("busbw"),
       .tip = tr("Bus bandwidth: algbw times the operation's factor of nccl-tests"),
       .hide = Hide::AllEmpty},
      {.source = "latency_us",
       .title = tr("α"),
       .tip = tr("Latency: transfer time = α + size / β, least-squares fit over call sizes"),
       .hide = Hide::AllEmpty},
      {.source = "bandwidth_gb_s",
       .title = tr("β"),
       .tip = tr("Bandwidth: transfer time = α + size / β, least-squares fit over call sizes"),
       .hide = Hide::AllEmpty},
      {.source = "fit_r2",
       .title = tr("R²"),
       .tip = tr("Coefficient of determination of the α, β fit"),
       .hide = Hide::AllEmpty,
       .hidden = true},
  };
  const std::vector<ShownColumn> parts = modelPartColumns();
  columns.insert(columns.begin() + 2, parts.begin(), parts.end());
  return columns;
}

std::vector<ShownColumn> groupColumns() {
  return {
      {.source = "name", .title = tr("Name")},
      {.source = "description", .title = tr("Description"), .hide = Hide::AllEmpty},
      {.source = "dimension",
       .title = tr("Parallelism"),
       .tip = tr("Parallelism of the group: data, tensor, pipeline, expert or context"),
       .hide = Hide::AllEmpty},
      {.source = "group_size", .title = tr("Size"), .hide = Hide::AllEmpty},
      {.source = "ranks",
       .title = tr("Ranks"),
       .tip = tr("Ranks that are members of the group"),
       .hide = Hide::AllEmpty},
      {.source = "backend", .title = tr("Backend"), .hide = Hide::AllEmpty},
      {.source = "collectives", .title = tr("Collectives")},
      {.source = "bytes", .title = tr("Total size"), .hide = Hide::AllEmpty},
      {.source = "wait_us",
       .title = tr("Wait"),
       .tip = tr("Mean per rank of the group"),
       .hide = Hide::AllEmpty},
  };
}

} // namespace rankscope::ui
