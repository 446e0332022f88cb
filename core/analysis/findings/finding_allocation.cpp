// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about memory that steps allocate from the driver, by what makes them do so: a cache that is
// emptied or off, memory that runs out, host memory that is pinned.
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/findings/leaf_parts.h"
#include "core/analysis/stacks/frame_names.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kMinAllocationShare = 0.005;
constexpr std::string_view kLeaf = "host.alloc";
// So many frees in a row return the cache.
constexpr std::int64_t kBurst = 10;
// An allocator without cache asks the driver so often, for so many of its allocations. It reports none of
// them to the profiler: then for so many of the operators that allocate.
constexpr double kManyMallocs = 100;
constexpr double kUncachedShare = 0.3;
constexpr double kUncachedOperators = 0.8;
// Cached memory is returned on purpose in so many of the steps.
constexpr double kMostSteps = 0.8;

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

bool isFree(std::string_view name) {
  return has(name, "Free") && !has(name, "Host") && !has(name, "Async");
}

bool isMalloc(std::string_view name) {
  return has(name, "Malloc") && !has(name, "Host") && !has(name, "Async");
}

bool pinsMemory(std::string_view name) {
  return has(name, "HostAlloc") || has(name, "HostRegister") || has(name, "MallocHost") ||
         has(name, "HostMalloc");
}

// What operators allocate by.
bool allocates(std::string_view name) {
  return name == "aten::empty" || name == "aten::empty_strided";
}

// Calls of the allocator in the kept steps of a rank.
struct Calls {
  std::int64_t mallocs = 0;
  std::int64_t frees = 0;
  std::int64_t steps = 0;
  std::int64_t burstSteps = 0;    // steps in which the cache was returned and memory allocated again
  std::int64_t allocations = 0;   // of device memory by operators, where they were recorded
  std::int64_t operators = 0;     // that allocate
  std::int64_t asking = 0;        // of these, those that asked the driver
  std::int64_t uncachedSteps = 0; // steps in which nearly all of them did
  // Whether the calls of Python were recorded, and empty_cache() is not among them.
  bool neverEmptied = false;
};

} // namespace

template <class Archive, Described<Calls> T> void describe(Archive& archive, T& calls) {
  auto& [mallocs, frees, steps, burstSteps, allocations, operators, asking, uncachedSteps, neverEmptied] =
      calls;
  archive(mallocs, frees, steps, burstSteps, allocations, operators, asking, uncachedSteps, neverEmptied);
}

namespace {

enum class AllocatorEvent : std::uint8_t { Malloc, Free, Operator, Other };

AllocatorEvent allocatorEventOf(std::string_view name) {
  if (allocates(name)) return AllocatorEvent::Operator;
  if (callClassOf(name) != CallClass::Allocate) return AllocatorEvent::Other;
  if (isFree(name)) return AllocatorEvent::Free;
  return isMalloc(name) ? AllocatorEvent::Malloc : AllocatorEvent::Other;
}

struct TimedEvent {
  EventIndex event;
  AllocatorEvent kind = AllocatorEvent::Other;
};

// Of one step: its events in order.
void count(const StringTable& names, const RankTrace& trace, const std::vector<TimedEvent>& events,
           Calls& sum) {
  std::int64_t inRow = 0;
  std::int64_t operators = 0;
  std::int64_t asking = 0;
  EventIndex lastAsking;
  bool returned = false;
  bool again = false;
  for (const TimedEvent& of : events) {
    if (of.kind == AllocatorEvent::Operator) {
      ++operators;
    } else if (of.kind == AllocatorEvent::Free) {
      ++sum.frees;
      returned |= ++inRow >= kBurst;
    } else {
      ++sum.mallocs;
      again |= returned;
      inRow = 0;
      const EventIndex around = trace.parentOf(of.event);
      if (!around.valid() || around == lastAsking || !allocates(names[trace.events.name[around]])) continue;
      lastAsking = around;
      ++asking;
    }
  }
  if (returned && again) ++sum.burstSteps;
  if (asking > 0 && static_cast<double>(asking) >= kUncachedOperators * static_cast<double>(operators))
    ++sum.uncachedSteps;
  sum.operators += operators;
  sum.asking += asking;
}

// Calls of the driver and operators that allocate.
std::vector<TimedEvent> allocatorEvents(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  NameMemory kindOf(context.analysis().trace().names(),
                    [](std::string_view name) { return static_cast<std::uint8_t>(allocatorEventOf(name)); });
  std::vector<TimedEvent> events;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const auto kind = static_cast<AllocatorEvent>(kindOf[trace.events.name[event]]);
      const EventKind needed = kind == AllocatorEvent::Operator ? EventKind::CpuOp : EventKind::Runtime;
      if (kind != AllocatorEvent::Other && trace.events.kind[event] == needed)
        events.push_back({event, kind});
    }
  }
  std::ranges::stable_sort(events, {}, [&](const TimedEvent& of) { return trace.events.begin[of.event]; });
  return events;
}

// Calls of modules alone (with_modules=True) do not tell.
bool hasPythonCalls(const RankTrace& trace, const StringTable& names) {
  return std::ranges::any_of(trace.tracks, [&](const Track& track) {
    if (track.kind != TrackKind::Python) return false;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const NameId name = trace.events.name[event];
      if (name.valid() && !isModuleFrame(names[name])) return true;
    }
    return false;
  });
}

Calls callsOf(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  const StringTable& names = context.analysis().trace().names();
  const auto& windows = context.kept().windows[rank.value];
  std::vector<std::vector<TimedEvent>> bySteps(windows.size());
  for (const TimedEvent& of : allocatorEvents(context, rank))
    if (const auto at = context.windowAt(rank, trace.events.begin[of.event])) bySteps[*at].push_back(of);
  Calls sum;
  sum.steps = static_cast<std::int64_t>(windows.size());
  for (const std::vector<TimedEvent>& events : bySteps) count(names, trace, events, sum);
  sum.allocations = std::ranges::count_if(trace.memory, [&](const MemoryEvent& memory) {
    return memory.bytes > 0 && memory.deviceType > 0 && context.windowAt(rank, memory.time);
  });
  sum.neverEmptied =
      hasPythonCalls(trace, names) && context.spans(rank).of(NamedCall::EmptyCache).ranges().empty();
  return sum;
}

FindingKind causeOf(const Calls& calls) {
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, calls.steps));
  const bool many =
      static_cast<double>(calls.mallocs) >= kManyMallocs * steps && 2 * calls.frees >= calls.mallocs;
  // First, because without cache memory is returned in bursts too, as when gradients are freed.
  if (many && calls.allocations == 0 && calls.uncachedSteps >= calls.steps) return FindingKind::CachingOff;
  if (calls.burstSteps > 0) {
    const bool each = static_cast<double>(calls.burstSteps) >= kMostSteps * steps;
    return each && !calls.neverEmptied ? FindingKind::EmptyCache : FindingKind::OomRetry;
  }
  const bool uncached = calls.allocations > 0 && static_cast<double>(calls.mallocs) >=
                                                     kUncachedShare * static_cast<double>(calls.allocations);
  return many && uncached ? FindingKind::CachingOff : FindingKind::DeviceAllocation;
}

struct AllocationTexts {
  FindingKind kind;
  const char* title;
  const char* evidence;
  const char* fix;
};

constexpr std::array kAllocationTexts{
    AllocationTexts{FindingKind::DeviceAllocation, "Device allocation in steps",
                    "cudaFree waits for the whole device.",
                    "Let the caching allocator keep its memory: warm up with the largest batch, do not call "
                    "empty_cache() in the loop, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True."},
    AllocationTexts{
        FindingKind::EmptyCache, "Cache emptied in steps",
        "The allocator returns its memory in each step and asks for it again in the next.",
        "Remove torch.cuda.empty_cache() from the loop; once after evaluation is enough. Without such a "
        "call, "
        "memory is short: a smaller batch, or activation checkpointing."},
    AllocationTexts{FindingKind::OomRetry, "Retry after out-of-memory",
                    "An allocation failed; the allocator returned its memory to the device and tried again.",
                    "Use less memory: a smaller batch, activation checkpointing, a sharded optimizer; "
                    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True against fragmentation."},
    AllocationTexts{
        FindingKind::CachingOff, "Allocator without cache", "Most allocations ask the driver for memory.",
        "Unset PYTORCH_NO_CUDA_MEMORY_CACHING (of ROCm also PYTORCH_NO_HIP_MEMORY_CACHING), which "
        "is for debugging with a memory checker."},
};

const AllocationTexts& textsOf(FindingKind kind) {
  const auto found = std::ranges::find(kAllocationTexts, kind, &AllocationTexts::kind);
  return found != kAllocationTexts.end() ? *found : kAllocationTexts.front();
}

std::string evidenceOf(FindingKind kind, const Calls& calls) {
  if (kind != FindingKind::CachingOff || calls.allocations > 0) return textsOf(kind).evidence;
  return fmt::format(
      "Of {} that allocate in the kept steps (aten::empty, aten::empty_strided), {} asked the driver for "
      "memory.",
      countedText(calls.operators, "operator"), groupedText(calls.asking));
}

ChooseOf pinning(const FindingContext& context, bool wanted) {
  return [&context, wanted](RankIndex rank) -> ChoosePiece {
    return [&context, rank, wanted](TimeRange, const TimePieces::Piece& piece) {
      if (!piece.event.valid()) return !wanted;
      const RankTrace& trace = context.traceOf(rank);
      const bool pins =
          pinsMemory(context.analysis().trace().names()[trace.events.name[piece.event]]) ||
          context.spans(rank).of(NamedCall::PinMemory).contains(trace.events.begin[piece.event]);
      return pins == wanted;
    };
  };
}

std::string nameText(const FindingContext& context, NameId name) {
  return name.valid() ? fmt::format(", mostly in {}", context.analysis().trace().names()[name])
                      : std::string();
}

void findDeviceMemory(FindingContext& context, const std::vector<RankCost>& whole) {
  LeafRule rule{FindingKind::DeviceAllocation, kLeaf, kMinAllocationShare, Confidence::Proven};
  std::vector<RankCost> costs = partOfCosts(context, whole, rule, "no pinning", pinning(context, false));
  const auto most = std::ranges::max_element(costs, {}, &RankCost::time);
  if (most == costs.end() || context.shareOf(most->time) < kMinAllocationShare) return;
  const auto calls = context.ofRank<Calls>(most->rank, "calls of the allocator",
                                           [&] { return callsOf(context, most->rank); });
  rule.kind = causeOf(calls);
  const AllocationTexts& texts = textsOf(rule.kind);
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title =
        fmt::format("{}: {}, {}", texts.title, context.ranksText(finding), context.gainText(finding));
    const auto perStep = [&](std::int64_t count) {
      return static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(1, calls.steps));
    };
    finding.evidence =
        fmt::format("{} {}{}", evidenceOf(rule.kind, calls), countedText(sumOf(part, &LeafUse::count), "gap"),
                    nameText(context, part.front().use.name));
    if (calls.mallocs + calls.frees > 0)
      finding.evidence +=
          fmt::format("; {} and {} by the driver per {} on {}",
                      countedText(std::llround(perStep(calls.mallocs)), "allocation"),
                      countedText(std::llround(perStep(calls.frees)), "free"),
                      context.kept().areSteps ? "step" : "recording", context.rankText(most->rank));
    finding.evidence += ".";
    finding.fix = texts.fix;
  });
}

void findPinning(FindingContext& context, const std::vector<RankCost>& whole) {
  const LeafRule rule{FindingKind::PinningInLoop, kLeaf, kMinAllocationShare, Confidence::Proven};
  context.addForRanks(
      rule, partOfCosts(context, whole, rule, "pinning", pinning(context, true)),
      [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title = fmt::format("Memory pinned in steps: {}, {}", context.ranksText(finding),
                                    context.gainText(finding));
        finding.evidence = fmt::format("The training thread pins host memory while the device idles: {}{}.",
                                       countedText(sumOf(part, &LeafUse::count), "gap"),
                                       nameText(context, part.front().use.name));
        finding.fix =
            "DataLoader(pin_memory=True) pins on a thread of its own; reuse pinned buffers for what you "
            "copy yourself.";
      });
}

} // namespace

void findAllocationFindings(FindingContext& context) {
  const LeafRule rule{FindingKind::DeviceAllocation, kLeaf, kMinAllocationShare, Confidence::Proven};
  const std::vector<RankCost> whole = context.costsOf(rule);
  findDeviceMemory(context, whole);
  findPinning(context, whole);
}

} // namespace rankscope
