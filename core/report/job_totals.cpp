// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/job_totals.h"

#include "core/model/recorded_once.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

void countFiles(const TraceSet& trace, JobTotals& totals) {
  std::map<std::string_view, bool> isRead; // by path: a file with several recordings is one file
  for (const FileRecord& file : trace.files()) isRead[file.path] |= file.rank.has_value();
  for (const auto& [path, read] : isRead) ++(read ? totals.filesRead : totals.filesLeftOut);
}

// Of a file with several recordings, each repeats what is about the file as a whole.
std::uint64_t ownOf(const FileRecord& file, DiagnosticKind kind, std::uint64_t all) {
  const auto repeated = std::ranges::count_if(file.diagnostics.items(), [&](const Diagnostic& item) {
    return item.kind == kind && item.at == SourceRef();
  });
  return all - std::min(all, static_cast<std::uint64_t>(repeated));
}

void addFile(const FileRecord& file, bool isNew, JobTotals& totals) {
  totals.bytes += isNew ? file.bytes : 0;
  totals.textBytes += isNew ? file.textBytes : 0;
  totals.repaired += isNew ? file.repaired : ownOf(file, DiagnosticKind::Repaired, file.repaired);
  totals.skipped += isNew ? file.skipped : ownOf(file, DiagnosticKind::Skipped, file.skipped);
}

void addStatistics(const RankStatistics& statistics, JobTotals& totals) {
  totals.gpuSpan += statistics.gpuSpan;
  totals.gpuBusy += statistics.gpuBusy;
  totals.compute += statistics.compute;
  totals.communication += statistics.communication;
  totals.overlap += statistics.overlap;
  totals.exposedCommunication += statistics.exposedCommunication;
  totals.memory += statistics.memory;
  totals.idle += statistics.idle;
  totals.hasDeviceActivity |= statistics.hasDeviceActivity;
}

} // namespace

JobTotals jobTotals(const Analysis& analysis) {
  JobTotals totals;
  const TraceSet& trace = analysis.trace();
  countFiles(trace, totals);
  std::set<std::pair<int, std::int64_t>> steps; // capture and number, which captures may repeat
  std::set<std::pair<int, std::int64_t>> twice; // the same steps, recorded by another profiler
  std::int64_t found = 0;
  std::set<int> ranks;
  std::set<std::string_view> files;
  const std::vector<RankIndex> once = recordedOnce(trace, analysis.ranks());
  for (const RankIndex index : analysis.ranks()) {
    const RankEntry& entry = trace.rank(index);
    const FileRecord& file = trace.file(entry.file);
    addFile(file, files.insert(file.path).second, totals);
    totals.events += entry.trace->fileEvents;
    if (std::ranges::binary_search(once, index)) addStatistics(analysis.statistics(index), totals);
    const StepWindows& windows = analysis.stepWindows(index);
    if (windows.found == StepSource::Marked) {
      const std::vector<StepStatus> status =
          trace.severalCaptures() ? analysis.stepStatus(index) : std::vector<StepStatus>();
      for (std::size_t i = 0; i < windows.steps.size(); ++i) {
        const bool again = i < status.size() && status[i] == StepStatus::Twice;
        (again ? twice : steps).emplace(entry.capture, windows.steps[i].number);
      }
    } else if (windows.areSteps()) {
      found = std::max(found, static_cast<std::int64_t>(windows.steps.size()));
    }
    std::vector<int>& ofHost = totals.ranksByHost[entry.host];
    if (ofHost.empty() || ofHost.back() != entry.rank) ofHost.push_back(entry.rank);
    ranks.insert(entry.rank);
  }
  if (steps.empty()) steps = std::move(twice); // only of the other profiler
  totals.steps = steps.empty() ? found : static_cast<std::int64_t>(steps.size());
  totals.distinctRanks = static_cast<std::int64_t>(ranks.size());
  return totals;
}

} // namespace rankscope
