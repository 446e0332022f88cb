// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_diagnostics.h"

#include "core/io/nsys/nsys_text.h"
#include "core/model/missing_part.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace rankscope {

namespace {

// "CUPTI_ACTIVITY_KIND_KERNEL: 12 events have names not in StringIds, shown as their numbers: #17, #18".
std::string unknownNamesText(NsysTable table, std::uint64_t events, const std::set<std::int64_t>& ids) {
  constexpr std::size_t kMostNamed = 5;
  std::string text(nsysTable(table).name);
  text.append(": ").append(std::to_string(events));
  text += events == 1 ? " event has a name not in StringIds, shown as its number: "
                      : " events have names not in StringIds, shown as their numbers: ";
  std::size_t named = 0;
  for (const std::int64_t id : ids) {
    if (named == kMostNamed) break;
    text.append(named++ == 0 ? "#" : ", #").append(std::to_string(id));
  }
  if (ids.size() > named) text.append(" and ").append(std::to_string(ids.size() - named)).append(" more");
  return text;
}

// Whether a message of nsys means that work on the GPU is missing.
bool saysLoss(std::string_view message) {
  static constexpr std::array<std::string_view, 3> kParts{
      "Not all CUDA events might have been collected", "CUPTI events produced", "CUDA events were dropped"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return message.find(part) != std::string_view::npos; });
}

} // namespace

std::vector<std::string> missingParts(const NsysContents& contents, const NsysExport& facts) {
  std::vector<std::string> missing;
  const auto add = [&](std::string_view title, std::string_view advice) {
    missing.push_back(missingPartText(title, advice));
  };
  if (!contents.deviceEvents && !contents.deviceEventsLost)
    add("No GPU activity in this export", "Record with --trace=cuda; the process must be a child of nsys.");
  if (contents.rangesLost) {
    // the damage is named
  } else if (!contents.ranges) {
    add("No NVTX ranges",
        "Add torch.autograd.profiler.emit_nvtx() or NVTX ranges: operators and steps need them.");
  } else if (!contents.operators) {
    add("No operators", "Run the steps inside torch.autograd.profiler.emit_nvtx().");
  } else if (!contents.shapes) {
    add("No input sizes", "emit_nvtx(record_shapes=True) adds the input sizes of operators.");
  }
  if (contents.graphsAsWhole)
    add("CUDA graphs recorded as a whole", "Record with --cuda-graph-trace=node: the kernels and the "
                                           "communication inside a graph are not in this recording.");
  if (facts.blobsLeftOut && contents.ncclRanges && !contents.ncclPayloads)
    add("NCCL sizes recorded but not exported", "Export again with --include-blobs=true.");
  if (contents.deviceEvents && !contents.gpus && !contents.gpusLost && !facts.jsonLines)
    add("No GPU properties", "They were not visible to nsys (container sandbox): blocks per SM and occupancy "
                             "are unknown.");
  if (std::ranges::any_of(facts.messages, [](const NsysMessage& message) { return saysLoss(message.text); }))
    add("CUDA events lost while recording",
        "nsys could not keep up: record a shorter time, or trace less (--trace=cuda,nvtx).");
  if (facts.partial) add("Part of the report exported", "Export again without --tables and --times.");
  if (facts.jsonLines)
    add("JSON lines (experimental)", "This form has no wall clock, GPU properties or NCCL sizes. Export with "
                                     "--type=sqlite to align ranks of several files.");
  else if (facts.base == 0)
    add("No wall time", "Export with a newer nsys: ranks of several files are only aligned by their "
                        "collectives.");
  return missing;
}

void addDamage(const NsysExport& facts, const NsysTables& tables, Diagnostics& to) {
  if (!facts.fileDamage.empty()) to.add(DiagnosticKind::Skipped, SourceRef(), facts.fileDamage);
  for (const auto& [table, ranges] : tables.damaged) {
    for (const SqliteFile::RowRange& range : ranges)
      to.add(DiagnosticKind::Skipped, SourceRef(),
             std::string(nsysTable(table).name).append(": ").append(damagedRowsText(range)));
  }
  for (const std::string& damage : facts.damage) to.add(DiagnosticKind::Skipped, SourceRef(), damage);
  for (const std::string& lack : facts.lacks) to.add(DiagnosticKind::Suspicious, SourceRef(), lack);
  for (const auto& [table, ids] : tables.unknownNames) {
    if (!ids.empty())
      to.add(DiagnosticKind::Repaired, SourceRef(),
             unknownNamesText(table, tables.counts.at(table).unnamed, ids));
  }
}

void noteLosses(const NsysExport& facts, const NsysTables& tables, NsysContents& contents) {
  const auto lost = [&](NsysTable which) {
    if (!facts.fileDamage.empty()) return true; // tables may be missing
    const auto damaged = tables.damaged.find(which);
    if (damaged != tables.damaged.end() && !damaged->second.empty()) return true;
    return std::ranges::any_of(facts.lacks, [&](const std::string& lack) {
      return lack.find(nsysTable(which).name) != std::string::npos;
    });
  };
  static constexpr std::array kOfDevices{NsysTable::Kernel, NsysTable::Memcpy, NsysTable::Memset,
                                         NsysTable::GraphTrace};
  contents.deviceEventsLost = std::ranges::any_of(kOfDevices, lost);
  contents.rangesLost = lost(NsysTable::Nvtx);
  contents.gpusLost =
      !facts.fileDamage.empty() || std::ranges::any_of(facts.damage, [](const std::string& damage) {
        return damage.starts_with("TARGET_INFO_GPU") || damage.starts_with("TARGET_INFO_CUDA_DEVICE");
      });
}

void addFailedCalls(std::span<const NsysProcessPart> parts, Diagnostics& to) {
  std::map<std::string, std::uint64_t> failed;
  for (const NsysProcessPart& of : parts) {
    for (const auto& [call, count] : of.part->pending.failed) {
      std::string text(of.tables->tables->names[NameId(call.name)]);
      failed[text.append(" failed with ").append(cudaErrorText(call.code, call.driver))] += count;
    }
  }
  for (const auto& [text, count] : failed) {
    std::string all = text;
    all.append(", ").append(std::to_string(count)).append(count == 1 ? " time" : " times");
    to.add(DiagnosticKind::Suspicious, SourceRef(), std::move(all));
  }
}

void addMessages(const NsysExport& facts, const NsysTables& tables, Diagnostics& to) {
  constexpr std::int64_t kNewestMajor = 3;
  if (facts.schemaMajor > kNewestMajor)
    to.add(DiagnosticKind::Suspicious, SourceRef(),
           "the export is of a newer kind than Rankscope knows; tables are read as they are");
  std::uint64_t before = 0;
  for (const auto& [table, counts] : tables.counts) before += counts.beforeCapture;
  if (before > 0)
    to.add(DiagnosticKind::Skipped, SourceRef(),
           std::to_string(before) + " events ended before the capture began");
  for (const NsysMessage& message : facts.messages) {
    std::string text = "nsys: " + message.text;
    if (message.count > 1) text.append(" (").append(std::to_string(message.count)).append(" times)");
    to.add(DiagnosticKind::Suspicious, SourceRef(), std::move(text));
  }
  if (!facts.notImported.empty()) {
    std::string text = "not imported: ";
    for (std::size_t i = 0; i < facts.notImported.size(); ++i) {
      const auto& [table, rows] = facts.notImported[i];
      text.append(i == 0 ? "" : ", ").append(displayText(table)).append(" (").append(std::to_string(rows));
      text += rows == 1 ? " row)" : " rows)";
    }
    to.add(DiagnosticKind::Suspicious, SourceRef(), std::move(text));
  }
}

} // namespace rankscope
