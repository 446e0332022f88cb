// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/snapshot_tables.h"

#include "core/analysis/memory/oom_advice.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"
#include "core/report/job_report.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace rankscope {

namespace {

Cell rankCell(const MemorySnapshot& snapshot) {
  return snapshot.rank ? Cell(std::int64_t{*snapshot.rank}) : Cell();
}

Cell identity(std::uint64_t value) {
  return Cell(static_cast<std::int64_t>(value));
}

std::string_view stateAt(const BlockLife& life, std::int32_t entry, const SnapshotDevice& device) {
  const bool pendingAtEnd =
      life.block != kNoBlock && device.blocks[life.block].state == BlockState::PendingFree;
  const bool atEnd = entry + 1 >= static_cast<std::int32_t>(device.entries.size());
  if (life.freeRequested <= entry || (pendingAtEnd && atEnd)) return "active_pending_free";
  return "active_allocated";
}

std::string_view poolOf(const BlockLife& life, const MemorySnapshot& snapshot, const SnapshotDevice& device) {
  if (life.block == kNoBlock) return {};
  return snapshot.stacks.text(device.segments[device.blocks[life.block].segment].pool);
}

// Since it was allocated; empty without times.
Cell ageOf(const BlockLife& life, std::int32_t entry, const SnapshotDevice& device) {
  if (!life.recorded() || entry < 0) return {};
  const std::int64_t from = device.entries[static_cast<std::size_t>(life.allocated)].time;
  const std::int64_t to = device.entries[static_cast<std::size_t>(entry)].time;
  std::int64_t age = 0;
  const bool known = from != kNoMicroseconds && to != kNoMicroseconds &&
                     !__builtin_sub_overflow(to, from, &age) &&
                     !__builtin_mul_overflow(age, std::int64_t{1000}, &age);
  return known ? Cell(std::max<std::int64_t>(age, 0)) : Cell();
}

std::vector<TableColumn> blockColumns() {
  return {{"file", Unit::Text},          {"rank", Unit::Identity},   {"device", Unit::Identity},
          {"address", Unit::Identity},   {"bytes", Unit::Bytes},     {"requested_bytes", Unit::Bytes},
          {"state", Unit::Text},         {"role", Unit::Text},       {"confidence", Unit::Text},
          {"age_us", Unit::Nanoseconds}, {"stream", Unit::Identity}, {"pool", Unit::Text},
          {"frame", Unit::Text}};
}

void addBlocks(ResultTable& table, const SnapshotResults& result, const DeviceReplay& replay,
               std::int32_t entry) {
  const MemorySnapshot& snapshot = *result.snapshot;
  const SnapshotDevice& device = *replay.device;
  for (const std::uint32_t index : liveBlocks(replay, entry)) {
    const BlockLife& life = replay.lives[index];
    const std::string frame = blockName(snapshot.stacks, result.roles, life.stack, life.recorded());
    table.addRow({Cell(std::string_view(snapshot.path)), rankCell(snapshot),
                  Cell(std::int64_t{device.device}), identity(life.address), Cell(life.rounded),
                  Cell(life.bytes), Cell(stateAt(life, entry, device)), Cell(memoryRoleId(life.role)),
                  Cell(confidenceId(life.confidence)), ageOf(life, entry, device), identity(life.stream),
                  textCell(poolOf(life, snapshot, device)), Cell(std::string_view(frame))});
  }
}

template <class Key> NamedBytes sorted(const std::map<Key, ExactSum>& sums, std::string (*name)(const Key&)) {
  NamedBytes all;
  all.reserve(sums.size());
  for (const auto& [key, bytes] : sums) all.emplace_back(name(key), bytes);
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.second > b.second; });
  return all;
}

std::string_view stackClassId(StackClass stackClass, bool recorded) {
  switch (stackClass) {
  case StackClass::NoFrames:
    return recorded ? "backward_or_native" : "before_recording";
  case StackClass::Optimizer:
    return "optimizer";
  case StackClass::FsdpBuffer:
    return "fsdp_buffer";
  case StackClass::Backward:
    return "backward";
  case StackClass::ParameterMoved:
  case StackClass::ParameterMade:
    return "parameter";
  case StackClass::Forward:
    return "forward";
  case StackClass::Other:
    break;
  }
  return "other";
}

// The user's own frame, or what the block is otherwise.
std::string frameName(const SnapshotResults& result, const BlockLife& life) {
  return blockName(result.snapshot->stacks, result.roles, life.stack, life.recorded());
}

} // namespace

ResultTable snapshotsTable(const JobReport& report) {
  return snapshotsTable(report.side());
}

ResultTable snapshotBlocksTable(const JobReport& report) {
  return snapshotBlocksTable(report.side());
}

ResultTable snapshotSegmentsTable(const JobReport& report) {
  return snapshotSegmentsTable(report.side());
}

ResultTable snapshotsTable(const SideResults& results) {
  ResultTable table("snapshots", {{"file", Unit::Text},
                                  {"rank", Unit::Identity},
                                  {"device", Unit::Identity},
                                  {"entries", Unit::Count},
                                  {"start_requested_bytes", Unit::Bytes},
                                  {"peak_requested_bytes", Unit::Bytes},
                                  {"peak_entry", Unit::Identity},
                                  {"end_requested_bytes", Unit::Bytes},
                                  {"end_reserved_bytes", Unit::Bytes},
                                  {"stranded_bytes", Unit::Bytes},
                                  {"releasable_bytes", Unit::Bytes},
                                  {"oom_asked_bytes", Unit::Bytes},
                                  {"oom_free_bytes", Unit::Bytes},
                                  {"verdict", Unit::Text},
                                  {"truncated", Unit::Identity}});
  for (const SnapshotResults& result : results.snapshots) {
    for (const DeviceReplay& replay : result.devices) {
      const OomReport* const oom = replay.ooms.empty() ? nullptr : &replay.ooms.back();
      const bool entries = !replay.device->entries.empty();
      table.addRow({Cell(std::string_view(result.snapshot->path)), rankCell(*result.snapshot),
                    Cell(std::int64_t{replay.device->device}),
                    Cell(static_cast<std::int64_t>(replay.device->entries.size())), Cell(replay.startActive),
                    Cell(replay.peakActive.bytes),
                    entries ? Cell(std::int64_t{replay.peakActive.entry}) : Cell(),
                    Cell(replay.end.activeRequested), Cell(replay.end.reserved), Cell(replay.end.stranded),
                    Cell(replay.end.releasable), oom != nullptr ? Cell(oom->asked) : Cell(),
                    oom != nullptr && oom->driverFree ? Cell(*oom->driverFree) : Cell(),
                    oom != nullptr ? Cell(oomCauseId(oom->cause)) : Cell(),
                    Cell(std::int64_t{result.snapshot->partial ? 1 : 0})});
    }
  }
  return table;
}

ResultTable snapshotBlocksTable(const SideResults& results) {
  ResultTable table("snapshot_blocks", blockColumns());
  for (const SnapshotResults& result : results.snapshots) {
    for (const DeviceReplay& replay : result.devices)
      addBlocks(table, result, replay, replay.peakActive.entry);
  }
  return table;
}

ResultTable blocksAtTable(const SnapshotResults& result, std::size_t device, std::int32_t entry) {
  ResultTable table("snapshot_blocks", blockColumns());
  addBlocks(table, result, result.devices[device], entry);
  return table;
}

ResultTable snapshotSegmentsTable(const SideResults& results) {
  ResultTable table("snapshot_segments", {{"file", Unit::Text},
                                          {"rank", Unit::Identity},
                                          {"device", Unit::Identity},
                                          {"address", Unit::Identity},
                                          {"bytes", Unit::Bytes},
                                          {"active_bytes", Unit::Bytes},
                                          {"inactive_bytes", Unit::Bytes},
                                          {"largest_hole_bytes", Unit::Bytes},
                                          {"stream", Unit::Identity},
                                          {"pool", Unit::Text},
                                          {"expandable", Unit::Identity}});
  for (const SnapshotResults& result : results.snapshots) {
    for (const DeviceReplay& replay : result.devices) {
      for (const SegmentState& segment : segmentsAt(replay, replay.last()).segments) {
        table.addRow({Cell(std::string_view(result.snapshot->path)), rankCell(*result.snapshot),
                      Cell(std::int64_t{replay.device->device}), identity(segment.address),
                      Cell(segment.bytes), Cell(segment.active), Cell(segment.bytes - segment.active),
                      Cell(segment.largestHole), identity(segment.stream),
                      textCell(result.snapshot->stacks.text(segment.pool)),
                      Cell(std::int64_t{segment.expandable ? 1 : 0})});
      }
    }
  }
  return table;
}

NamedBytes bytesByRole(const DeviceReplay& replay, std::int32_t entry) {
  std::map<MemoryRole, ExactSum> sums;
  for (const BlockLife& life : replay.lives) {
    if (life.aliveAt(entry)) sums[life.role] += life.bytes;
  }
  return sorted<MemoryRole>(sums, [](const MemoryRole& role) { return std::string(memoryRoleText(role)); });
}

NamedBytes bytesByStackClass(const DeviceReplay& replay, std::int32_t entry) {
  std::map<std::string, ExactSum> sums;
  for (const BlockLife& life : replay.lives) {
    if (life.aliveAt(entry)) sums[std::string(stackClassId(life.stackClass, life.recorded()))] += life.bytes;
  }
  return sorted<std::string>(sums, [](const std::string& name) { return name; });
}

NamedBytes bytesByFrame(const SnapshotResults& result, const DeviceReplay& replay, std::int32_t entry) {
  std::map<std::string, ExactSum> sums;
  for (const BlockLife& life : replay.lives) {
    if (life.aliveAt(entry)) sums[frameName(result, life)] += life.bytes;
  }
  return sorted<std::string>(sums, [](const std::string& name) { return name; });
}

namespace {

// The stream and the pool that own the free block.
std::string otherPoolText(const DeviceReplay& replay, const OomReport& oom) {
  const std::string_view pool = replay.snapshot->stacks.text(oom.holePool);
  const bool isPrivate = !pool.empty() && pool != kDefaultPool;
  if (oom.holeStream == oom.stream && !isPrivate)
    return "A free block of this stream and pool is large enough, but is kept for blocks of another size: "
           "up to 1 MiB, or above max_split_size.";
  std::string text = "A free block is large enough, but belongs to another stream or pool";
  if (oom.holeStream != oom.stream)
    text += fmt::format(": to stream {}, and stream {} asked", oom.holeStream, oom.stream);
  if (isPrivate)
    text += fmt::format("{} private pool ({})", oom.holeStream != oom.stream ? "; in" : ": to", pool);
  return text + '.';
}

std::string oomText(const DeviceReplay& replay, const OomReport& oom) {
  std::string text = fmt::format(
      "asked for {}; the driver had {} free and the allocator {} cached, in "
      "pieces of at most {}; {} were allocated. ",
      bytesText(oom.asked), oom.driverFree ? bytesText(*oom.driverFree) : std::string("an unknown amount"),
      bytesText(oom.cached), bytesText(oom.largestHole), bytesText(oom.active));
  switch (oom.cause) {
  case OomCause::OtherPool:
    return text + otherPoolText(replay, oom);
  case OomCause::Retry:
    return text + "Empty segments and free memory together would have been enough, but were not available "
                  "on retry: a private pool holds them, or another process took them.";
  case OomCause::Fragmentation:
    return text + "Fragmentation: together it would have fitted.";
  case OomCause::Full:
    break;
  }
  const auto missing = oom.missing();
  return text + (missing ? fmt::format("The device is full: {} are missing.", bytesText(*missing))
                         : std::string("What the allocator had cached was not enough."));
}

// How the user set the allocator; empty if not at all.
std::string allocatorText(const MemorySnapshot& snapshot) {
  std::string set;
  for (const auto& [name, value] : snapshot.settings) {
    if (name == "PYTORCH_CUDA_ALLOC_CONF" && !value.empty()) return value;
    const bool usual = (name == "expandable_segments" && value == "False") ||
                       (name == "max_split_size" && value == "-1") ||
                       (name == "garbage_collection_threshold" && value == "0");
    const bool shown =
        name == "expandable_segments" || name == "max_split_size" || name == "garbage_collection_threshold";
    if (shown && !usual) set += fmt::format("{}{}:{}", set.empty() ? "" : ",", name, value);
  }
  return set;
}

// The file has segments, then entries, then settings, then annotations.
std::string_view cutPartText(const MemorySnapshot& snapshot) {
  const bool entries =
      std::ranges::any_of(snapshot.devices, [](const SnapshotDevice& of) { return !of.entries.empty(); });
  if (entries && !snapshot.settings.empty()) return "what follows its entries may be missing";
  if (entries)
    return "its last entries may be missing. Curves are computed from its end, so that they may be wrong";
  return snapshot.devices.empty() ? "what it held is missing"
                                  : "its history, if it had one, is missing, and so may be segments";
}

} // namespace

std::string oomSentence(const DeviceReplay& replay) {
  if (replay.ooms.empty()) return {};
  const OomReport& last = replay.ooms.back();
  const auto count = static_cast<std::size_t>(
      std::ranges::count(replay.device->entries, AllocatorAction::OutOfMemory, &AllocatorEntry::action));
  if (replay.ooms.size() == 1) return "Out of memory: " + oomText(replay, last);
  const OomReport& first = replay.ooms.front();
  // Not all are examined where there are very many.
  const std::string which = count == replay.ooms.size()
                                ? std::string("Last")
                                : fmt::format("Of the first {}, the last", replay.ooms.size());
  return fmt::format("Out of memory, {} times. First (entry {}): {} {} (entry {}): {}", count,
                     groupedText(first.entry), oomText(replay, first), which, groupedText(last.entry),
                     oomText(replay, last));
}

std::string truncationSentence(const MemorySnapshot& snapshot) {
  if (!snapshot.partial) return {};
  return fmt::format("The file is truncated at byte {}: {}.", snapshot.bytes, cutPartText(snapshot));
}

std::vector<std::string> snapshotQuality(const DeviceReplay& replay) {
  std::vector<std::string> lines;
  const SnapshotDevice& device = *replay.device;
  if (replay.snapshot->partial) lines.push_back(truncationSentence(*replay.snapshot));
  if (const std::string set = allocatorText(*replay.snapshot); !set.empty())
    lines.push_back(fmt::format("Allocator: {}.", printableText(set)));
  // What a cut file lacks, it may have had.
  if (device.entries.empty() && replay.snapshot->partial) return lines;
  if (device.entries.empty()) {
    lines.emplace_back("No history: the file holds the state at its end only. Call "
                       "torch.cuda.memory._record_memory_history() before.");
    return lines;
  }
  if (replay.startActive > 0)
    lines.push_back(
        fmt::format("The recording began with {} allocated{}.", bytesText(replay.startActive),
                    replay.ringFull() ? "; its ring was full, so that earlier entries were lost" : ""));
  if (replay.startActive != replay.startFromBlocks)
    lines.push_back(fmt::format("The curve begins at {}, its blocks at {}: entries are missing.",
                                bytesText(replay.startActive), bytesText(replay.startFromBlocks)));
  if (replay.contradictions + replay.lost > 0)
    lines.push_back(
        replay.contradictions + replay.lost == 1
            ? std::string("1 entry contradicts the others.")
            : fmt::format("{} entries contradict each other.", replay.contradictions + replay.lost));
  if (replay.snapshot->damaged > 0)
    lines.push_back(replay.snapshot->damaged == 1
                        ? std::string("1 value cannot be right and counts as 0.")
                        : fmt::format("{} values cannot be right and count as 0.", replay.snapshot->damaged));
  if (replay.snapshot->sizesApart > 0)
    lines.push_back(fmt::format("Blocks of {} {} do not add up to what the file says of {}.",
                                replay.snapshot->sizesApart,
                                replay.snapshot->sizesApart == 1 ? "segment" : "segments",
                                replay.snapshot->sizesApart == 1 ? "it" : "them"));
  if (const std::uint64_t back = device.timeStepsBack; back > 0)
    lines.push_back(
        fmt::format("Times step back {}.", back == 1 ? std::string("once") : fmt::format("{} times", back)));
  if (device.entries.front().time == kNoMicroseconds)
    lines.emplace_back("Entries have no times (before PyTorch 2.2): only their order is known.");
  return lines;
}

} // namespace rankscope
