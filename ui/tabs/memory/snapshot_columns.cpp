// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/snapshot_columns.h"

#include "core/base/statistics.h"
#include "core/report/snapshot_tables.h"
#include "ui/base/ui_text.h"
#include "ui/tabs/memory/role_bands.h"

#include <QFileInfo>

#include <algorithm>

namespace rankscope::ui {

namespace {

QString causeTitle(const QString& id) {
  if (id.isEmpty()) return id;
  if (id == QLatin1String("full")) return tr("out of memory: full");
  if (id == QLatin1String("fragmentation")) return tr("out of memory: fragmentation");
  return id == QLatin1String("other_pool") ? tr("out of memory: free block of another stream or pool")
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
      {.source = "truncated",
       .title = tr("File state"),
       .tip = tr("A truncated file lacks its end: figures are of what is left"),
       .hide = Hide::AllEmpty},
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
       .tip = tr("0,0: the default pool; others are private pools, of CUDA graphs or of torch.cuda.MemPool")},
      {.source = "address", .title = tr("Address"), .hidden = true},
  };
}

QString snapshotFileName(const MemorySnapshot& snapshot) {
  return QFileInfo(QString::fromStdString(snapshot.path)).fileName();
}

std::shared_ptr<const ResultTable> snapshotGroupRows(const SnapshotResults& result,
                                                     const DeviceReplay& replay, BlockGrouping grouping,
                                                     std::int32_t mark, std::int32_t cursor) {
  auto table = std::make_shared<ResultTable>(ResultTable("snapshot_groups", {{"name", Unit::Text},
                                                                             {"bytes", Unit::Bytes},
                                                                             {"blocks", Unit::Count},
                                                                             {"growth_bytes", Unit::Bytes}}));
  for (const BlockGroup& group : blockGroups(result, replay, grouping, mark, cursor))
    table->addRow({textCell(group.name), Cell(group.bytes), Cell(group.blocks), Cell(group.growth)});
  return table;
}

std::shared_ptr<const ResultTable> snapshotSegmentRows(const SnapshotResults& result, const SegmentMap& map) {
  auto table =
      std::make_shared<ResultTable>(ResultTable("snapshot_segments", {{"bytes", Unit::Bytes},
                                                                      {"active_bytes", Unit::Bytes},
                                                                      {"inactive_bytes", Unit::Bytes},
                                                                      {"largest_hole_bytes", Unit::Bytes},
                                                                      {"stream", Unit::Identity},
                                                                      {"pool", Unit::Text},
                                                                      {"address", Unit::Identity}}));
  for (const SegmentState& segment : map.segments)
    table->addRow({Cell(segment.bytes), Cell(segment.active), Cell(segment.bytes - segment.active),
                   Cell(segment.largestHole), Cell(static_cast<std::int64_t>(segment.stream)),
                   textCell(result.snapshot->stacks.text(segment.pool)),
                   Cell(static_cast<std::int64_t>(segment.address))});
  return table;
}

std::shared_ptr<const ResultTable> snapshotPlaceRows(const SideResults& results) {
  auto table = std::make_shared<ResultTable>(ResultTable("snapshots", {{"file", Unit::Text},
                                                                       {"rank", Unit::Identity},
                                                                       {"device", Unit::Identity},
                                                                       {"peak_requested_bytes", Unit::Bytes},
                                                                       {"end_requested_bytes", Unit::Bytes},
                                                                       {"end_reserved_bytes", Unit::Bytes},
                                                                       {"stranded_bytes", Unit::Bytes},
                                                                       {"verdict", Unit::Text},
                                                                       {"truncated", Unit::Text}}));
  for (const SnapshotResults& result : results.snapshots) {
    const std::string name = snapshotFileName(*result.snapshot).toStdString();
    for (const DeviceReplay& replay : result.devices)
      table->addRow({Cell(std::string_view(name)),
                     result.snapshot->rank ? Cell(std::int64_t{*result.snapshot->rank}) : Cell(),
                     Cell(std::int64_t{replay.device->device}), Cell(replay.peakActive.bytes),
                     Cell(replay.end.activeRequested), Cell(replay.end.reserved), Cell(replay.end.stranded),
                     replay.ooms.empty() ? Cell() : Cell(oomCauseId(replay.ooms.back().cause)),
                     result.snapshot->partial ? Cell(std::string_view("truncated")) : Cell()});
  }
  return table;
}

QString imbalanceText(const SideResults& results) {
  std::vector<std::int64_t> peaks;
  for (const SnapshotResults& result : results.snapshots) {
    for (const DeviceReplay& replay : result.devices) peaks.push_back(replay.peakActive.bytes);
  }
  if (peaks.size() < 2) return {};
  const std::int64_t most = *std::ranges::max_element(peaks);
  const std::int64_t middle = wholeMedian(std::move(peaks));
  if (middle <= 0) return {};
  const double ratio = static_cast<double>(most) / static_cast<double>(middle);
  return tr("largest peak %1 times the median").arg(QString::number(ratio, 'f', 2));
}

} // namespace rankscope::ui
