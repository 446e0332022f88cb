// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/side_collect.h"

#include "core/analysis/compare/side_rows.h"
#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/job/cut_ranks.h"
#include "core/analysis/memory/memory_profile.h"
#include "core/base/hash.h"
#include "core/base/number_ranges.h"
#include "core/base/parallel_for.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// A step of the job within a capture: its number, and the how manieth of that number.
using SampleKey = std::tuple<std::size_t, std::int64_t, std::size_t>;

struct FoundStep {
  SideStep step;
  SampleKey key;
  StepStatus status = StepStatus::Kept;
  LeafTimes times;
};

std::uint64_t recordingOf(const RankEntry& entry) {
  const TimeRange extent = entry.trace->extent;
  return hashOf(entry.rank, extent.begin, extent.end, entry.trace->events.begin.size());
}

SideStep stepOf(const RankEntry& entry, RankIndex rank, std::int64_t number, TimeRange range,
                const LeafTimes& times) {
  SideStep step;
  step.rank = entry.rank;
  step.capture = entry.capture;
  step.recording = recordingOf(entry);
  step.number = number;
  step.index = rank;
  step.range = range;
  step.duration = range.length();
  for (const LeafTime& part : times) step.classes[static_cast<std::size_t>(part.timeClass)] += part.time;
  return step;
}

// Steps, marked or detected.
std::vector<FoundStep> foundSteps(const Analysis& analysis, const JobAccount& account,
                                  const std::vector<std::size_t>& cycles) {
  std::vector<FoundStep> found;
  const KeptSteps& kept = analysis.keptSteps();
  for (const RankIndex rank : wholeRanks(analysis)) {
    const StepWindows& whole = analysis.wholeStepWindows(rank);
    if (!whole.areSteps()) continue;
    const RankEntry& entry = analysis.trace().rank(rank);
    std::size_t at = 0;
    for (const StepAccount& step : account.of(rank).steps) {
      while (at < whole.steps.size() && whole.steps[at].range != step.range) ++at;
      if (at == whole.steps.size()) break;
      const StepStatus status = kept.status(rank.value, at);
      const JobStep& ofJob = kept.steps[kept.stepOfRank[rank.value][at++]];
      if (step.range.empty()) continue; // nothing can be said of it
      found.push_back({stepOf(entry, rank, step.number, step.range, step.times),
                       {cycles[rank.value], step.number, ofJob.occurrence},
                       status,
                       step.times});
    }
  }
  return found;
}

// What was recorded of each rank is one step.
std::vector<FoundStep> recordingsAsSteps(const Analysis& analysis, const JobAccount& account,
                                         const std::vector<std::size_t>& cycles) {
  std::vector<FoundStep> found;
  for (const RankIndex rank : wholeRanks(analysis)) {
    const TimePieces& pieces = account.of(rank).pieces;
    const TimeRange range = pieces.range().clippedTo(analysis.window(rank).ns());
    if (range.empty()) continue;
    LeafTimes times = pieces.within(range);
    SideStep step = stepOf(analysis.trace().rank(rank), rank, Step::kUnknownNumber, range, times);
    found.push_back(
        {step, {cycles[rank.value], Step::kUnknownNumber, 0}, StepStatus::Kept, std::move(times)});
  }
  return found;
}

void addToSample(SideSample& sample, const FoundStep& found) {
  sample.cycle = std::get<0>(found.key);
  sample.number = found.step.number;
  if (found.status != StepStatus::Kept) sample.status = found.status;
  ++sample.ranks;
  sample.duration += static_cast<double>(found.step.duration);
  for (std::size_t i = 0; i < kTimeClassCount; ++i)
    sample.classes[i] += static_cast<double>(found.step.classes[i]);
  for (const LeafTime& part : found.times)
    sample.leaves[classLeaf(part.timeClass, part.leaf)] += static_cast<double>(part.time);
}

void finishSamples(std::vector<SideSample>& samples) {
  std::size_t position = 0;
  for (SideSample& sample : samples) {
    const double share = 1.0 / static_cast<double>(sample.ranks);
    sample.duration *= share;
    for (double& time : sample.classes) time *= share;
    for (double& time : sample.leaves) time *= share;
    if (sample.kept()) sample.position = ++position;
  }
}

void addSteps(SideFacts& side, std::vector<FoundStep> found) {
  std::map<SampleKey, std::size_t> places;
  for (const FoundStep& step : found) places.try_emplace(step.key, 0);
  for (std::size_t next = 0; auto& [key, place] : places) place = next++;
  side.samples.resize(places.size());
  side.steps.reserve(found.size());
  for (FoundStep& step : found) {
    step.step.sample = places[step.key];
    addToSample(side.samples[step.step.sample], step);
    side.steps.push_back(step.step);
  }
  finishSamples(side.samples);
}

std::string joinedTexts(const std::set<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += ", ";
    joined += text;
  }
  return joined;
}

Recorded recorded(bool is) {
  return is ? Recorded::Yes : Recorded::No;
}

void addCycles(const Analysis& analysis, const std::vector<std::size_t>& cycles, SideIdentity& identity) {
  std::map<std::size_t, std::vector<int>> ranksOf;
  for (const RankIndex rank : wholeRanks(analysis))
    ranksOf[cycles[rank.value]].push_back(analysis.trace().rank(rank).rank);
  identity.cycles = ranksOf.size();
  for (const auto& [cycle, ranks] : ranksOf)
    identity.equalCycles = identity.equalCycles && ranks == ranksOf.begin()->second;
}

SideIdentity identityOf(const Analysis& analysis, const std::vector<std::size_t>& cycles) {
  SideIdentity identity;
  const TraceSet& trace = analysis.trace();
  identity.job = trace.jobName();
  identity.worldSize = trace.worldSize();
  addCycles(analysis, cycles, identity);
  std::set<int> ranks;
  std::set<std::string> devices;
  std::set<std::string> hosts;
  std::set<std::string> backends;
  std::set<std::string> nccl;
  std::set<std::string> runtimes;
  std::set<std::string> drivers;
  bool stacks = false;
  bool memory = false;
  identity.found = StepSource::Marked;
  for (const RankIndex rank : wholeRanks(analysis)) {
    const RankEntry& entry = trace.rank(rank);
    ranks.insert(entry.rank);
    if (!entry.gpu.empty()) devices.insert(entry.gpu);
    if (!entry.host.empty()) hosts.insert(entry.host);
    const TraceMetadata& metadata = entry.trace->metadata;
    for (const auto& [text, texts] :
         {std::pair(&metadata.backend, &backends), std::pair(&metadata.ncclVersion, &nccl),
          std::pair(&metadata.runtimeVersion, &runtimes), std::pair(&metadata.driverVersion, &drivers)}) {
      if (!text->empty()) texts->insert(*text);
    }
    identity.recordings.push_back(recordingOf(entry));
    stacks = stacks || hasPythonFrames(*entry.trace);
    memory = memory || !entry.trace->memory.empty();
    identity.hasDevices = identity.hasDevices || !entry.trace->devices.empty();
    identity.found = std::max(identity.found, analysis.wholeStepWindows(rank).found);
    if (entry.trace->memory.empty()) continue;
    const std::vector<DeviceMemory> levels = memoryOfDevices(*entry.trace, analysis.window(rank).ns());
    // Memory of the host is not that of a rank with a device.
    const bool ofHost = std::ranges::all_of(levels, [](const auto& of) { return of.device.onHost; });
    if (ofHost && hasDeviceEvents(analysis.trace(), rank)) continue;
    if (const auto peak = peakAllocatedBytes(levels))
      identity.peakAllocatedBytes = std::max(identity.peakAllocatedBytes.value_or(0), *peak);
  }
  identity.ranks.assign(ranks.begin(), ranks.end());
  identity.devices = joinedTexts(devices);
  identity.hosts = joinedTexts(hosts);
  identity.backend = joinedTexts(backends);
  identity.ncclVersion = joinedTexts(nccl);
  identity.runtimeVersion = joinedTexts(runtimes);
  identity.driverVersion = joinedTexts(drivers);
  std::ranges::sort(identity.recordings);
  identity.stacks = recorded(stacks);
  identity.memory = recorded(memory);
  const TimeRange extent = trace.extent();
  identity.source = hashOf(extent.begin, extent.end, trace.eventCount());
  if (const std::string note = truncationNote(analysis); !note.empty()) identity.notes.push_back(note);
  return identity;
}

// Every rank by itself: the mean of its own kept steps.
void addRanks(SideFacts& side) {
  std::map<int, std::pair<SideRank, double>> ranks;
  for (const SideStep& step : side.steps) {
    if (!side.samples[step.sample].kept()) continue;
    auto& [sum, count] = ranks[step.rank];
    sum.rank = step.rank;
    sum.step += static_cast<double>(step.duration);
    sum.exposed +=
        static_cast<double>(step.classes[static_cast<std::size_t>(TimeClass::ExposedCommunication)]);
    count += 1;
  }
  for (auto& [rank, sum] : ranks) {
    SideRank row = sum.first;
    if (!side.isTotal) {
      row.step /= sum.second;
      row.exposed /= sum.second;
    }
    side.ranks.push_back(row);
  }
}

void addFindings(const Analysis& analysis, std::span<const Finding> findings, SideFacts& side) {
  side.findings.reserve(findings.size());
  for (const Finding& finding : findings) {
    SideFinding one;
    one.kind = findingKindText(finding.kind);
    one.leaf = finding.leaf;
    if (finding.rank.valid()) one.rank = analysis.trace().rank(finding.rank).rank;
    if (finding.gain) one.gainLow = static_cast<double>(finding.gain->low);
    one.title = finding.title;
    side.findings.push_back(std::move(one));
  }
}

// The kept steps of each rank, in order of time.
std::vector<std::vector<RowWindow>> windowsOf(const Analysis& analysis, const SideFacts& side) {
  std::vector<std::vector<RowWindow>> windows(analysis.trace().ranks().size());
  const auto kept = static_cast<double>(side.keptCount());
  for (const SideStep& step : side.steps) {
    const SideSample& sample = side.samples[step.sample];
    if (!sample.kept()) continue;
    const double weight = side.isTotal ? 1 : 1 / (kept * static_cast<double>(sample.ranks));
    windows[step.index.value].push_back(
        {step.range, sample.position - 1, weight, 1 / static_cast<double>(sample.ranks)});
  }
  for (std::vector<RowWindow>& ofRank : windows)
    std::ranges::sort(ofRank, {}, [](const RowWindow& window) { return window.range.begin; });
  return windows;
}

std::uint64_t fingerprintOf(const SideFacts& side) {
  std::uint64_t hash = side.identity.source;
  for (const SideStep& step : side.steps) hash = hashOf(hash, step.rank, step.range.begin, step.range.end);
  return hash;
}

} // namespace

std::vector<std::size_t> captureCycles(const Analysis& analysis) {
  std::vector<std::size_t> cycles(analysis.trace().ranks().size(), 0);
  std::vector<std::pair<JobRange, RankIndex>> recordings;
  recordings.reserve(analysis.ranks().size());
  for (const RankIndex rank : analysis.ranks()) {
    const RankRange own = RankRange::of(analysis.trace().rank(rank).trace->extent);
    recordings.emplace_back(analysis.clocks().of(rank).toJob(own), rank);
  }
  std::ranges::sort(recordings, {}, [](const auto& one) { return std::pair(one.first.begin, one.second); });
  std::size_t cycle = 0;
  JobTime end;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const auto& [range, rank] = recordings[i];
    if (i > 0 && range.begin >= end) ++cycle;
    end = i > 0 ? std::max(end, range.end) : range.end;
    cycles[rank.value] = cycle;
  }
  return cycles;
}

std::string truncationNote(const Analysis& analysis) {
  std::set<int> left;
  const std::vector<RankIndex> whole = wholeRanks(analysis);
  for (const RankIndex rank : analysis.ranks())
    if (!std::ranges::binary_search(whole, rank)) left.insert(analysis.trace().rank(rank).rank);
  if (left.empty()) return {};
  const std::string numbers = numberRangesText({left.begin(), left.end()});
  return left.size() == 1 ? fmt::format("rank {} is left out: its file is truncated", numbers)
                          : fmt::format("ranks {} are left out: their files are truncated", numbers);
}

SideFacts collectSide(const Analysis& analysis, const JobAccount& account, std::span<const Finding> findings,
                      const SideOptions& options) {
  SideFacts side;
  side.isTotal = options.total;
  const std::vector<std::size_t> cycles = captureCycles(analysis);
  side.identity = identityOf(analysis, cycles);
  std::vector<FoundStep> found = foundSteps(analysis, account, cycles);
  side.areSteps = !found.empty();
  if (found.empty()) found = recordingsAsSteps(analysis, account, cycles);
  addSteps(side, std::move(found));
  side.identity.fingerprint = fingerprintOf(side);
  addRanks(side);
  addFindings(analysis, findings, side);
  const std::vector<std::vector<RowWindow>> windows = windowsOf(analysis, side);
  std::vector<SideRows> rows(analysis.ranks().size());
  const std::size_t kept = side.keptCount();
  parallelFor(rows.size(), options.threadCount, [&](std::size_t i) {
    if (options.progress != nullptr && options.progress->cancelled()) return;
    const RankIndex rank = analysis.ranks()[i];
    rows[i] = sideRows(analysis, rank, windows[rank.value], kept);
  });
  addRows(side, rows);
  return side;
}

} // namespace rankscope
