// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/overview_figures.h"

#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/job_totals.h"
#include "core/report/phase_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace rankscope {

namespace {

// A row of the `steps` table.
struct StepRow {
  std::int64_t number = 0;
  int capture = 1;
  TimeNs duration = 0;
  const StepBreakdown* of = nullptr;
  const StepWindow* window = nullptr;
  RankIndex rank;
  bool kept = true; // its step is
};

// By step in scope: whether it is part of means over steps.
std::vector<bool> keptOf(const Analysis& analysis, RankIndex rank) {
  const std::vector<StepWindow>& asked = analysis.stepWindows(rank).steps;
  const std::vector<StepWindow>& whole = analysis.wholeStepWindows(rank).steps;
  const KeptSteps& job = analysis.keptSteps();
  const std::vector<std::size_t>& places = job.stepOfRank[rank.value];
  std::vector<bool> kept(asked.size(), true);
  std::size_t at = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    while (at < whole.size() && whole[at].range != asked[i].range) ++at;
    if (at >= places.size()) break;
    kept[i] = job.steps[places[at]].kept();
  }
  return kept;
}

std::vector<StepRow> rowsOf(const Analysis& analysis, bool areSteps) {
  std::vector<StepRow> rows;
  for (const RankIndex rank : wholeRanks(analysis)) {
    const StepWindows& windows = analysis.stepWindows(rank);
    if (areSteps && !windows.areSteps()) continue;
    const auto& breakdown = analysis.stepBreakdown(rank);
    const std::vector<bool> kept = areSteps ? keptOf(analysis, rank) : std::vector<bool>();
    for (std::size_t i = 0; i < windows.steps.size(); ++i)
      rows.push_back({windows.steps[i].number, analysis.trace().rank(rank).capture,
                      windows.steps[i].range.length(), &breakdown[i], &windows.steps[i], rank,
                      !areSteps || kept[i]});
  }
  return rows;
}

TimeNs meanOf(double sum, std::size_t count) {
  return rounded(sum / static_cast<double>(count));
}

// Mean over the rows where it is known; empty if it is unknown in all.
std::optional<StepPart> partOf(const std::vector<StepRow>& rows,
                               const std::function<std::optional<TimeNs>(const StepBreakdown&)>& timeOf) {
  double time = 0, duration = 0;
  std::size_t count = 0;
  for (const StepRow& row : rows) {
    const std::optional<TimeNs> known = timeOf(*row.of);
    if (!known) continue;
    ++count;
    time += static_cast<double>(*known);
    duration += static_cast<double>(row.duration);
  }
  if (count == 0) return std::nullopt;
  return StepPart{meanOf(time, count), duration > 0 ? 100 * time / duration : 0};
}

// If no step begins in scope: the part of the device time.
std::optional<StepPart> partOfRanks(const Analysis& analysis, TimeNs RankStatistics::*member) {
  double time = 0, span = 0;
  std::size_t count = 0;
  for (const RankIndex rank : wholeRanks(analysis)) {
    const RankStatistics& statistics = analysis.statistics(rank);
    if (!statistics.hasDeviceActivity) continue;
    ++count;
    time += static_cast<double>(statistics.*member);
    span += static_cast<double>(statistics.gpuSpan);
  }
  if (count == 0) return std::nullopt;
  return StepPart{meanOf(time, count), span > 0 ? 100 * time / span : 0};
}

std::optional<RankFigure> rankFigure(const Analysis& analysis, std::optional<double> GpuMetrics::*member) {
  RankFigure figure;
  double sum = 0;
  for (const RankIndex rank : wholeRanks(analysis)) {
    const std::optional<double>& value = analysis.gpuMetrics(rank).*member;
    if (!value) continue;
    sum += *value;
    if (figure.captures++ == 0 || *value < figure.lowestPct) {
      figure.lowestPct = *value;
      figure.lowest = rank;
    }
  }
  if (figure.captures == 0) return std::nullopt;
  figure.meanPct = sum / static_cast<double>(figure.captures);
  return figure;
}

void addStepTimes(const std::vector<StepRow>& rows, OverviewFigures& figures) {
  struct Sum {
    double time = 0;
    std::size_t count = 0;
  };
  std::map<std::pair<int, std::int64_t>, Sum> bySteps;
  double all = 0;
  for (const StepRow& row : rows) {
    Sum& sum = bySteps[{row.capture, row.number}];
    sum.time += static_cast<double>(row.duration);
    ++sum.count;
    all += static_cast<double>(row.duration);
  }
  if (rows.empty()) return;
  figures.steps = static_cast<std::int64_t>(bySteps.size());
  figures.stepMean = meanOf(all, rows.size());
  if (bySteps.size() < 2) return;
  double sum = 0, squares = 0;
  for (const auto& [step, of] : bySteps) sum += of.time / static_cast<double>(of.count);
  const double mean = sum / static_cast<double>(bySteps.size());
  for (const auto& [step, of] : bySteps) {
    const double apart = of.time / static_cast<double>(of.count) - mean;
    squares += apart * apart;
  }
  figures.stepSpread = rounded(std::sqrt(squares / static_cast<double>(bySteps.size())));
}

constexpr const auto& kPhases = kTrainingPhases;

// Time of a rank's phases over its rows.
struct PhaseTimes {
  std::array<ExactSum, kPhases.size() + 1> host{}; // by kPhases, then not annotated
  std::array<ExactSum, kPhases.size() + 1> device{};
  std::array<bool, kPhases.size()> annotated{}; // anywhere in the recording
  ExactSum hostDuration;                        // a step may be longer on the host than on the device
  ExactSum deviceDuration;                      // of rows of ranks with devices
  std::size_t rows = 0;
  std::size_t deviceRows = 0;
};

// rows: of this rank only.
void addRank(const Analysis& analysis, RankIndex rank, std::span<const StepRow> rows, PhaseTimes& times) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const HostPhases& host = analysis.wholePhases(rank);
  IntervalSet any;
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    times.annotated[i] = times.annotated[i] || !host.of(kPhases[i]).empty();
    any = unionOf(any, host.of(kPhases[i]));
  }
  const bool hasDevice = trace.deviceBegin < trace.deviceEnd;
  const std::vector<PhaseTimesOfStep> device = devicePhaseTimes(analysis, rank);
  const std::vector<StepWindow>& windows = analysis.wholeStepWindows(rank).steps;
  for (const StepRow& row : rows) {
    const auto window = std::ranges::find(windows, row.window->range, &StepWindow::range);
    for (std::size_t i = 0; i < kPhases.size(); ++i) {
      times.host[i] += host.of(kPhases[i]).coveredWithin(row.window->host);
      if (window != windows.end())
        times.device[i] += device[static_cast<std::size_t>(window - windows.begin())][i];
    }
    times.host.back() += row.window->host.length() - any.coveredWithin(row.window->host);
    if (window != windows.end())
      times.device.back() += device[static_cast<std::size_t>(window - windows.begin())].back();
    times.hostDuration += row.window->host.length();
    ++times.rows;
    if (!hasDevice) continue;
    times.deviceDuration += row.duration;
    ++times.deviceRows;
  }
}

StepPart partOfSum(TimeNs sum, TimeNs duration, std::size_t rows) {
  return {meanOf(static_cast<double>(sum), rows),
          duration > 0 ? 100 * static_cast<double>(sum) / static_cast<double>(duration) : 0};
}

// rows: grouped by rank.
void addPhases(const Analysis& analysis, const std::vector<StepRow>& rows, OverviewFigures& figures) {
  if (rows.empty()) return;
  PhaseTimes times;
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    while (last < rows.size() && rows[last].rank == rows[first].rank) ++last;
    addRank(analysis, rows[first].rank, std::span(rows).subspan(first, last - first), times);
  }
  for (std::size_t i = 0; i <= kPhases.size(); ++i) {
    const bool rest = i == kPhases.size();
    PhasePart part;
    part.phase = rest ? Phase::None : kPhases[i];
    part.annotated = rest || times.annotated[i];
    // Few scripts annotate the loss separately.
    if (part.phase == Phase::Loss && times.host[i] == 0) continue;
    part.part = partOfSum(times.host[i], times.hostDuration, times.rows);
    if (times.deviceRows > 0)
      part.device = partOfSum(times.device[i], times.deviceDuration, times.deviceRows);
    figures.phases.push_back(part);
  }
}

void addIdleCause(const Analysis& analysis, OverviewFigures& figures) {
  std::array<ExactSum, kGapCauseCount> times{};
  ExactSum all;
  for (const RankIndex rank : wholeRanks(analysis)) {
    const bool areSteps = analysis.stepWindows(rank).areSteps();
    for (const IdleGap& gap : analysis.gaps(rank).ofDevices) {
      if (areSteps && !gap.step) continue;
      times[static_cast<std::size_t>(gap.cause)] += gap.range.length();
      all += gap.range.length();
    }
  }
  if (all == 0) return;
  const auto maximum = std::ranges::max_element(times);
  figures.idleCause = static_cast<GapCause>(maximum - times.begin());
  figures.idleCausePct = 100 * static_cast<double>(*maximum) / static_cast<double>(all);
}

bool hasCollectives(const Analysis& analysis) {
  return std::ranges::any_of(analysis.ranks(), [&](RankIndex rank) {
    return analysis.activity(rank).communication.totalLength() > 0 || !analysis.collectiveCalls(rank).empty();
  });
}

std::optional<Severity> severityOfPart(const std::optional<StepPart>& part, const Shares& shares) {
  return part ? severityOf(part->sharePct / 100, shares) : std::nullopt;
}

std::string_view boundBy(GapCause cause) {
  switch (cause) {
  case GapCause::DataLoader:
    return "Input-bound";
  case GapCause::CollectiveWait:
    return "Straggler-bound";
  case GapCause::LaunchLatency:
  case GapCause::HostOperators:
    return "Launch-bound";
  case GapCause::Synchronization:
  case GapCause::MemoryAllocation:
  case GapCause::Python:
  case GapCause::Untraced:
    return "Host-bound";
  case GapCause::Dependency:
  case GapCause::NotRecorded:
    break;
  }
  return "Mostly idle";
}

} // namespace

OverviewFigures overviewFigures(const Analysis& analysis) {
  OverviewFigures figures;
  std::set<int> included;
  const std::vector<RankIndex> whole = wholeRanks(analysis);
  for (const RankIndex rank : whole) included.insert(analysis.trace().rank(rank).rank);
  figures.ranks = {included.size(), whole.size()};
  if (std::vector<CutRank> cut = cutRanks(analysis); cut.size() < analysis.ranks().size())
    figures.leftOut = std::move(cut);
  std::vector<int> numbers;
  for (const CutRank& cut : figures.leftOut) numbers.push_back(analysis.trace().rank(cut.rank).rank);
  std::ranges::sort(numbers);
  figures.leftOutRanks = numberRangesText(numbers);
  for (const RankIndex rank : analysis.ranks()) {
    figures.hasDevices |= analysis.statistics(rank).hasDeviceActivity;
    figures.areSteps |= analysis.stepWindows(rank).areSteps();
    figures.recordingHasSteps |= analysis.wholeStepWindows(rank).areSteps();
  }
  figures.utilization = rankFigure(analysis, &GpuMetrics::utilizationPct);
  figures.smEfficiency = rankFigure(analysis, &GpuMetrics::smEfficiencyPct);
  figures.occupancy = rankFigure(analysis, &GpuMetrics::occupancyPct);
  std::vector<StepRow> rows = rowsOf(analysis, figures.areSteps);
  // In a range there may be only steps that are left out elsewhere.
  if (std::ranges::any_of(rows, &StepRow::kept)) {
    std::set<std::pair<int, std::int64_t>> leftOut;
    for (const StepRow& row : rows)
      if (!row.kept) leftOut.emplace(row.capture, row.number);
    figures.stepsLeftOut = static_cast<std::int64_t>(leftOut.size());
    std::erase_if(rows, [](const StepRow& row) { return !row.kept; });
  }
  if (figures.areSteps) addStepTimes(rows, figures);
  const auto part = [&](TimeNs StepBreakdown::*member, TimeNs RankStatistics::*otherwise) {
    if (rows.empty()) return partOfRanks(analysis, otherwise);
    return partOf(rows, [&](const StepBreakdown& b) { return std::optional(b.*member); });
  };
  figures.compute = part(&StepBreakdown::compute, &RankStatistics::compute);
  if (hasCollectives(analysis)) {
    figures.communication = part(&StepBreakdown::communication, &RankStatistics::communication);
    figures.overlap = part(&StepBreakdown::overlap, &RankStatistics::overlap);
    figures.exposed = part(&StepBreakdown::exposedCommunication, &RankStatistics::exposedCommunication);
  }
  figures.idle = rows.empty() ? partOfRanks(analysis, &RankStatistics::idle)
                              : partOf(rows, [](const StepBreakdown& b) { return b.idle; });
  addPhases(analysis, rows, figures);
  addIdleCause(analysis, figures);
  return figures;
}

std::string_view phaseTitle(Phase phase) {
  switch (phase) {
  case Phase::DataLoader:
    return "DataLoader";
  case Phase::Forward:
    return "forward";
  case Phase::Loss:
    return "loss";
  case Phase::Backward:
    return "backward";
  case Phase::Optimizer:
    return "optimizer";
  case Phase::None:
  case Phase::Step:
    break;
  }
  return "not annotated";
}

std::string_view gapCauseTitle(GapCause cause) {
  switch (cause) {
  case GapCause::DataLoader:
    return "DataLoader";
  case GapCause::Synchronization:
    return "synchronization";
  case GapCause::MemoryAllocation:
    return "memory allocation";
  case GapCause::Python:
    return "Python";
  case GapCause::HostOperators:
    return "host operators";
  case GapCause::Untraced:
    return "untraced host work";
  case GapCause::Dependency:
    return "dependency on another stream";
  case GapCause::CollectiveWait:
    return "wait for a collective";
  case GapCause::LaunchLatency:
    return "launch latency";
  case GapCause::NotRecorded:
    break;
  }
  return "unrecorded causes";
}

std::optional<Severity> exposedSeverity(const OverviewFigures& figures) {
  // Without a device, communication and compute share the cores of the host, so overlap would gain little.
  return figures.hasDevices ? severityOfPart(figures.exposed, kExposedShares) : std::nullopt;
}

std::optional<Severity> idleSeverity(const OverviewFigures& figures) {
  return severityOfPart(figures.idle, kIdleShares);
}

std::optional<Severity> utilizationSeverity(const OverviewFigures& figures) {
  if (!figures.utilization) return std::nullopt;
  return severityOf(1 - figures.utilization->meanPct / 100, kUnusedGpuShares);
}

std::optional<Severity> spreadSeverity(const OverviewFigures& figures) {
  if (!figures.stepSpread || !figures.stepMean || *figures.stepMean <= 0) return std::nullopt;
  return severityOf(static_cast<double>(*figures.stepSpread) / static_cast<double>(*figures.stepMean),
                    kVarianceShares);
}

std::string overviewSentence(const OverviewFigures& figures) {
  if (!figures.compute) return {};
  const double idle = figures.idle ? figures.idle->sharePct / 100 : 0;
  const double exposed = figures.exposed ? figures.exposed->sharePct / 100 : 0;
  const bool idleBinds = idle >= kIdleShares.critical && idle >= exposed;
  const bool exposedBinds = !idleBinds && exposed >= kExposedShares.critical;
  std::string text(idleBinds      ? boundBy(figures.idleCause.value_or(GapCause::NotRecorded))
                   : exposedBinds ? "Communication-bound"
                                  : "Compute-bound");
  if (!figures.hasDevices && !exposedBinds) text += " on the CPU";
  const bool idleTail = !idleBinds && idle >= kIdleShares.info;
  const bool exposedTail = !exposedBinds && exposed >= kExposedShares.info;
  if (exposedTail && (!idleTail || exposed >= idle))
    text += " with exposed communication";
  else if (idleTail)
    text += " with idle gaps";
  text += fmt::format(": {} compute", durationText(figures.compute->mean));
  if (figures.communication)
    text += fmt::format(", {} communication", durationText(figures.communication->mean));
  if (figures.idle && (idleBinds || idleTail))
    text += fmt::format(", {} idle", durationText(figures.idle->mean));
  text += figures.areSteps ? " per step" : " per rank";
  if (figures.communication && figures.communication->mean > 0) {
    const double hidden =
        100 * static_cast<double>(figures.overlap->mean) / static_cast<double>(figures.communication->mean);
    text += fmt::format("; {} of the communication is overlapped", percentText(hidden));
  }
  text += ".";
  if (!figures.leftOutRanks.empty()) {
    const bool one = figures.leftOut.size() == 1;
    text += fmt::format(" {} {} {} left out: {} truncated.", one ? "Rank" : "Ranks", figures.leftOutRanks,
                        one ? "is" : "are", one ? "its file is" : "their files are");
  }
  return text;
}

} // namespace rankscope
