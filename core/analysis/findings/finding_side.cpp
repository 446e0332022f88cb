// SPDX-License-Identifier: GPL-3.0-or-later
// Findings of files beside traces (beside_findings), and of memory beside its limits: how near it is to the
// limit, what is larger than it should be.
#include "core/analysis/efficiency/iteration_search.h"
#include "core/analysis/findings/beside_findings.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/findings/findings.h"
#include "core/analysis/memory/expected_memory.h"
#include "core/analysis/memory/trace_roles.h"
#include "core/base/unit_text.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>

namespace rankscope {

namespace {

// Of the memory of the device.
constexpr double kNearLimit = 0.90;
constexpr double kAtLimit = 0.95;
// Optimizer state beside what it should be.
constexpr double kLessThanExpected = 0.9;
constexpr double kMoreThanExpected = 1.15;
constexpr std::int64_t kMinPart = std::int64_t{64} << 20;

// The recordings of these ranks, if there are any.
std::vector<RankIndex> recordingsOf(const FindingContext& context, const std::vector<int>& ranks) {
  std::vector<RankIndex> found;
  for (const RankIndex rank : context.ranks()) {
    if (std::ranges::find(ranks, context.analysis().trace().rank(rank).rank) != ranks.end())
      found.push_back(rank);
  }
  return found;
}

void addOfFiles(FindingContext& context, BesideFinding of) {
  Finding finding;
  finding.kind = of.kind;
  finding.leaf = std::move(of.leaf);
  finding.severity = Severity::Critical;
  finding.ranks = recordingsOf(context, of.ranks);
  if (finding.ranks.size() == 1) finding.rank = finding.ranks.front();
  finding.costBytes = of.costBytes;
  finding.title = std::move(of.title);
  finding.evidence = std::move(of.evidence);
  finding.fix = std::move(of.fix);
  context.add(std::move(finding));
}

std::uint64_t deviceBytes(const FindingContext& context, RankIndex rank, MemoryDevice device) {
  for (const DeviceProperties& known : context.analysis().trace().rank(rank).trace->metadata.devices) {
    if (!device.onHost && known.id == device.id) return known.totalMemoryBytes;
  }
  return 0;
}

// Of the engines that serve models, and of their caches of keys and values in pages.
bool isOfServer(std::string_view name) {
  constexpr std::array<std::string_view, 6> kParts{"vllm",  "sglang", "tensorrt_llm",
                                                   "paged", "Paged",  "reshape_and_cache"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

// Servers reserve most of the device at their start, for the key-value cache; nothing of it grows.
bool serves(const FindingContext& context) {
  const bool trains = std::ranges::any_of(context.ranks(), [&](RankIndex rank) {
    const HostPhases& phases = context.analysis().wholePhases(rank);
    return !phases.backward.empty() || !phases.optimizer.empty();
  });
  if (trains) return false;
  const TraceSet& job = context.analysis().trace();
  if (jobHasName(job, "inference server", [](std::string_view name) { return isOfServer(name); }))
    return true;
  return std::ranges::any_of(context.ranks(), [&](RankIndex rank) {
    return context.ofRank<bool>(rank, "labeled iterations", [&] {
      return !labeledIterations(context.traceOf(rank), job.names()).empty();
    });
  });
}

void findNearLimit(FindingContext& context) {
  Finding finding;
  const bool byPurpose = serves(context);
  double worst = kNearLimit;
  for (const RankIndex rank : context.ranks()) {
    for (const DeviceMemory& device : context.analysis().memory(rank).devices) {
      const auto total = static_cast<double>(deviceBytes(context, rank, device.device));
      if (!device.peakReserved || total <= 0) continue;
      const double share = static_cast<double>(device.peakReserved->reserved) / total;
      if (share <= worst) continue;
      worst = share;
      finding.rank = rank;
      finding.costBytes = device.peakReserved->reserved;
      finding.severity = byPurpose          ? Severity::Info
                         : share > kAtLimit ? Severity::Critical
                                            : Severity::Warning;
      const JobTime at = context.analysis().clocks().of(rank).toJob(RankTime(device.peakReserved->time));
      finding.place = {at, at + 1};
      finding.title =
          fmt::format("Near the memory limit: {} of {}, rank {}", bytesText(device.peakReserved->reserved),
                      bytesText(static_cast<std::int64_t>(total)), context.rankNumber(rank));
      finding.evidence = fmt::format(
          "{} of the device are reserved at the peak; {}", percentText(100 * std::min(share, 1.0)),
          byPurpose ? "an inference server reserves it on purpose, for its key-value cache."
                    : "a longer sequence or a larger batch may fail.");
    }
  }
  if (!finding.costBytes) return;
  finding.kind = FindingKind::NearLimit;
  finding.leaf = "memory.near_limit";
  finding.fix = "See in the Memory tab what takes most: activation checkpointing for activations, sharding "
                "for the rest; "
                "expandable_segments:True against fragmentation.";
  context.add(std::move(finding));
}

// What a device has of both, in bytes.
struct KeptState {
  std::int64_t state = 0;
  std::int64_t gradients = 0;
};

struct KeptStates {
  bool recorded = false; // memory was
  std::string optimizer;
  std::vector<KeptState> devices;
};

} // namespace

template <class Archive, Described<KeptState> T> void describe(Archive& archive, T& of) {
  auto& [state, gradients] = of;
  archive(state, gradients);
}
template <class Archive, Described<KeptStates> T> void describe(Archive& archive, T& of) {
  auto& [recorded, optimizer, devices] = of;
  archive(recorded, optimizer, devices);
}

namespace {

KeptStates keptStates(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  KeptStates found;
  found.recorded = trace.memory.size() > 0;
  if (!found.recorded) return found;
  const MemoryBlocks blocks = memoryBlocks(trace, context.analysis().memoryOwners(rank));
  const MemoryRoles roles = memoryRoles(trace, context.analysis().trace().names(), blocks);
  found.optimizer = roles.optimizer;
  found.devices.reserve(roles.devices.size());
  for (const DeviceRoles& device : roles.devices)
    found.devices.push_back({device.largest[static_cast<std::size_t>(MemoryRole::OptimizerState)],
                             device.gradientsAfterBackward});
  return found;
}

// Optimizer state and gradients are both recorded where the first step is: their ratio is that of the
// optimizer, unless another copy is kept.
void findExpected(FindingContext& context) {
  for (const RankIndex rank : context.ranks()) {
    const auto kept = context.ofRank<KeptStates>(rank, "optimizer state and gradients",
                                                 [&] { return keptStates(context, rank); });
    if (!kept.recorded) continue;
    for (const auto& [state, gradients] : kept.devices) {
      if (state < kMinPart || gradients < kMinPart || kept.optimizer.empty()) continue;
      MeasuredMemory measured;
      measured.gradients = gradients;
      measured.optimizer = state;
      measured.optimizerName = kept.optimizer;
      const ExpectedMemory expected = expectedMemory(measured, {}, {});
      const auto item = std::ranges::find(expected.items, std::string_view("optimizer"), &ExpectedItem::item);
      const auto ratio = item != expected.items.end() ? item->ratio() : std::nullopt;
      if (!ratio || (*ratio >= kLessThanExpected && *ratio <= kMoreThanExpected)) continue;
      Finding finding;
      finding.kind = FindingKind::MemoryExpected;
      finding.leaf = "memory.expected";
      finding.severity = Severity::Info;
      finding.rank = rank;
      finding.costBytes = state;
      finding.title = fmt::format("Optimizer state: {:.1f} times the expected size for {}, rank {}", *ratio,
                                  kept.optimizer, context.rankNumber(rank));
      finding.evidence = fmt::format("{} of optimizer state for {} of gradients; {} are expected in fp32.",
                                     bytesText(state), bytesText(gradients), bytesText(*item->expected));
      finding.fix =
          *ratio > 1 ? "Master weights and wider formats explain it in mixed precision; otherwise look for a "
                       "second copy. Sharding (ZeRO-1) or an 8-bit optimizer make it smaller."
                     : "Sharded or offloaded state explains it; otherwise some parameters are not trained.";
      context.add(std::move(finding));
      return;
    }
    return; // ranks of a job keep the same optimizer: one tells
  }
}

} // namespace

void findSideFindings(FindingContext& context, const SideConclusions* side) {
  const SideFiles& files = context.analysis().trace().side();
  BesideFindings found =
      side == nullptr ? besideFindings(files) : besideFindings(files, side->hang, side->replays);
  for (BesideFinding& finding : found.findings) addOfFiles(context, std::move(finding));
  findNearLimit(context);
  findExpected(context);
}

} // namespace rankscope
