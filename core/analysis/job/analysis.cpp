// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/analysis.h"

#include "core/analysis/digest/digested_results.h"
#include "core/analysis/job/truncated_ranks.h"
#include "core/analysis/steps/kept_windows.h"
#include "core/analysis/steps/named_steps.h"
#include "core/analysis/steps/truncated_steps.h"
#include "core/base/exact_sum.h"
#include "core/base/lazy.h"
#include "core/base/parallel_for.h"
#include "core/model/rank_recordings.h"
#include "core/model/side_files.h"
#include "core/model/trace_pages.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

namespace rankscope {

// Depends on the recording, not on the TraceSet: NameIds are valid in all later string tables, so any
// Analysis that shares this may compute it.
struct Analysis::RankResults {
  RankResults() = default;
  RankResults(std::shared_ptr<const RankDigest> of, std::shared_ptr<const RankTrace> recording)
      : digest(std::move(of)), trace(std::move(recording)) {}

  // Null for a rank whose events were read. A digest that was altered has no results.
  [[nodiscard]] const DigestedResults* digested() const {
    if (digest == nullptr) return nullptr;
    return &unpacked.get([&] { return unpackedResults(*digest, *trace).value_or(DigestedResults()); });
  }

  std::shared_ptr<const RankDigest> digest;
  std::shared_ptr<const RankTrace> trace; // only beside a digest
  Lazy<DigestedResults> unpacked;
  Lazy<DeviceActivity> activity;
  Lazy<std::vector<Step>> steps;
  Lazy<StepWindows> stepWindows;
  Lazy<std::vector<StepFacts>> stepFacts;
  Lazy<std::vector<StepBreakdown>> stepBreakdown;
  Lazy<HostPhases> phases;
  Lazy<HostActivity> hostActivity;
  Lazy<GpuParts> gpuParts;
  Lazy<IdleGaps> gaps;
  Lazy<RankStatistics> statistics;
  Lazy<std::vector<KernelStatistics>> kernels;
  Lazy<LaunchStatistics> launches;
  Lazy<std::vector<CollectiveCall>> collectiveCalls;
  Lazy<OperatorTree> operatorTree;
  Lazy<CallTree> callTree;
  Lazy<OperatorProfile> operators;
  Lazy<std::vector<EventIndex>> memoryOwners;
  Lazy<MemoryProfile> memory;
};

// Results of a rank that depend on other ranks.
struct Analysis::RankInJob {
  Lazy<GpuMetrics> gpuMetrics;
  Lazy<std::vector<CollectiveStatistics>> collectives;
  Lazy<RankArrivals> arrivals;
  Lazy<IntervalSet> exposedCommunication;
};

// Results over all ranks; computed again when the job grows.
struct Analysis::JobResults {
  // inPart: by rank, null for those that are not in the part of the job. Their window is empty, whatever the
  // part.
  [[nodiscard]] const RankInJob& of(const std::vector<std::unique_ptr<const RankInJob>>& inPart,
                                    RankIndex rank) const {
    if (const RankInJob* const known = inPart[rank.value].get()) return *known;
    const std::lock_guard lock(m_outsideMutex);
    std::unique_ptr<const RankInJob>& results = m_outside[rank];
    if (results == nullptr) results = std::make_unique<const RankInJob>();
    return *results;
  }

  Lazy<JobCollectives> collectives;
  Lazy<JobRange> extent;
  Lazy<KeptSteps> keptSteps;
  Lazy<StragglerAnalysis> stragglers;

 private:
  mutable std::mutex m_outsideMutex;
  mutable std::map<RankIndex, std::unique_ptr<const RankInJob>> m_outside;
};

struct Analysis::KeptPart {
  Lazy<std::shared_ptr<const Analysis>> analysis;
};

namespace {

// A result of a pass over the events of a rank.
template <class T, class Make>
const T& fromEvents(const TraceSet& traces, RankIndex rank, const Lazy<T>& result, Make&& make) {
  return result.get([&] {
    const RankTrace& trace = *traces.rank(rank).trace;
    T made = make(trace);
    giveBackPages(trace);
    return made;
  });
}

} // namespace

Analysis::Analysis(std::shared_ptr<const TraceSet> trace, const Analysis* previous, AnalysisOptions options)
    : m_trace(std::move(trace)), m_options(options), m_job(std::make_shared<const JobResults>()),
      m_keptPart(std::make_unique<const KeptPart>()) {
  std::unordered_map<const RankTrace*, std::shared_ptr<const RankResults>> known;
  if (previous != nullptr) {
    const std::vector<RankEntry>& ranks = previous->trace().ranks();
    for (std::size_t i = 0; i < ranks.size(); ++i) known.emplace(ranks[i].trace.get(), previous->m_whole[i]);
  }
  m_whole.reserve(m_trace->ranks().size());
  for (const RankEntry& entry : m_trace->ranks()) {
    const auto same = known.find(entry.trace.get());
    const std::size_t rank = m_whole.size();
    m_ranks.emplace_back(rank);
    if (same != known.end())
      m_whole.push_back(same->second);
    else if (digestOf(*m_trace, RankIndex(rank)) != nullptr)
      m_whole.push_back(std::make_shared<const RankResults>(m_trace->side().digests[rank], entry.trace));
    else
      m_whole.push_back(std::make_shared<const RankResults>());
  }
  m_windows.assign(m_whole.size(), kWholeRecording);
  for (std::size_t i = 0; i < m_whole.size(); ++i) m_inJob.push_back(std::make_unique<const RankInJob>());
  m_results = m_whole;
}

Analysis::Analysis(const Analysis& whole, AnalysisScope scope)
    : m_trace(whole.m_trace), m_options(whole.m_options), m_job(whole.m_job),
      m_keptPart(std::make_unique<const KeptPart>()), m_ranks(std::move(scope.ranks)),
      m_windows(whole.m_whole.size(), RankRange{}), m_whole(whole.m_whole), m_results(whole.m_whole) {
  // A part is often one rank of thousands, and each of them is one.
  m_inJob.resize(m_whole.size());
  for (std::size_t i = 0; i < m_ranks.size(); ++i) {
    const std::size_t rank = m_ranks[i].value;
    m_inJob[rank] = std::make_unique<const RankInJob>();
    m_windows[rank] = scope.windows[i];
    if (scope.windows[i] != kWholeRecording) m_results[rank] = std::make_shared<const RankResults>();
  }
}

Analysis::~Analysis() = default;

const DeviceActivity& Analysis::activity(RankIndex rank) const {
  if (const auto* digest = results(rank).digested()) return digest->activity;
  return fromEvents(*m_trace, rank, results(rank).activity,
                    [&](const RankTrace& trace) { return deviceActivity(trace, window(rank).ns()); });
}

const DeviceActivity& Analysis::wholeActivity(RankIndex rank) const {
  if (const auto* digest = whole(rank).digested()) return digest->activity;
  return fromEvents(*m_trace, rank, whole(rank).activity,
                    [&](const RankTrace& trace) { return deviceActivity(trace); });
}

const std::vector<Step>& Analysis::steps(RankIndex rank) const {
  if (const auto* digest = whole(rank).digested()) return digest->steps;
  return fromEvents(*m_trace, rank, whole(rank).steps, [&](const RankTrace& trace) {
    std::vector<Step> marked = stepsOf(trace, m_trace->names());
    // Where no profiler marks steps, the names of the program's own ranges do.
    if (marked.empty() && m_trace->recordedByNsight(rank)) marked = stepsOfNames(trace, m_trace->names());
    return marked;
  });
}

const StepWindows& Analysis::wholeStepWindows(RankIndex rank) const {
  if (const auto* digest = whole(rank).digested()) return digest->stepWindows;
  return fromEvents(*m_trace, rank, whole(rank).stepWindows, [&](const RankTrace& trace) {
    return rankscope::stepWindows(trace, m_trace->names(), steps(rank));
  });
}

const StepWindows& Analysis::stepWindows(RankIndex rank) const {
  if (!isLimited(rank)) return wholeStepWindows(rank);
  return results(rank).stepWindows.get(
      [&] { return stepsWithin(wholeStepWindows(rank), window(rank).ns()); });
}

const HostPhases& Analysis::wholePhases(RankIndex rank) const {
  if (const auto* digest = whole(rank).digested()) return digest->phases;
  return fromEvents(*m_trace, rank, whole(rank).phases,
                    [&](const RankTrace& trace) { return hostPhases(trace, m_trace->names()); });
}

const HostPhases& Analysis::phases(RankIndex rank) const {
  if (!isLimited(rank)) return wholePhases(rank);
  return results(rank).phases.get([&] { return clippedTo(wholePhases(rank), window(rank).ns()); });
}

const HostActivity& Analysis::hostActivity(RankIndex rank) const {
  if (const auto* digest = whole(rank).digested()) return digest->hostActivity;
  return fromEvents(*m_trace, rank, whole(rank).hostActivity, [&](const RankTrace& trace) {
    return rankscope::hostActivity(trace, m_trace->names(), wholeStepWindows(rank));
  });
}

const std::vector<StepBreakdown>& Analysis::stepBreakdown(RankIndex rank) const {
  if (const auto* digest = results(rank).digested()) return digest->stepBreakdown;
  return fromEvents(*m_trace, rank, results(rank).stepBreakdown, [&](const RankTrace& trace) {
    return rankscope::stepBreakdown(trace, stepWindows(rank), wholeActivity(rank), hostActivity(rank),
                                    wholePhases(rank));
  });
}

const GpuParts& Analysis::gpuParts(RankIndex rank) const {
  if (const auto* digest = whole(rank).digested()) return digest->gpuParts;
  return fromEvents(*m_trace, rank, whole(rank).gpuParts, [&](const RankTrace& trace) {
    const StepWindows& steps = wholeStepWindows(rank);
    std::vector<TimeRange> ranges;
    if (!steps.areSteps()) {
      ranges.push_back(wholeActivity(rank).span);
    } else {
      ranges.reserve(2 * steps.steps.size());
      for (const StepWindow& step : steps.steps) {
        if (!ranges.empty()) ranges.push_back({ranges.back().end, step.range.begin});
        ranges.push_back(step.range);
      }
    }
    return rankscope::gpuParts(trace, ranges);
  });
}

// What its metrics are over, if there are steps.
std::vector<TimeRange> Analysis::gpuRanges(RankIndex rank) const {
  const StepWindows& asked = stepWindows(rank);
  if (m_options.allSteps) return {asked.hull()};
  const std::vector<std::size_t> counted = countedSteps(rank);
  std::vector<TimeRange> ranges;
  ranges.reserve(counted.size());
  for (const std::size_t step : counted) ranges.push_back(asked.steps[step].range);
  return ranges;
}

const GpuMetrics& Analysis::gpuMetrics(RankIndex rank) const {
  return m_job->of(m_inJob, rank).gpuMetrics.get([&] {
    if (stepWindows(rank).areSteps()) return rankscope::gpuMetrics(gpuParts(rank), gpuRanges(rank));
    const RankTrace& trace = *m_trace->rank(rank).trace;
    const TimeRange span = wholeActivity(rank).span;
    if (isLimited(rank))
      return rankscope::gpuMetrics(trace, trace.extent.unitedWith(span).clippedTo(window(rank).ns()));
    return rankscope::gpuMetrics(gpuParts(rank), std::vector<TimeRange>{span});
  });
}

const IdleGaps& Analysis::gaps(RankIndex rank) const {
  if (const auto* digest = results(rank).digested()) return digest->gaps;
  return fromEvents(*m_trace, rank, results(rank).gaps, [&](const RankTrace& trace) {
    return idleGaps(trace, m_trace->names(), wholeStepWindows(rank), window(rank).ns());
  });
}

const RankStatistics& Analysis::statistics(RankIndex rank) const {
  if (const auto* digest = results(rank).digested()) return digest->statistics;
  return fromEvents(*m_trace, rank, results(rank).statistics, [&](const RankTrace& trace) {
    return rankStatistics(trace, activity(rank), stepWindows(rank));
  });
}

const std::vector<KernelStatistics>& Analysis::kernels(RankIndex rank) const {
  if (const auto* digest = results(rank).digested()) return digest->kernels;
  return fromEvents(*m_trace, rank, results(rank).kernels, [&](const RankTrace& trace) {
    return kernelStatistics(trace, m_trace->names(), window(rank).ns());
  });
}

const CallTree& Analysis::callTree(RankIndex rank) const {
  return fromEvents(*m_trace, rank, whole(rank).callTree,
                    [&](const RankTrace& trace) { return rankscope::callTree(trace); });
}

const OperatorTree& Analysis::operatorTree(RankIndex rank) const {
  return fromEvents(*m_trace, rank, whole(rank).operatorTree,
                    [&](const RankTrace& trace) { return rankscope::operatorTree(trace, m_trace->names()); });
}

const OperatorProfile& Analysis::operators(RankIndex rank) const {
  if (const auto* digest = results(rank).digested()) return digest->operators;
  return fromEvents(*m_trace, rank, results(rank).operators, [&](const RankTrace& trace) {
    return operatorProfile(trace, operatorTree(rank), m_trace->names(), window(rank).ns());
  });
}

const LaunchStatistics& Analysis::launches(RankIndex rank) const {
  if (const auto* digest = results(rank).digested()) return digest->launches;
  return fromEvents(*m_trace, rank, results(rank).launches, [&](const RankTrace& trace) {
    std::vector<TimeRange> ranges;
    const StepWindows& steps = stepWindows(rank);
    if (steps.areSteps()) {
      for (const StepWindow& step : steps.steps) ranges.push_back(step.range);
    }
    return launchStatistics(trace, ranges, window(rank).ns());
  });
}

const std::vector<CollectiveCall>& Analysis::collectiveCalls(RankIndex rank) const {
  if (const auto* digest = whole(rank).digested()) return digest->collectiveCalls;
  return fromEvents(*m_trace, rank, whole(rank).collectiveCalls, [&](const RankTrace& trace) {
    return rankscope::collectiveCalls(trace, m_trace->names(), steps(rank));
  });
}

const JobCollectives& Analysis::collectives() const {
  return m_job->collectives.get([&] {
    std::vector<const std::vector<CollectiveCall>*> calls;
    for (std::size_t i = 0; i < m_trace->ranks().size(); ++i) calls.push_back(&collectiveCalls(RankIndex(i)));
    const ToldCollectives* const told = m_trace->side().toldCollectives.get();
    return told != nullptr && m_options.alignClocks ? jobCollectives(*m_trace, calls, *told)
                                                    : jobCollectives(*m_trace, calls, m_options.alignClocks);
  });
}

const std::vector<CollectiveStatistics>& Analysis::collectiveStatistics(RankIndex rank) const {
  return m_job->of(m_inJob, rank).collectives.get([&] {
    return rankscope::collectiveStatistics(collectives().match, rank, collectiveCalls(rank),
                                           exposedCommunication(rank), m_trace->names(), window(rank));
  });
}

const RankArrivals& Analysis::arrivals(RankIndex rank) const {
  return m_job->of(m_inJob, rank).arrivals.get([&] {
    return rankArrivals(collectives().match, rank, collectiveCalls(rank), window(rank));
  });
}

const IntervalSet& Analysis::exposedCommunication(RankIndex rank) const {
  return m_job->of(m_inJob, rank).exposedCommunication.get([&] {
    const RankTrace& trace = *m_trace->rank(rank).trace;
    if (trace.hasDeviceEvents()) return activity(rank).exposed;
    const HostActivity& host = hostActivity(rank);
    return differenceOf(host.collectives, host.compute).clippedTo(window(rank).ns());
  });
}

const std::vector<StepFacts>& Analysis::stepFacts(RankIndex rank) const {
  if (const auto* digest = whole(rank).digested()) return digest->stepFacts;
  return fromEvents(*m_trace, rank, whole(rank).stepFacts, [&](const RankTrace& trace) {
    return rankscope::stepFacts(trace, m_trace->names(), wholeStepWindows(rank), wholePhases(rank));
  });
}

const KeptSteps& Analysis::keptSteps() const {
  return m_job->keptSteps.get([&] {
    // A truncated recording has no say: its steps are those that the others have.
    const std::vector<bool> leftOut = leftOutRanks(*m_trace, clocks());
    std::vector<RankSteps> whole, truncated;
    for (std::size_t i = 0; i < leftOut.size(); ++i) {
      whole.push_back({m_trace->ranks()[i].capture, {}});
      truncated.push_back(whole.back());
      (leftOut[i] ? truncated : whole).back().steps = stepFacts(RankIndex(i));
    }
    KeptSteps kept = rankscope::keptSteps(whole, m_options.allSteps);
    addTruncatedSteps(whole, truncated, m_options.allSteps, kept);
    if (!m_trace->severalCaptures()) return kept;
    std::vector<const std::vector<StepWindow>*> windows;
    windows.reserve(leftOut.size());
    for (std::size_t i = 0; i < leftOut.size(); ++i) windows.push_back(&wholeStepWindows(RankIndex(i)).steps);
    std::vector<std::vector<std::size_t>> recordings;
    for (const std::vector<RankIndex>& ofRank : recordingsByRank(*m_trace)) {
      std::vector<std::size_t>& places = recordings.emplace_back();
      for (const RankIndex recording : ofRank) places.push_back(recording.value);
    }
    leaveOutTwice(windows, recordings, kept);
    return kept;
  });
}

std::vector<StepStatus> Analysis::stepStatus(RankIndex rank) const {
  return keptSteps().statusOf(rank.value, wholeStepWindows(rank).steps, stepWindows(rank).steps);
}

std::vector<std::size_t> Analysis::countedSteps(RankIndex rank) const {
  std::vector<std::size_t> counted;
  if (!stepWindows(rank).areSteps()) return counted;
  const std::vector<StepStatus> status = stepStatus(rank);
  const bool any = std::ranges::find(status, StepStatus::Kept) != status.end();
  for (std::size_t i = 0; i < status.size(); ++i)
    if (!any || status[i] == StepStatus::Kept) counted.push_back(i);
  return counted;
}

std::optional<TimeNs> Analysis::stepMean(RankIndex rank) const {
  const std::vector<std::size_t> steps = countedSteps(rank);
  if (steps.empty()) return std::nullopt;
  ExactSum total;
  for (const std::size_t step : steps) total += stepWindows(rank).steps[step].range.length();
  const auto count = static_cast<TimeNs>(steps.size());
  return (total + count / 2) / count;
}

const std::shared_ptr<const Analysis>& Analysis::ofKeptSteps() const {
  return m_keptPart->analysis.get([&]() -> std::shared_ptr<const Analysis> {
    if (hasDigests(*m_trace)) return nullptr;
    std::vector<AskedRecording> asked;
    for (const RankIndex rank : m_ranks)
      asked.push_back({rank.value, m_trace->rank(rank).capture, window(rank), &wholeStepWindows(rank)});
    std::vector<RankRange> windows = windowsOfKeptSteps(keptSteps(), asked);
    if (windows.empty()) return nullptr;
    return std::make_shared<const Analysis>(*this, AnalysisScope{m_ranks, std::move(windows)});
  });
}

const StragglerAnalysis& Analysis::stragglers() const {
  return m_job->stragglers.get([&] {
    const std::size_t count = m_trace->ranks().size();
    std::vector<const std::vector<CollectiveCall>*> calls;
    std::vector<RankTimes> times;
    std::vector<IntervalSet> onHosts(count);
    // Steps of a truncated recording take no part in the comparison.
    const std::vector<bool> leftOut = leftOutRanks(*m_trace, clocks());
    static const StepWindows kNoSteps;
    for (std::size_t i = 0; i < count; ++i) {
      const RankIndex rank(i);
      calls.push_back(&collectiveCalls(rank));
      const RankTrace& trace = *m_trace->ranks()[i].trace;
      const bool onHost = trace.deviceBegin == trace.deviceEnd;
      if (onHost) onHosts[i] = differenceOf(hostActivity(rank).collectives, hostActivity(rank).compute);
      times.push_back({leftOut[i] ? &kNoSteps : &wholeStepWindows(rank),
                       onHost ? &onHosts[i] : &wholeActivity(rank).exposed, onHost});
    }
    return findStragglers(*m_trace, collectives().match, clocks(), calls, times, keptSteps());
  });
}

JobRange Analysis::extent() const {
  return m_job->extent.get([&] {
    JobRange extent;
    for (std::size_t i = 0; i < m_trace->ranks().size(); ++i) {
      const TimeRange own = m_trace->ranks()[i].trace->extent;
      if (!own.empty()) extent = extent.unitedWith(clocks().of(RankIndex(i)).toJob(RankRange::of(own)));
    }
    return extent;
  });
}

const std::vector<EventIndex>& Analysis::memoryOwners(RankIndex rank) const {
  return fromEvents(*m_trace, rank, whole(rank).memoryOwners,
                    [&](const RankTrace& trace) { return rankscope::memoryOwners(trace, m_trace->names()); });
}

const MemoryProfile& Analysis::memory(RankIndex rank) const {
  if (const auto* digest = results(rank).digested()) return digest->memory;
  return fromEvents(*m_trace, rank, results(rank).memory, [&](const RankTrace& trace) {
    return memoryProfile(trace, operatorTree(rank), memoryOwners(rank), m_trace->names(), window(rank).ns());
  });
}

void Analysis::computeAll(unsigned threadCount, const Progress* progress) const {
  parallelFor(m_ranks.size(), threadCount, [&](std::size_t i) {
    if (progress != nullptr && progress->cancelled()) return;
    const RankIndex rank = m_ranks[i];
    static_cast<void>(statistics(rank));
    static_cast<void>(kernels(rank));
    static_cast<void>(operators(rank));
    static_cast<void>(collectiveCalls(rank));
    static_cast<void>(memory(rank));
    static_cast<void>(stepBreakdown(rank));
    static_cast<void>(gpuParts(rank));
    static_cast<void>(launches(rank));
    static_cast<void>(gaps(rank));
    static_cast<void>(stepFacts(rank));
  });
  if (progress != nullptr && progress->cancelled()) return;
  static_cast<void>(stragglers());
  parallelFor(m_ranks.size(), threadCount, [&](std::size_t i) {
    static_cast<void>(collectiveStatistics(m_ranks[i]));
    static_cast<void>(arrivals(m_ranks[i]));
    static_cast<void>(gpuMetrics(m_ranks[i]));
  });
}

RankCounts countRanks(const Analysis& analysis) {
  std::set<int> numbers;
  for (const RankIndex rank : analysis.ranks()) numbers.insert(analysis.trace().rank(rank).rank);
  return {numbers.size(), analysis.ranks().size()};
}

TimeNs sinceJobBegin(const Analysis& analysis, RankIndex rank, RankTime time) {
  return analysis.clocks().of(rank).toJob(time) - analysis.extent().begin;
}

} // namespace rankscope
