// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/parallelism/parallelism_columns.h"

#include "ui/base/ui_text.h"

namespace rankscope::ui {

namespace {

std::vector<ShownColumn> withRank(std::vector<ShownColumn> columns) {
  std::vector<ShownColumn> all{
      {.source = "rank", .title = tr("Rank")},
      {.source = "capture", .title = tr("Capture"), .tip = tr("Profiling cycle"), .hide = Hide::AllSame},
      {.source = "step", .title = tr("Step"), .tip = tr("N of ProfilerStep#N"), .hide = Hide::AllEmpty}};
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

ShownColumn time(const char* source, const QString& title, const QString& tip) {
  return {.source = source, .title = title, .tip = tip, .footer = Footer::Sum};
}

std::vector<ShownColumn> groupColumns() {
  return {{.source = "group", .title = tr("Group"), .tip = tr("Description or name of the process group")},
          {.source = "dimension", .title = tr("Dimension")},
          {.source = "size", .title = tr("Size"), .tip = tr("Ranks of the group")},
          {.source = "ranks", .title = tr("Ranks"), .tip = tr("Members of the group")},
          {.source = "stride",
           .title = tr("Stride"),
           .tip = tr("Distance of the members"),
           .hide = Hide::AllEmpty},
          {.source = "confidence",
           .title = tr("Source"),
           .tip = tr(
               "named: name of the group. pattern: labels around its calls, or traffic. guess: ranks that no "
               "other dimension explains")},
          {.source = "evidence", .title = tr("Evidence"), .tip = tr("What the dimension was recognized by")}};
}

std::vector<ShownColumn> bucketColumns() {
  return withRank({{.source = "bucket", .title = tr("Bucket"), .tip = tr("In the order of launches")},
                   {.source = "elements", .title = tr("Elements"), .tip = tr("Gradients in the bucket")},
                   {.source = "bytes", .title = tr("Size"), .footer = Footer::Sum},
                   {.source = "dtype",
                    .title = tr("Type"),
                    .tip = tr("Number format that was sent"),
                    .hide = Hide::AllSame},
                   {.source = "ready_us",
                    .title = tr("Ready"),
                    .tip = tr("From the begin of the backward pass to the last copy into the bucket")},
                   {.source = "begin_us", .title = tr("Begin"), .hidden = true},
                   time("duration_us", tr("Duration"), tr("Of its AllReduce")),
                   time("wait_us", tr("Wait"), tr("For the last rank")),
                   time("transfer_us", tr("Transfer"), tr("Duration after the last rank arrived")),
                   time("exposed_us", tr("Exposed"), tr("Not overlapped by compute")),
                   {.source = "overlap_pct",
                    .title = tr("Overlap"),
                    .tip = tr("Share overlapped by compute"),
                    .share = true}});
}

std::vector<ShownColumn> unitColumns() {
  return withRank({{.source = "unit",
                    .title = tr("Unit"),
                    .tip = tr("Module, or its place among the gathers of the forward pass")},
                   {.source = "elements", .title = tr("Elements"), .tip = tr("Of all shards, with padding")},
                   {.source = "gathers",
                    .title = tr("Gathers"),
                    .tip = tr("AllGathers in the step"),
                    .footer = Footer::Sum},
                   time("forward_gather_us", tr("Gather, forward"), tr("AllGathers of the forward pass")),
                   time("backward_gather_us", tr("Gather, backward"), tr("AllGathers of the backward pass")),
                   time("exposed_us", tr("Gathers exposed"), tr("Gathers not overlapped by compute")),
                   {.source = "prefetch_lead_us",
                    .title = tr("Prefetch lead"),
                    .tip = tr("From the end of a gather to its first use; negative: computation waited"),
                    .hide = Hide::AllEmpty},
                   time("copy_in_us", tr("Copy in"), tr("Into the buffers of collectives")),
                   time("copy_out_us", tr("Copy out"), tr("Out of the buffer of AllGather")),
                   time("reduce_scatter_us", tr("ReduceScatter"), tr("Of its gradients")),
                   {.source = "recompute_us",
                    .title = tr("Recomputation"),
                    .tip = tr("Forward work that activation checkpointing ran again for the unit"),
                    .hide = Hide::AllZero,
                    .footer = Footer::Sum}});
}

QString zeroTitle(const QString& id) {
  if (id == QLatin1String("ddp")) return tr("DDP");
  return tr("ZeRO-%1").arg(id.right(1));
}

QString yesTitle(const QString& flag) {
  return flag == QLatin1String("1") ? tr("yes") : QString();
}

std::vector<ShownColumn> zeroColumns() {
  return {
      {.source = "stage",
       .title = tr("Stage"),
       .tip = tr("ZeRO-1 divides optimizer states, ZeRO-2 gradients too, ZeRO-3 (FSDP) parameters too"),
       .display = zeroTitle},
      {.source = "in_use", .title = tr("In use"), .display = yesTitle},
      {.source = "ranks", .title = tr("Ranks"), .tip = tr("Of a group: N")},
      {.source = "parameters",
       .title = tr("Parameters"),
       .tip = tr("Ψ: number of parameters, counted from units or buckets")},
      {.source = "state_bytes",
       .title = tr("State with Adam"),
       .tip = tr(
           "Parameters, gradients and optimizer states of a rank, as with Adam in mixed precision: 16 bytes "
           "per parameter. The optimizer of the job is not looked at")},
      {.source = "elements",
       .title = tr("Elements sent"),
       .tip = tr("Elements that a rank sends in a step: 2Ψ(N − 1)/N, for ZeRO-3 3Ψ(N − 1)/N")},
      {.source = "factor", .title = tr("Of DDP"), .tip = tr("Sent, over what DDP sends")},
      {.source = "measured_elements",
       .title = tr("Elements measured"),
       .tip = tr("Elements that a rank really sent, mean over ranks and kept steps"),
       .hide = Hide::AllEmpty},
      {.source = "measured_bytes",
       .title = tr("Size measured"),
       .tip = tr("Bytes of the elements that a rank really sent"),
       .hide = Hide::AllEmpty},
      {.source = "note", .title = tr("Note"), .hide = Hide::AllEmpty}};
}

std::vector<ShownColumn> layerColumns() {
  return withRank(
      {{.source = "layer", .title = tr("Layer"), .tip = tr("In forward order; empty outside the layers")},
       {.source = "direction", .title = tr("Direction")},
       {.source = "operation", .title = tr("Operation")},
       {.source = "bytes", .title = tr("Size"), .footer = Footer::Sum},
       time("duration_us", tr("Duration"), tr("Sum over its calls")),
       time("exposed_us", tr("Exposed"), tr("Not overlapped by compute")),
       time("wait_us", tr("Wait"), tr("For the last rank")),
       {.source = "busbw_gb_s", .title = tr("Bus bandwidth"), .hide = Hide::AllEmpty}});
}

std::vector<ShownColumn> stageColumns() {
  return {{.source = "rank", .title = tr("Rank")},
          {.source = "capture", .title = tr("Capture"), .hide = Hide::AllSame},
          {.source = "stage", .title = tr("Stage")},
          {.source = "schedule", .title = tr("Schedule"), .hide = Hide::AllSame},
          {.source = "microbatches", .title = tr("Microbatches"), .hide = Hide::AllSame},
          {.source = "warmup_us",
           .title = tr("Idle before first"),
           .tip = tr("Time without work before the first microbatch of the stage")},
          {.source = "steady_us",
           .title = tr("Idle between"),
           .tip = tr("Time without work between the microbatches of the stage")},
          {.source = "cooldown_us",
           .title = tr("Idle after last"),
           .tip = tr("Time without work after the last microbatch of the stage")},
          {.source = "bubble_pct",
           .title = tr("Bubble"),
           .tip = tr("Share of the pipeline's window without work"),
           .share = true},
          {.source = "ideal_pct", .title = tr("Ideal bubble"), .tip = tr("With equal stages")},
          {.source = "replay_pct",
           .title = tr("Bubble without communication"),
           .tip = tr("Replayed with the measured durations of the stages")},
          {.source = "imbalance_pct",
           .title = tr("From unequal stages"),
           .tip = tr("Bubble without communication − ideal bubble, in points")}};
}

std::vector<ShownColumn> expertColumns() {
  return withRank(
      {{.source = "received_elements",
        .title = tr("Received"),
        .tip = tr("Elements in dispatches"),
        .footer = Footer::Sum},
       {.source = "sent_elements", .title = tr("Sent"), .footer = Footer::Sum},
       time("expert_us", tr("Experts"), tr("Computation between dispatches and combines")),
       time("wait_us", tr("Wait"), tr("Waiting time in combine collectives")),
       {.source = "imbalance", .title = tr("Imbalance"), .tip = tr("Load over the mean of the group")}});
}

std::vector<ShownColumn> trafficColumns() {
  return {{.source = "step", .title = tr("Step"), .hide = Hide::AllEmpty},
          {.source = "layer", .title = tr("Layer"), .hide = Hide::AllSame},
          {.source = "direction", .title = tr("Direction")},
          {.source = "source", .title = tr("From rank")},
          {.source = "destination", .title = tr("To rank"), .hide = Hide::AllEmpty},
          {.source = "elements", .title = tr("Elements"), .footer = Footer::Sum},
          {.source = "bytes", .title = tr("Size"), .footer = Footer::Sum}};
}

} // namespace

QString parallelTableTitle(ParallelTable of) {
  switch (of) {
  case ParallelTable::Groups:
    return tr("Dimensions of process groups");
  case ParallelTable::Buckets:
    return tr("DDP buckets");
  case ParallelTable::Units:
    return tr("Units of FSDP");
  case ParallelTable::Zero:
    return tr("Memory and communication by ZeRO stage");
  case ParallelTable::Layers:
    return tr("Tensor-parallel layers");
  case ParallelTable::Stages:
    return tr("Pipeline stages");
  case ParallelTable::Experts:
    return tr("Expert ranks");
  case ParallelTable::Traffic:
    return tr("Expert traffic");
  }
  return {};
}

std::vector<ShownColumn> parallelTableColumns(ParallelTable of) {
  switch (of) {
  case ParallelTable::Groups:
    return groupColumns();
  case ParallelTable::Buckets:
    return bucketColumns();
  case ParallelTable::Units:
    return unitColumns();
  case ParallelTable::Zero:
    return zeroColumns();
  case ParallelTable::Layers:
    return layerColumns();
  case ParallelTable::Stages:
    return stageColumns();
  case ParallelTable::Experts:
    return expertColumns();
  case ParallelTable::Traffic:
    return trafficColumns();
  }
  return {};
}

} // namespace rankscope::ui
