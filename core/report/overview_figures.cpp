// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/overview_figures.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/model/rank_digest.h"
#include "core/report/gpu_means.h"
#include "core/report/job_totals.h"
#include "core/report/leaf_texts.h"
#include "core/report/one_rank.h"
#include "core/report/phase_times.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>
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
  bool kept = true;  // its step is
  double weight = 1; // the rows of a step together weigh 1
};

std::vector<StepRow> rowsOf(const Analysis& analysis, bool areSteps) {
  std::vector<StepRow> rows;
  for (const RankIndex rank : wholeRanks(analysis)) {
    const StepWindows& windows = analysis.stepWindows(rank);
    if (areSteps && !windows.areSteps()) continue;
    const auto& breakdown = analysis.stepBreakdown(rank);
    const std::vector<StepStatus> status = areSteps ? analysis.stepStatus(rank) : std::vector<StepStatus>();
    for (std::size_t i = 0; i < windows.steps.size(); ++i)
      rows.push_back({windows.steps[i].number, analysis.trace().rank(rank).capture,
                      windows.steps[i].range.length(), &breakdown[i], &windows.steps[i], rank,
                      !areSteps || status[i] == StepStatus::Kept});
  }
  return rows;
}

// A step counts once, however many of its ranks were recorded.
void weighBySteps(std::vector<StepRow>& rows) {
  std::map<std::pair<int, std::int64_t>, std::size_t> members;
  for (const StepRow& row : rows) ++members[{row.capture, row.number}];
  for (StepRow& row : rows) row.weight = 1 / static_cast<double>(members[{row.capture, row.number}]);
}

// Sums of a time and of the durations that it is a part of.
struct WeightedSums {
  double weight = 0;
  double time = 0;
  double duration = 0;

  void add(double of, TimeNs part, TimeNs whole) {
    weight += of;
    time += of * static_cast<double>(part);
    duration += of * static_cast<double>(whole);
  }
  [[nodiscard]] StepPart part() const {
    return {weight > 0 ? rounded(time / weight) : 0, duration > 0 ? 100 * time / duration : 0};
  }
};

// Mean over the rows where it is known; empty if it is unknown in all.
std::optional<StepPart> partOf(const std::vector<StepRow>& rows,
                               const std::function<std::optional<TimeNs>(const StepBreakdown&)>& timeOf) {
  WeightedSums sums;
  for (const StepRow& row : rows) {
    if (const std::optional<TimeNs> known = timeOf(*row.of)) sums.add(row.weight, *known, row.duration);
  }
  return sums.weight > 0 ? std::optional(sums.part()) : std::nullopt;
}

// What was recorded of a rank within what is asked about: the whole if no step begins there, as in the
// account.
TimeRange askedRange(const Analysis& analysis, const JobAccount& account, RankIndex rank) {
  return account.of(rank).pieces.range().clippedTo(analysis.window(rank).ns());
}

// If no step begins in scope: the part of the range.
std::optional<StepPart> partOfRanks(const Analysis& analysis, const JobAccount& account,
                                    TimeNs RankStatistics::*member) {
  WeightedSums sums;
  for (const RankIndex rank : wholeRanks(analysis)) {
    const RankStatistics& statistics = analysis.statistics(rank);
    if (statistics.hasDeviceActivity)
      sums.add(1, statistics.*member, askedRange(analysis, account, rank).length());
  }
  return sums.weight > 0 ? std::optional(sums.part()) : std::nullopt;
}

std::optional<StepPart> idleOfRanks(const Analysis& analysis, const JobAccount& account) {
  WeightedSums sums;
  for (const RankIndex rank : wholeRanks(analysis)) {
    if (!analysis.statistics(rank).hasDeviceActivity) continue;
    const TimeRange range = askedRange(analysis, account, rank);
    sums.add(1, timeOf(account.of(rank).pieces.within(range), TimeClass::Idle), range.length());
  }
  return sums.weight > 0 ? std::optional(sums.part()) : std::nullopt;
}

// Mean and lowest of the recordings where it is known; empty if there are none.
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

// Of the steps, each of which counts once, like the parts of the step: utilization is then the share of
// compute and of exposed communication together.
void addGpuOfSteps(const Analysis& analysis, OverviewFigures& figures) {
  const GpuMeans means = gpuMeansOfRanks(analysis, wholeRanks(analysis));
  if (figures.utilization && means.utilizationPct) figures.utilization->meanPct = *means.utilizationPct;
  if (figures.smEfficiency && means.smEfficiencyPct) figures.smEfficiency->meanPct = *means.smEfficiencyPct;
  if (figures.occupancy && means.occupancyPct) figures.occupancy->meanPct = *means.occupancyPct;
}

void addStepTimes(const std::vector<StepRow>& rows, OverviewFigures& figures) {
  std::map<std::pair<int, std::int64_t>, double> bySteps; // mean of its rows
  for (const StepRow& row : rows)
    bySteps[{row.capture, row.number}] += row.weight * static_cast<double>(row.duration);
  if (rows.empty()) return;
  const auto steps = static_cast<double>(bySteps.size());
  figures.steps = static_cast<std::int64_t>(bySteps.size());
  double sum = 0, squares = 0;
  for (const auto& [step, time] : bySteps) sum += time;
  const double mean = sum / steps;
  figures.stepMean = rounded(mean);
  if (bySteps.size() < 2) return;
  for (const auto& [step, time] : bySteps) squares += (time - mean) * (time - mean);
  figures.stepSpread = rounded(std::sqrt(squares / (steps - 1)));
}

constexpr const auto& kPhases = kTrainingPhases;

// Time of the phases over the rows of all ranks.
struct PhaseTimes {
  // By kPhases, then not annotated. A step may be longer on the host than on the device.
  std::array<WeightedSums, kPhases.size() + 1> host{};
  std::array<WeightedSums, kPhases.size() + 1> device{};
  std::array<bool, kPhases.size()> annotated{}; // anywhere in the recording
};

// rows: of this rank only.
void addRank(const Analysis& analysis, RankIndex rank, std::span<const StepRow> rows, PhaseTimes& times) {
  const HostPhases& host = analysis.wholePhases(rank);
  IntervalSet any;
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    times.annotated[i] = times.annotated[i] || !host.of(kPhases[i]).empty();
    any = unionOf(any, host.of(kPhases[i]));
  }
  const bool hasDevice = analysis.statistics(rank).hasDeviceActivity;
  const bool areSteps = rows.front().of != nullptr;
  const std::vector<PhaseTimesOfStep> device =
      areSteps ? devicePhaseTimes(analysis, rank) : std::vector<PhaseTimesOfStep>();
  const std::vector<StepWindow>& windows = analysis.wholeStepWindows(rank).steps;
  for (const StepRow& row : rows) {
    const TimeNs onHost = row.window->host.length();
    for (std::size_t i = 0; i < kPhases.size(); ++i)
      times.host[i].add(row.weight, host.of(kPhases[i]).coveredWithin(row.window->host), onHost);
    times.host.back().add(row.weight, onHost - any.coveredWithin(row.window->host), onHost);
    if (!hasDevice) continue;
    const auto window = std::ranges::find(windows, row.window->range, &StepWindow::range);
    if (areSteps && window == windows.end()) continue;
    const PhaseTimesOfStep of = areSteps ? device[static_cast<std::size_t>(window - windows.begin())]
                                         : devicePhaseTimes(analysis, rank, row.window->range);
    for (std::size_t i = 0; i < of.size(); ++i) times.device[i].add(row.weight, of[i], row.duration);
  }
}

// rows: grouped by rank.
void addPhases(const Analysis& analysis, std::span<const StepRow> rows, OverviewFigures& figures) {
  PhaseTimes times;
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    while (last < rows.size() && rows[last].rank == rows[first].rank) ++last;
    addRank(analysis, rows[first].rank, rows.subspan(first, last - first), times);
  }
  for (std::size_t i = 0; i <= kPhases.size(); ++i) {
    const bool rest = i == kPhases.size();
    PhasePart part;
    part.phase = rest ? Phase::None : kPhases[i];
    part.annotated = rest || times.annotated[i];
    // Few scripts annotate the loss separately.
    if (part.phase == Phase::Loss && times.host[i].time == 0) continue;
    part.part = times.host[i].part();
    if (times.device[i].weight > 0) part.device = times.device[i].part();
    figures.phases.push_back(part);
  }
}

// Of the range itself, if no step begins in it.
void addPhasesOfRange(const Analysis& analysis, const JobAccount& account, OverviewFigures& figures) {
  if (hasDigests(analysis.trace())) return;
  std::vector<StepWindow> windows;
  std::vector<RankIndex> ranks;
  const std::vector<RankIndex> all = wholeRanks(analysis);
  windows.reserve(all.size());
  ranks.reserve(all.size());
  for (const RankIndex rank : all) {
    const TimeRange range = askedRange(analysis, account, rank);
    if (range.empty()) continue;
    StepWindow& window = windows.emplace_back();
    window.host = window.range = range;
    ranks.push_back(rank);
  }
  std::vector<StepRow> rows;
  rows.reserve(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i)
    rows.push_back(
        {.duration = windows[i].range.length(), .of = nullptr, .window = &windows[i], .rank = ranks[i]});
  if (!rows.empty()) addPhases(analysis, rows, figures);
}

bool isDispatch(Leaf leaf) {
  return isUnder(leaf, "host.dispatch");
}

// Idle times of the account by leaf, and its start skew; of the rows or, without any, of what was recorded.
void addIdleCause(const Analysis& analysis, const JobAccount& account, const std::vector<StepRow>& rows,
                  OverviewFigures& figures) {
  std::array<double, kLeafCount> idle{};
  double duration = 0, recording = 0, startUp = 0, startSkew = 0;
  const auto add = [&](RankIndex rank, TimeRange range, double weight) {
    duration += weight * static_cast<double>(range.length());
    for (const LeafTime& part : account.of(rank).pieces.within(range)) {
      const double time = weight * static_cast<double>(part.time);
      if (part.timeClass == TimeClass::ExposedCommunication && part.leaf == Leaf::WaitStart)
        startSkew += time;
      if (part.timeClass != TimeClass::Idle) continue;
      if (part.leaf == Leaf::CaptureInit) startUp += time;
      if (leafGroup(part.leaf) == LeafGroup::Recording)
        recording += time;
      else
        idle[static_cast<std::size_t>(isDispatch(part.leaf) ? Leaf::DispatchOther : part.leaf)] += time;
    }
  };
  for (const StepRow& row : rows) add(row.rank, row.window->range, row.weight);
  if (rows.empty()) {
    for (const RankIndex rank : wholeRanks(analysis)) add(rank, askedRange(analysis, account, rank), 1);
  }
  if (duration > 0) {
    figures.recordingPct = 100 * recording / duration;
    figures.startSkewPct = 100 * startSkew / duration;
    figures.isStartUp = 2 * startUp > recording;
  }
  const auto most = std::ranges::max_element(idle);
  if (*most > 0) figures.idleCause = static_cast<Leaf>(most - idle.begin());
  if (figures.hasDevices || duration <= 0) return;
  const double share = std::accumulate(idle.begin(), idle.end(), 0.0) / duration;
  const double mean = figures.stepMean ? static_cast<double>(*figures.stepMean)
                                       : duration / static_cast<double>(wholeRanks(analysis).size());
  figures.hostIdle = StepPart{rounded(share * mean), 100 * share};
}

bool hasCollectives(const Analysis& analysis) {
  return std::ranges::any_of(analysis.ranks(), [&](RankIndex rank) {
    return analysis.activity(rank).communication.totalLength() > 0 || !analysis.collectiveCalls(rank).empty();
  });
}

std::string_view boundBy(std::optional<Leaf> cause) {
  if (!cause) return "Mostly idle";
  if (*cause == Leaf::HostInput) return "Input-bound";
  if (isDispatch(*cause) || *cause == Leaf::QueueLatency) return "Launch-bound";
  return leafGroup(*cause) == LeafGroup::Host ? "Host-bound" : "Mostly idle";
}

// Less is shown as 0.0 %.
constexpr double kShownPct = 0.05;

// Time of a share of what a figure is a part of.
TimeNs timeOfShare(const StepPart& of, double sharePct) {
  const double share = of.sharePct > 0 ? sharePct / of.sharePct : 0;
  return rounded(static_cast<double>(of.mean) * share);
}

// 0 to 1, as the next one.
double idleShareOfJob(const OverviewFigures& figures) {
  const std::optional<StepPart> idle = idleOfJob(figures);
  return idle ? idle->sharePct / 100 : 0;
}

// Without start skew, which is no cost of the job.
double exposedShareOfJob(const OverviewFigures& figures) {
  return figures.exposed ? std::max(0.0, figures.exposed->sharePct - figures.startSkewPct) / 100 : 0;
}

} // namespace

OverviewFigures overviewFigures(const Analysis& analysis, const JobAccount& account) {
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
    if (const StepWindows& steps = analysis.stepWindows(rank); steps.areSteps()) {
      figures.areSteps = true;
      figures.stepsFound = std::max(figures.stepsFound, steps.found);
    }
    figures.recordingHasSteps |= analysis.wholeStepWindows(rank).areSteps();
    figures.isRange |= analysis.window(rank) != kWholeRecording;
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
  if (figures.areSteps) {
    weighBySteps(rows);
    addStepTimes(rows, figures);
    addGpuOfSteps(analysis, figures);
  }
  const auto part = [&](TimeNs StepBreakdown::*member, TimeNs RankStatistics::*otherwise) {
    if (rows.empty()) return partOfRanks(analysis, account, otherwise);
    return partOf(rows, [&](const StepBreakdown& b) { return std::optional(b.*member); });
  };
  figures.compute = part(&StepBreakdown::compute, &RankStatistics::compute);
  if (hasCollectives(analysis)) {
    figures.communication = part(&StepBreakdown::communication, &RankStatistics::communication);
    figures.overlap = part(&StepBreakdown::overlap, &RankStatistics::overlap);
    figures.exposed = part(&StepBreakdown::exposedCommunication, &RankStatistics::exposedCommunication);
  } else {
    figures.callsCollectives = callsUnrecordedCollectives(analysis);
  }
  figures.idle = rows.empty() ? idleOfRanks(analysis, account)
                              : partOf(rows, [](const StepBreakdown& b) { return b.idle; });
  if (rows.empty())
    addPhasesOfRange(analysis, account, figures);
  else
    addPhases(analysis, rows, figures);
  addIdleCause(analysis, account, rows, figures);
  figures.graphCapture = rankscope::graphCapture(analysis);
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

std::optional<StepPart> idleOfJob(const OverviewFigures& figures) {
  if (!figures.idle) return std::nullopt;
  const double sharePct = std::max(0.0, figures.idle->sharePct - figures.recordingPct);
  return StepPart{timeOfShare(*figures.idle, sharePct), sharePct};
}

std::string recordingText(const OverviewFigures& figures) {
  if (!figures.idle || figures.recordingPct < kShownPct) return {};
  return fmt::format("{} {}", durationText(timeOfShare(*figures.idle, figures.recordingPct)),
                     figures.isStartUp ? "start-up" : "at the edges of the recording");
}

std::optional<TimeNs> startSkew(const OverviewFigures& figures) {
  if (!figures.exposed || figures.startSkewPct < kShownPct) return std::nullopt;
  return timeOfShare(*figures.exposed, figures.startSkewPct);
}

std::string idleCauseText(const OverviewFigures& figures) {
  if (figures.graphCapture.most()) return "CUDA graph capture";
  if (!figures.idleCause) return {};
  if (isDispatch(*figures.idleCause)) return "dispatch";
  std::string title(leafTitle(*figures.idleCause));
  const bool name = *figures.idleCause == Leaf::HostInput || *figures.idleCause == Leaf::HostPython;
  if (!name) title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
  return title;
}

std::optional<Severity> exposedSeverity(const OverviewFigures& figures) {
  // Without a device, communication and compute share the cores of the host, so overlap would gain little.
  return figures.hasDevices && figures.exposed ? severityOf(exposedShareOfJob(figures), kExposedShares)
                                               : std::nullopt;
}

std::optional<Severity> idleSeverity(const OverviewFigures& figures) {
  return figures.idle && !figures.graphCapture.most() ? severityOf(idleShareOfJob(figures), kIdleShares)
                                                      : std::nullopt;
}

std::optional<Severity> utilizationSeverity(const OverviewFigures& figures) {
  if (!figures.utilization || figures.graphCapture.most()) return std::nullopt;
  return severityOf(1 - figures.utilization->meanPct / 100, kUnusedGpuShares);
}

std::optional<Severity> spreadSeverity(const OverviewFigures& figures) {
  if (!figures.stepSpread || !figures.stepMean || *figures.stepMean <= 0) return std::nullopt;
  return severityOf(static_cast<double>(*figures.stepSpread) / static_cast<double>(*figures.stepMean),
                    kVarianceShares);
}

std::string lateRanksText(const TraceSet& trace, const std::vector<Finding>& findings) {
  if (findings.empty() || findings.front().severity == Severity::Info) return {};
  const Finding& first = findings.front();
  if (first.kind == FindingKind::Straggler || first.kind == FindingKind::LateStraggler)
    return fmt::format("rank {}, a straggler", trace.rank(first.rank).rank);
  if (first.kind == FindingKind::SlowHost) return "slow ranks";
  if (first.kind == FindingKind::UnevenInput) return "uneven input";
  return {};
}

std::string overviewSentence(const OverviewFigures& figures, std::string_view late) {
  if (figures.graphCapture.most()) return graphCaptureText(figures.graphCapture);
  if (!figures.compute) return {};
  const bool communicates = figures.communication && figures.communication->mean > 0;
  // Of a host without operators nothing is known that could bind it.
  if (!figures.hasDevices && figures.compute->mean == 0 && !communicates) return {};
  const std::optional<StepPart> idlePart = figures.hostIdle ? figures.hostIdle : idleOfJob(figures);
  const double idle = idlePart ? idlePart->sharePct / 100 : 0;
  const double exposed = exposedShareOfJob(figures);
  const bool lateBinds = !late.empty();
  const bool idleBinds = !lateBinds && idle >= kIdleShares.critical && idle >= exposed;
  // What does not compute is not bound by it.
  const bool computes = figures.compute->mean > 0;
  const bool exposedBinds =
      !lateBinds && !idleBinds && (exposed >= kExposedShares.critical || (!computes && communicates));
  std::string text(lateBinds      ? "Bound by "
                   : idleBinds    ? boundBy(figures.idleCause)
                   : exposedBinds ? "Communication-bound"
                   : !computes    ? "Memcpy-bound"
                                  : "Compute-bound");
  text += late;
  if (!figures.hasDevices && !exposedBinds && !lateBinds && !idleBinds) text += " on the CPU";
  const bool idleTail = !idleBinds && idle >= kIdleShares.info;
  const bool exposedTail = !exposedBinds && !lateBinds && exposed >= kExposedShares.info;
  if (exposedTail && (!idleTail || exposed >= idle))
    text += " with exposed communication";
  else if (idleTail && !lateBinds)
    text += " with idle gaps";
  if (computes)
    text += fmt::format(": {} compute", durationText(figures.compute->mean));
  else
    text += figures.hasDevices ? ": no compute kernels" : ": no operators beside communication";
  if (figures.communication)
    text += fmt::format(", {} communication", durationText(figures.communication->mean));
  const bool edges = figures.idle && figures.recordingPct >= 100 * kIdleShares.info;
  if (idlePart && (idleBinds || idleTail)) text += fmt::format(", {} idle", durationText(idlePart->mean));
  if (edges) text += ", " + recordingText(figures);
  if (figures.areSteps)
    text += " per step";
  else if (figures.isRange)
    text += " of the range";
  else if (figures.ranks.captures > 1)
    text += " per recording";
  if (communicates) {
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
