// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about memory: growth, spikes, fragmentation, and allocations of the device within the steps.
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/memory/memory_blocks.h"
#include "core/analysis/memory/memory_growth.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace rankscope {

namespace {

// Growth below this in a step, and unused reserved memory below this, is not reported.
constexpr double kMinGrowth = 256.0 * 1024;
constexpr double kCertainGrowth = 1024.0 * 1024;
constexpr std::int64_t kMinUnused = std::int64_t{256} << 20;
constexpr double kUnusedShare = 0.2;
constexpr Shares kAllocationShares{0.005, 0.03, 0.15};
constexpr std::size_t kMinStepsForLeak = 4;

struct Growing {
  RankIndex rank;
  MemoryDevice device;
  MemoryGrowth growth;
  TimeRange steps; // rank's clock
  NameId grower;   // the operator that allocated most of what stays; invalid when none is known
};

std::vector<TimeRange> stepRanges(const Analysis& analysis, RankIndex rank) {
  std::vector<TimeRange> ranges;
  const StepWindows& steps = analysis.stepWindows(rank);
  if (!steps.areSteps()) return ranges;
  for (const StepWindow& step : steps.steps) ranges.push_back(step.range);
  return ranges;
}

// The operator that allocated most of what was allocated between the first step, which makes what a job keeps
// for good, and the last, whose memory may yet be freed, and is still there at the end.
NameId growerOf(const Analysis& analysis, RankIndex rank, MemoryDevice device,
                const std::vector<TimeRange>& steps) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  std::map<NameId, ExactSum> bytes;
  for (const MemoryBlock& block : memoryBlocks(trace, analysis.memoryOwners(rank)).blocks) {
    if (block.device != device || !block.allocatedBy.valid()) continue;
    if (block.life.begin < steps[1].begin || block.life.begin >= steps.back().begin) continue;
    if (block.life.end >= steps.back().end) bytes[trace.events.name[block.allocatedBy]] += block.bytes;
  }
  const auto maximum = std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; });
  return maximum != bytes.end() ? maximum->first : NameId();
}

std::vector<Growing> growingDevices(const Analysis& analysis) {
  std::vector<Growing> found;
  for (const RankIndex rank : analysis.ranks()) {
    const std::vector<TimeRange> steps = stepRanges(analysis, rank);
    if (steps.size() < kMinStepsForLeak) continue;
    const MemoryProfile& memory = analysis.memory(rank);
    for (const DeviceMemory& of : memory.devices) {
      const auto growth = memoryGrowth(memoryBySteps(of.levels, steps));
      if (!growth || !growth->isLeak() || growth->bytesPerStep < kMinGrowth) continue;
      found.push_back({rank,
                       of.device,
                       *growth,
                       {steps.front().begin, steps.back().end},
                       growerOf(analysis, rank, of.device, steps)});
    }
  }
  return found;
}

Finding leakFinding(const FindingContext& context, const std::vector<Growing>& growing, bool all) {
  const Growing& worst = growing.front();
  Finding finding;
  finding.kind = FindingKind::MemoryGrowth;
  // Any growth eventually ends the job with an out-of-memory error.
  finding.severity = worst.growth.bytesPerStep >= kCertainGrowth ? Severity::Critical : Severity::Warning;
  if (!all || context.ranks().size() == 1) finding.rank = worst.rank;
  finding.place = context.toJob(worst.rank, RankRange::of(worst.steps));
  const auto perStep = rounded(worst.growth.bytesPerStep);
  finding.costBytes = rounded(static_cast<double>(perStep) * static_cast<double>(worst.growth.steps));
  const std::string where = all && context.ranks().size() > 1 ? fmt::format("{} ranks", growing.size())
                                                              : context.rankText(worst.rank);
  finding.title =
      fmt::format("Memory growth: {}/step, {}, {}", bytesText(perStep), worst.device.name(), where);
  finding.evidence = fmt::format("The minimum allocated memory per step rose in {} of {} steps.",
                                 worst.growth.growingSteps, worst.growth.steps - 1);
  if (worst.grower.valid())
    finding.evidence += fmt::format(" Retained memory was mostly allocated by {}.",
                                    context.analysis().trace().names()[worst.grower]);
  finding.fix =
      "Tensors are retained across steps: losses appended without .item() or .detach(), outputs in a list, a "
      "graph held by retain_graph=True, an unbounded cache. Record with with_stack=True and inspect the live "
      "blocks.";
  return finding;
}

void findGrowth(FindingContext& context) {
  std::vector<Growing> growing = growingDevices(context.analysis());
  std::ranges::stable_sort(growing, std::greater<>(), [](const Growing& g) { return g.growth.bytesPerStep; });
  if (growing.empty()) return;
  if (growing.size() * 2 >= context.ranks().size() && growing.size() > 1) {
    context.add(leakFinding(context, growing, true));
    return;
  }
  for (const Growing& one : growing) context.add(leakFinding(context, {one}, context.ranks().size() == 1));
}

void findFragmentation(FindingContext& context) {
  Finding finding;
  for (const RankIndex rank : context.ranks()) {
    // The peak of a part of the recording may stand anywhere below the one that the memory was reserved for.
    if (context.analysis().window(rank) != kWholeRecording) continue;
    for (const DeviceMemory& device : context.analysis().memory(rank).devices) {
      const auto unused = device.fragmentationAtPeak();
      if (!unused || *unused < kMinUnused || *unused <= finding.costBytes.value_or(0)) continue;
      const std::int64_t reserved = device.peakAllocated->reserved;
      if (static_cast<double>(*unused) < kUnusedShare * static_cast<double>(reserved)) continue;
      finding.rank = rank;
      finding.costBytes = *unused;
      const JobTime at = context.analysis().clocks().of(rank).toJob(RankTime(device.peakAllocated->time));
      finding.place = {at, at + 1};
      finding.title = fmt::format("Fragmentation: {} reserved but unallocated, {}, rank {}",
                                  bytesText(*unused), device.device.name(), context.rankNumber(rank));
      finding.evidence = fmt::format("At the allocation peak, {} of {} reserved is allocated.",
                                     bytesText(device.peakAllocated->allocated), bytesText(reserved));
    }
  }
  if (!finding.costBytes) return;
  finding.kind = FindingKind::Fragmentation;
  finding.severity = Severity::Warning;
  finding.fix = "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or use fewer distinct sizes (pad "
                "batches to a few "
                "lengths); call torch.cuda.empty_cache() once after a phase that needed much more.";
  context.add(std::move(finding));
}

void findSpikes(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  Finding finding;
  for (const RankIndex rank : context.ranks()) {
    const std::vector<TimeRange> steps = stepRanges(analysis, rank);
    for (const DeviceMemory& device : analysis.memory(rank).devices) {
      if (device.device.onHost) continue;
      const auto perStep = memoryBySteps(device.levels, steps);
      for (const MemorySpike& spike : memorySpikes(perStep)) {
        const std::int64_t excess = spike.peak.allocated - spike.typicalPeak;
        if (excess <= finding.costBytes.value_or(0)) continue;
        finding.rank = rank;
        finding.costBytes = excess;
        finding.step = analysis.stepWindows(rank).steps[spike.step].number;
        const JobTime at = analysis.clocks().of(rank).toJob(RankTime(spike.peak.time));
        finding.place = {at, at + 1};
        finding.title = fmt::format("Memory spike: {} above median, rank {} step {}", bytesText(excess),
                                    context.rankNumber(rank), *finding.step);
        finding.evidence = fmt::format("Peak on {}: {}; median step: {}.", device.device.name(),
                                       bytesText(spike.peak.allocated), bytesText(spike.typicalPeak));
      }
    }
  }
  if (!finding.costBytes) return;
  finding.kind = FindingKind::MemorySpike;
  finding.severity = Severity::Info;
  finding.fix =
      "This peak determines whether the job fits: find the operator that allocates there (evaluation, an "
      "unusually long sequence, a gradient check) and run it in smaller pieces.";
  context.add(std::move(finding));
}

void findDeviceAllocations(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  std::vector<RankCost> costs;
  for (const RankIndex rank : context.ranks()) {
    const RankTrace& trace = *analysis.trace().rank(rank).trace;
    const StepWindows& steps = analysis.stepWindows(rank);
    if (!steps.areSteps()) continue;
    NameMemory classes(analysis.trace().names(),
                       [](std::string_view name) { return static_cast<std::uint8_t>(callClassOf(name)); });
    RankCost cost;
    cost.rank = rank;
    for (const Track& track : trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
        if (trace.events.kind[e] != EventKind::Runtime) continue;
        if (classes[trace.events.name[e]] != static_cast<std::uint8_t>(CallClass::Allocate)) continue;
        const TimeRange range = trace.events.range(e);
        const auto step = steps.indexAt(range.begin);
        if (!step) continue;
        ++cost.count;
        if (!cost.addInstance(range.length())) continue;
        cost.place = context.toJob(rank, RankRange::of(range));
        cost.event = {rank, e};
        cost.step = steps.steps[*step].number;
      }
    }
    costs.push_back(cost);
  }
  context.addForRanks(
      FindingKind::DeviceAllocation, std::move(costs), kAllocationShares,
      [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title = fmt::format("Device allocations in steps: {}", durationText(*finding.cost));
        finding.evidence =
            fmt::format("{} of cudaMalloc, cudaFree or similar within steps; cudaFree waits for the whole "
                        "device.",
                        countedText(sumOf(part, &RankCost::count), "call"));
        finding.fix = "Let the caching allocator retain its memory: warm up with the largest batch, do not "
                      "call empty_cache() in the loop, set expandable_segments:True, and leave free memory "
                      "(retries after an out-of-memory error free the whole cache).";
      });
}

} // namespace

void findMemoryFindings(FindingContext& context) {
  findGrowth(context);
  findFragmentation(context);
  findSpikes(context);
  findDeviceAllocations(context);
}

} // namespace rankscope
