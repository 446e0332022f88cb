// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/oom_advice.h"
#include "core/base/unit_text.h"
#include "core/export/json.h"
#include "core/report/snapshot_tables.h"
#include "core/report/text_table.h"

#include <fmt/format.h>

namespace rankscope {

namespace {

constexpr std::size_t kMostListed = 10;
constexpr std::size_t kMostCharacters = 100; // of a name
constexpr std::size_t kKeptAtEnd = 80;

std::string entryText(std::int32_t entry) {
  return entry < 0 ? std::string("before the first entry") : fmt::format("entry {}", groupedText(entry));
}

// Sizes first: names are long and differ at their end.
std::string shares(const NamedBytes& parts, std::string_view title) {
  TextTable table({"at the peak", fmt::format("<{}", title)});
  for (std::size_t i = 0; i < std::min(kMostListed, parts.size()); ++i)
    table.addRow({bytesText(parts[i].second), printableText(parts[i].first, kMostCharacters, kKeptAtEnd)});
  return table.empty() ? std::string() : table.text();
}

void addDevice(std::string& text, const SnapshotResults& result, const DeviceReplay& replay) {
  const SnapshotEnd& end = replay.end;
  const std::size_t entries = replay.device->entries.size();
  const std::size_t segments = replay.device->segments.size();
  text +=
      fmt::format("\nDevice {}: {} {}, {} {}\n", replay.device->device,
                  groupedText(static_cast<std::int64_t>(entries)), entries == 1 ? "entry" : "entries",
                  groupedText(static_cast<std::int64_t>(segments)), segments == 1 ? "segment" : "segments");
  TextTable figures({"<", "allocated (requested)", "reserved", "<at"});
  figures.addRow({"start", bytesText(replay.startActive), bytesText(replay.startReserved), ""});
  figures.addRow({"peak", bytesText(replay.peakActive.bytes), bytesText(replay.peakReserved.bytes),
                  entryText(replay.peakActive.entry)});
  figures.addRow({"end", bytesText(end.activeRequested), bytesText(end.reserved), ""});
  text += figures.text();
  text += fmt::format("  whole blocks at the end {}, lost by rounding {}\n", bytesText(end.activeRounded),
                      bytesText(end.roundingLoss()));
  text += fmt::format("  free in used segments {}, in empty segments {}, largest free block {}\n",
                      bytesText(end.stranded), bytesText(end.releasable), bytesText(end.largestFree));
  for (const std::string& line : snapshotQuality(replay)) {
    // Said of the file already.
    if (line != truncationSentence(*result.snapshot)) text += fmt::format("  {}\n", line);
  }
  if (!replay.ooms.empty()) text += fmt::format("{}\n  {}\n", oomSentence(replay), oomAdvice(replay));
  text += shares(bytesByRole(replay, replay.peakActive.entry), "role");
  text += shares(bytesByFrame(result, replay, replay.peakActive.entry), "line");
}

void writeShares(JsonWriter& json, std::string_view key, const NamedBytes& parts) {
  json.beginObject(key);
  for (const auto& [name, bytes] : parts) json.integer(name, bytes);
  json.endObject();
}

void writePeak(JsonWriter& json, std::string_view key, const SnapshotPeak& peak) {
  json.beginObject(key);
  json.integer("bytes", peak.bytes);
  json.integer("entry", peak.entry);
  json.endObject();
}

void writeDevice(JsonWriter& json, const SnapshotResults& result, const DeviceReplay& replay) {
  const SnapshotEnd& end = replay.end;
  json.beginObject();
  json.integer("device", replay.device->device);
  json.integer("entries", static_cast<std::int64_t>(replay.device->entries.size()));
  json.integer("segments", static_cast<std::int64_t>(replay.device->segments.size()));
  json.beginObject("start");
  json.integer("active_requested", replay.startActive);
  json.integer("active_from_blocks", replay.startFromBlocks);
  json.integer("allocated_requested", replay.startAllocated);
  json.integer("reserved", replay.startReserved);
  json.endObject();
  json.beginObject("end");
  json.integer("active_requested", end.activeRequested);
  json.integer("allocated_requested", end.allocatedRequested);
  json.integer("active_rounded", end.activeRounded);
  json.integer("reserved", end.reserved);
  json.integer("releasable", end.releasable);
  json.integer("stranded", end.stranded);
  json.integer("largest_free", end.largestFree);
  json.endObject();
  writePeak(json, "peak_active", replay.peakActive);
  writePeak(json, "peak_allocated", replay.peakAllocated);
  writePeak(json, "peak_reserved", replay.peakReserved);
  writeShares(json, "roles_at_peak", bytesByRole(replay, replay.peakActive.entry));
  writeShares(json, "frames_at_peak", bytesByFrame(result, replay, replay.peakActive.entry));
  json.beginArray("oom");
  for (const OomReport& oom : replay.ooms) {
    json.beginObject();
    json.integer("entry", oom.entry);
    json.integer("asked", oom.asked);
    if (oom.driverFree)
      json.integer("driver_free", *oom.driverFree);
    else
      json.null("driver_free");
    json.integer("active", oom.active);
    json.integer("reserved", oom.reserved);
    json.integer("cached", oom.cached);
    json.integer("largest_hole", oom.largestHole);
    json.integer("releasable", oom.releasable);
    json.text("verdict", oomCauseId(oom.cause));
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

} // namespace

std::string snapshotText(const SideResults& results) {
  std::string text;
  for (const SnapshotResults& result : results.snapshots) {
    const MemorySnapshot& snapshot = *result.snapshot;
    if (!text.empty()) text += "\n";
    text += printableText(snapshot.path);
    if (snapshot.rank) text += fmt::format(", rank {}", *snapshot.rank);
    text += '\n';
    if (snapshot.partial)
      text += fmt::format("  {}\n", truncationSentence(snapshot));
    else if (result.devices.empty())
      text += "  The snapshot is empty: nothing was reserved or recorded.\n";
    for (const DeviceReplay& replay : result.devices) addDevice(text, result, replay);
  }
  return text;
}

std::string snapshotJson(const SideResults& results) {
  JsonWriter json;
  json.beginArray();
  for (const SnapshotResults& result : results.snapshots) {
    json.beginObject();
    json.text("file", result.snapshot->path);
    if (result.snapshot->rank) json.integer("rank", *result.snapshot->rank);
    if (result.snapshot->partial) {
      json.literal("truncated", "true");
      json.integer("truncated_at_byte", static_cast<std::int64_t>(result.snapshot->bytes));
      json.text("problem", truncationSentence(*result.snapshot));
    }
    json.beginArray("devices");
    for (const DeviceReplay& replay : result.devices) writeDevice(json, result, replay);
    json.endArray();
    json.endObject();
  }
  json.endArray();
  return json.take();
}

} // namespace rankscope
