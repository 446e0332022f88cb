// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about memory: growth and fragmentation.
#include "core/analysis/findings/finding_answers.h"
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
constexpr std::size_t kMinStepsForLeak = 4;
constexpr double kSoonFull = 2000; // steps
// Fragmentation matters where the reserved memory takes this share of the device.
constexpr double kNearlyFull = 0.6;

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
  const StringTable& names = analysis.trace().names();
  NameId grower;
  for (const auto& [name, size] : bytes) {
    const bool isMore = !grower.valid() || size > bytes[grower];
    if (isMore || (size == bytes[grower] && names[name] < names[grower])) grower = name;
  }
  return grower;
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
                       rankAnswer<NameId>(analysis.trace(), rank, "what grows on " + of.device.name(),
                                          [&] { return growerOf(analysis, rank, of.device, steps); })});
    }
  }
  return found;
}

std::uint64_t totalBytesOf(const FindingContext& context, RankIndex rank, MemoryDevice device) {
  for (const DeviceProperties& known : context.analysis().trace().rank(rank).trace->metadata.devices) {
    if (!device.onHost && known.id == device.id) return known.totalMemoryBytes;
  }
  return 0;
}

// At the measured growth; nothing where the size of the memory was not recorded.
std::optional<double> stepsUntilFull(const FindingContext& context, const Growing& growing) {
  const auto total = static_cast<double>(totalBytesOf(context, growing.rank, growing.device));
  if (total <= 0) return std::nullopt;
  for (const DeviceMemory& of : context.analysis().memory(growing.rank).devices) {
    if (of.device != growing.device || !of.peakAllocated) continue;
    return std::max(0.0, total - static_cast<double>(of.peakAllocated->allocated)) /
           growing.growth.bytesPerStep;
  }
  return std::nullopt;
}

Finding leakFinding(const FindingContext& context, const std::vector<Growing>& growing, bool all) {
  const Growing& worst = growing.front();
  Finding finding;
  finding.kind = FindingKind::MemoryGrowth;
  finding.leaf = "memory.leak";
  const std::optional<double> left = stepsUntilFull(context, worst);
  // Where the size of the memory is not known, a fast growth ends the job soon too.
  const bool soon = left ? *left <= kSoonFull : worst.growth.bytesPerStep >= kCertainGrowth;
  finding.severity = soon ? Severity::Critical : Severity::Warning;
  if (!all || context.ranks().size() == 1) finding.rank = worst.rank;
  finding.place = context.toJob(worst.rank, RankRange::of(worst.steps));
  const auto perStep = rounded(worst.growth.bytesPerStep);
  finding.costBytes = rounded(static_cast<double>(perStep) * static_cast<double>(worst.growth.steps));
  finding.steps = worst.growth.steps;
  const std::string where = all && context.ranks().size() > 1 ? fmt::format("{} ranks", growing.size())
                                                              : context.rankText(worst.rank);
  finding.title =
      fmt::format("Memory growth: {}/step, {}, {}", bytesText(perStep), worst.device.name(), where);
  finding.evidence = fmt::format("The minimum allocated memory per step rose in {} of {} steps.",
                                 worst.growth.growingSteps, worst.growth.steps - 1);
  if (left)
    finding.evidence +=
        fmt::format(" The device is full in about {}.", countedText(std::llround(*left), "step"));
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
      const auto total = static_cast<double>(totalBytesOf(context, rank, device.device));
      finding.severity = total > 0 && static_cast<double>(reserved) > kNearlyFull * total ? Severity::Warning
                                                                                          : Severity::Info;
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
  finding.leaf = "memory.fragmentation";
  finding.fix = "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or use fewer distinct sizes (pad "
                "batches to a few "
                "lengths); call torch.cuda.empty_cache() once after a phase that needed much more.";
  context.add(std::move(finding));
}

} // namespace

void findMemoryFindings(FindingContext& context) {
  findGrowth(context);
  findFragmentation(context);
}

} // namespace rankscope
