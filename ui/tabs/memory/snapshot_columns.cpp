// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/snapshot_columns.h"

#include "ui/tabs/memory/role_bands.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("SnapshotSection", text);
}

QString causeTitle(const QString& id) {
  if (id == QLatin1String("full")) return tr("out of memory: full");
  if (id == QLatin1String("fragmentation")) return tr("out of memory: fragmentation");
  return id == QLatin1String("other_pool") ? tr("out of memory: free in another stream or pool")
                                           : tr("out of memory: not available on retry");
}

} // namespace

std::vector<ShownColumn> snapshotPlaceColumns() {
  return {
      {.source = "file", .title = tr("File")},
      {.source = "rank", .title = tr("Rank"), .hide = Hide::AllEmpty},
      {.source = "device", .title = tr("GPU")},
      {.source = "peak_requested_bytes", .title = tr("Peak requested")},
      {.source = "end_requested_bytes", .title = tr("Requested at the end")},
      {.source = "end_reserved_bytes", .title = tr("Reserved at the end")},
      {.source = "stranded_bytes",
       .title = tr("Free, not releasable"),
       .tip = tr("At the end, in segments that hold blocks: empty_cache() cannot return it")},
      {.source = "verdict", .title = tr("Error"), .hide = Hide::AllEmpty, .display = causeTitle},
  };
}

std::vector<ShownColumn> snapshotGroupColumns() {
  return {
      {.source = "name", .title = tr("Name"), .elideStart = true},
      {.source = "bytes", .title = tr("Allocated"), .tip = tr("At the cursor"), .footer = Footer::Sum},
      {.source = "bytes", .title = tr("Share"), .share = true},
      {.source = "blocks", .title = tr("Blocks"), .footer = Footer::Sum},
      {.source = "growth_bytes",
       .title = tr("Growth"),
       .tip = tr("From the mark to the cursor; without a mark since the first entry"),
       .footer = Footer::Sum},
  };
}

std::vector<ShownColumn> snapshotBlockColumns() {
  return {
      {.source = "bytes", .title = tr("Size"), .tip = tr("Whole block"), .footer = Footer::Sum},
      {.source = "requested_bytes", .title = tr("Requested"), .footer = Footer::Sum},
      {.source = "role", .title = tr("Role"), .tip = tr("Inferred from its stack"), .display = roleNamed},
      {.source = "frame",
       .title = tr("Allocated by"),
       .tip = tr("First line of your code"),
       .elideStart = true},
      {.source = "age_us", .title = tr("Age"), .hide = Hide::AllEmpty},
      {.source = "state", .title = tr("State"), .hidden = true},
      {.source = "confidence", .title = tr("Confidence"), .hidden = true},
      {.source = "stream", .title = tr("Stream"), .hidden = true},
      {.source = "pool", .title = tr("Pool"), .hidden = true},
      {.source = "address", .title = tr("Address"), .hidden = true},
  };
}

std::vector<ShownColumn> snapshotSegmentColumns() {
  return {
      {.source = "bytes", .title = tr("Reserved"), .footer = Footer::Sum},
      {.source = "active_bytes", .title = tr("Used"), .footer = Footer::Sum},
      {.source = "inactive_bytes", .title = tr("Free"), .footer = Footer::Sum},
      {.source = "largest_hole_bytes", .title = tr("Largest hole"), .tip = tr("Largest free piece")},
      {.source = "stream", .title = tr("Stream")},
      {.source = "pool",
       .title = tr("Pool"),
       .tip = tr("0,0: the default pool; else of a CUDA graph or the user")},
      {.source = "address", .title = tr("Address"), .hidden = true},
  };
}

} // namespace rankscope::ui
