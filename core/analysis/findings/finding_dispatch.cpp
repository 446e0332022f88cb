// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about devices that wait for a host which launches as fast as it can.
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_names.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/findings/leaf_parts.h"
#include "core/analysis/findings/small_gaps.h"
#include "core/analysis/job/recording_advice.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kMinDispatch = 0.05;
constexpr std::int64_t kMinGaps = 40;
// One phase with this share of all dispatch is the leaf of the finding; else it is about all of it, and what
// other rules find in the other phases is included in it.
constexpr double kDominates = 2.0 / 3;
constexpr TimeNs kSlowLaunches = 60'000;
constexpr std::size_t kMaxLaunches = 200'000;
constexpr std::array kDispatchKinds{FindingKind::LaunchBound};

// What the job's names say is in use already.
struct InUse {
  bool compiled = false;
  bool graphs = false;
  bool foreachOptimizer = false;
  bool broadcasts = false; // of a module's buffers
  bool stacks = false;     // Python frames were recorded
};

InUse inUse(const FindingContext& context) {
  InUse use;
  const TraceSet& job = context.analysis().trace();
  const auto has = [](std::string_view name, std::string_view part) {
    return name.find(part) != std::string_view::npos;
  };
  use.compiled = jobHasName(job, "torch.compile", [&](std::string_view name) {
    return has(name, "Torch-Compiled Region") || has(name, "CompiledFunction") ||
           has(name, "CompiledFxGraph");
  });
  use.graphs = jobHasName(job, "CUDA graphs", [](std::string_view name) { return isGraphLaunch(name); });
  use.foreachOptimizer = jobHasName(job, "foreach optimizer", [&](std::string_view name) {
    return has(name, "_fused_adam") || has(name, "_fused_sgd") || has(name, "multi_tensor_apply") ||
           name.starts_with("aten::_foreach_");
  });
  use.broadcasts = jobHasName(job, "broadcasts", [&](std::string_view name) {
    return name == "nccl:broadcast" || name == "c10d::broadcast_" || has(name, "broadcast_coalesced");
  });
  for (const RankIndex rank : context.ranks()) {
    const RankTrace& trace = context.traceOf(rank);
    use.stacks |=
        std::ranges::any_of(trace.tracks, [](const Track& t) { return t.kind == TrackKind::Python; });
  }
  return use;
}

// Median time between consecutive launches of a thread in a kept step; blocked ones are few. 0 without any.
TimeNs timeBetweenLaunches(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  std::vector<TimeNs> between;
  std::map<std::uint32_t, std::vector<TimeNs>> ofTrack;
  for (const KeptWindow& window : context.kept().windows[rank.value]) {
    for (auto& [track, begins] : ofTrack) begins.clear();
    EventIndex previous;
    for (const EventIndex device : trace.byLaunch) {
      const EventIndex launch = trace.deviceDetail(device).launch;
      if (launch == previous) continue;
      previous = launch;
      const TimeNs begin = trace.events.begin[launch];
      if (window.range.contains(begin))
        ofTrack[static_cast<std::uint32_t>(trace.trackOf(launch).value)].push_back(begin);
    }
    for (auto& [track, begins] : ofTrack) {
      // By place in the trace they are in the order of rows: calls within calls follow all others.
      std::ranges::sort(begins);
      for (std::size_t i = 1; i < begins.size(); ++i) between.push_back(begins[i] - begins[i - 1]);
    }
    if (between.size() >= kMaxLaunches) break;
  }
  return between.empty() ? 0 : wholeMedian(std::move(between));
}

TimeNs betweenLaunches(const FindingContext& context, RankIndex rank) {
  return context.ofRank<TimeNs>(rank, "time between launches",
                                [&] { return timeBetweenLaunches(context, rank); });
}

std::string fixForDispatch(const InUse& use, TimeNs between) {
  std::string fix;
  if (between > kSlowLaunches)
    fix = use.stacks
              ? "Measure first without with_stack and profile_memory, which slow the host down; check the "
                "CPU governor, pinned cores and OMP_NUM_THREADS. "
              : "Launches are far apart: check the CPU governor, pinned cores, OMP_NUM_THREADS, and that "
                "TORCH_DISTRIBUTED_DEBUG=DETAIL is off. ";
  if (use.compiled && !use.graphs)
    return fix + "Compiled regions launch kernel by kernel: torch.compile(model, mode=\"reduce-overhead\") "
                 "captures "
                 "CUDA graphs. A larger batch costs nothing until the GPU is full.";
  if (use.graphs)
    return fix +
           "Find what runs outside of CUDA graphs: graph breaks (TORCH_LOGS=graph_breaks), eager operators "
           "between regions.";
  return fix + "torch.compile(model, mode=\"reduce-overhead\") captures CUDA graphs; fused operators launch "
               "less. A "
               "larger batch costs nothing until the GPU is full.";
}

std::string phaseTextOf(std::string_view leaf) {
  if (leaf == kDispatchLeaf) return {};
  if (leaf == "host.dispatch.other") return " outside forward, backward and optimizer";
  return fmt::format(" in {}", leaf.substr(kDispatchLeaf.size() + 1));
}

double launchesPerStep(const FindingContext& context, RankIndex rank) {
  const auto count = context.ofRank<std::int64_t>(rank, "launches in steps", [&] {
    const RankTrace& trace = context.traceOf(rank);
    std::int64_t found = 0;
    for (const KeptWindow& window : context.kept().windows[rank.value]) {
      for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
        const EventIndex launch = trace.deviceDetail(event).launch;
        if (launch.valid() && window.range.contains(trace.events.begin[launch])) ++found;
      }
    }
    return found;
  });
  return context.perStep(rank, count);
}

void describeDispatch(const FindingContext& context, const InUse& use, Finding& finding,
                      const std::vector<RankCost>& part) {
  const RankIndex rank = part.front().rank;
  const TimeNs between = betweenLaunches(context, rank);
  const auto launches = std::llround(launchesPerStep(context, rank));
  const auto gaps = std::llround(context.perStep(rank, part.front().use.count));
  finding.title = fmt::format("Eager dispatch{}: {}", phaseTextOf(finding.leaf), context.gainText(finding));
  const DeviceActivity& activity = context.analysis().activity(rank);
  const auto busy = context.ofRank<TimeNs>(rank, "busy time", [&] { return activity.busy.totalLength(); });
  finding.evidence = fmt::format(
      "{} on {}: {}, {}{}; GPU busy {:.0f} % from its first to its last activity.",
      context.kept().areSteps ? "Per step" : "In all", context.rankText(rank), countedText(gaps, "gap"),
      launches == 1 ? "1 launch" : groupedText(launches) + " launches",
      between > 0
          ? fmt::format(", {} apart (15 to 40 µs is usual with the profiler on)", durationText(between))
          : "",
      activity.span.empty() ? 0.0
                            : 100 * static_cast<double>(busy) / static_cast<double>(activity.span.length()));
  if (finding.leaf == kDispatchLeaf) {
    std::string parts;
    for (const std::string_view leaf :
         {"host.dispatch.forward", "host.dispatch.backward", "host.dispatch.optimizer", "host.dispatch.ddp",
          "host.dispatch.other"}) {
      const double time = context.kept().timeOf(leaf);
      if (context.shareOf(time) < 0.001) continue;
      const std::string_view phase = leaf.substr(kDispatchLeaf.size() + 1);
      parts += fmt::format("{}{} {}", parts.empty() ? " By phase: " : ", ", phase == "ddp" ? "DDP" : phase,
                           context.timeText(time));
    }
    if (!parts.empty()) finding.evidence += parts + ".";
  }
  finding.evidence += " Gain: from a CPU twice as fast (lower) to CUDA graphs (upper).";
  finding.fix = fixForDispatch(use, between);
}

// The leaf that the finding is about: a phase that dominates, else all of them.
std::string_view leafOfDispatch(const FindingContext& context) {
  const double all = context.kept().timeOf(kDispatchLeaf);
  for (const Leaf leaf :
       {Leaf::DispatchForward, Leaf::DispatchBackward, Leaf::DispatchOptimizer, Leaf::DispatchOther}) {
    if (context.kept().leafTimes[static_cast<std::size_t>(leaf)] >= kDominates * all) return leafText(leaf);
  }
  return kDispatchLeaf;
}

void findDispatch(FindingContext& context, const InUse& use) {
  LeafRule rule{FindingKind::LaunchBound, kDispatchLeaf, kMinDispatch, Confidence::Proven, kFasterHost};
  std::vector<RankCost> all = context.costsOf(rule);
  std::erase_if(all, [&](const RankCost& cost) {
    return context.shareOf(cost.time) < kMinDispatch || cost.use.count < kMinGaps;
  });
  if (all.empty()) return;
  rule.leaf = leafOfDispatch(context);
  rule.minShare = 0.01; // of the part; all of it was asked above
  context.addLeaf(rule, [&](Finding& finding, const std::vector<RankCost>& part) {
    describeDispatch(context, use, finding, part);
  });
}

// What the launches of a usual host take.
constexpr double kUsualLaunches = 20'000;

// How much of eager dispatch a host of usual speed would not take. Where stacks or memory are recorded, it is
// the profiler that slows the host down, so nothing is promised.
void findSlowHost(FindingContext& context) {
  const bool any = std::ranges::any_of(context.soFar(),
                                       [](const Finding& f) { return f.kind == FindingKind::LaunchBound; });
  if (!any) return;
  const LeafRule rule{FindingKind::SlowHostLaunch, leafOfDispatch(context), kMinDispatch, Confidence::Likely,
                      0};
  std::vector<RankCost> costs = context.costsOf(rule);
  std::erase_if(costs, [&](const RankCost& cost) { return context.shareOf(cost.time) < kMinDispatch; });
  TimeNs slowest = 0;
  for (RankCost& cost : costs) {
    const TimeNs between = betweenLaunches(context, cost.rank);
    slowest = std::max(slowest, between);
    cost.time *= between > kSlowLaunches ? 1 - kUsualLaunches / static_cast<double>(between) : 0;
    cost.high = cost.time;
    cost.low = 0;
  }
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title =
        fmt::format("Slow launches: {}, {}", context.ranksText(finding), context.gainText(finding));
    finding.evidence = fmt::format(
        "Launches are {} apart on {}, 15 to 40 µs is usual with the profiler on. The upper gain "
        "assumes 20 µs between launches; there is none where only the profiler slows them down.{}",
        durationText(slowest), context.rankText(part.front().rank),
        context.includedIn(kDispatchKinds, finding.leaf));
    finding.fix =
        fmt::format("Measure first without {}. Then: CPU governor performance, pinned cores (numactl), "
                    "OMP_NUM_THREADS, TORCH_DISTRIBUTED_DEBUG=OFF.",
                    recordedByNsight(context.analysis().trace()) ? costlyOptions(context.analysis().trace())
                                                                 : "with_stack and profile_memory");
  });
}

// Work of DistributedDataParallel for itself: in forward before the first operator of the model, where it
// broadcasts buffers, or that of its reducer in backward.
std::vector<RankCost> parallelModelCosts(const FindingContext& context, const LeafRule& rule,
                                         bool inBackward) {
  std::vector<RankCost> costs = context.costsOf(rule);
  const std::string_view question = inBackward ? "work of DDP in backward" : "work of DDP before forward";
  for (RankCost& cost : costs) {
    const auto part = context.ofRank<LeafUse>(cost.rank, question, [&] {
      const RankTrace& trace = context.traceOf(cost.rank);
      const HostPhases& phases = context.analysis().wholePhases(cost.rank);
      LeafUse found;
      for (const KeptWindow& window : context.kept().windows[cost.rank.value]) {
        context.account().of(cost.rank).pieces.forEachWithin(
            window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
              if (piece.leaf != Leaf::DispatchDdp || !piece.event.valid()) return;
              if (phases.backward.contains(trace.events.begin[piece.event]) != inBackward) return;
              found.time += range.length();
              ++found.count;
              found.addWorst(range, piece.event, window.number);
            });
      }
      return found;
    });
    const double share =
        cost.use.time > 0 ? static_cast<double>(part.time) / static_cast<double>(cost.use.time) : 0;
    cost.use = part;
    cost.time = cost.share * context.perStep(cost.rank, part.time);
    cost.high = cost.time;
    cost.low *= share;
  }
  return costs;
}

void addInsideDispatch(const FindingContext& context, Finding& finding, const std::vector<RankCost>& part) {
  finding.evidence += fmt::format(" {} on {}.", countedText(part.front().use.count, "gap"),
                                  context.rankText(part.front().rank));
  finding.evidence += context.includedIn(kDispatchKinds, "host.dispatch.ddp");
}

void findParallelModel(FindingContext& context, const InUse& use) {
  const LeafRule copies{FindingKind::DdpBucketCopies, "host.dispatch.ddp", 0.01, Confidence::Proven,
                        kFasterHost};
  context.addForRanks(copies, parallelModelCosts(context, copies, true),
                      [&](Finding& finding, const std::vector<RankCost>& part) {
                        finding.title =
                            fmt::format("Gradients copied to DDP buckets: {}", context.gainText(finding));
                        finding.evidence =
                            "DDP copies gradients between parameters and buckets, a few launches per "
                            "parameter.";
                        finding.fix = "DistributedDataParallel(model, gradient_as_bucket_view=True); "
                                      "find_unused_parameters=False where all parameters are used.";
                        addInsideDispatch(context, finding, part);
                      });
  // Without the broadcasts, their launches are not made: all of their idle time is won.
  const LeafRule buffers{FindingKind::DdpBuffersBroadcast, "host.dispatch.ddp", 0.01, Confidence::Proven, 1};
  if (!use.broadcasts) return;
  context.addForRanks(buffers, parallelModelCosts(context, buffers, false),
                      [&](Finding& finding, const std::vector<RankCost>& part) {
                        finding.title = fmt::format("DDP buffer broadcast: {}", context.gainText(finding));
                        finding.evidence =
                            "Before each forward pass DDP broadcasts the module's buffers, and the GPU "
                            "idles meanwhile.";
                        finding.fix =
                            "DistributedDataParallel(model, broadcast_buffers=False); keep it only where "
                            "BatchNorm statistics must agree between ranks at every step.";
                        addInsideDispatch(context, finding, part);
                      });
}

void findTinyKernels(FindingContext& context) {
  const LeafRule rule{FindingKind::TinyKernels, "queue.latency", 0.05, Confidence::Proven, kFasterHost};
  // The finding about the optimizer has the gaps between its kernels.
  std::vector<RankCost> costs = partOfCosts(
      context, context.costsOf(rule), rule, "not of the optimizer", [&](RankIndex rank) -> ChoosePiece {
        return [gaps = gapsBetweenExcesses(context, rank, Leaf::ComputeOptimizer)](
                   TimeRange range, const TimePieces::Piece&) { return !gaps.contains(range.begin); };
      });
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Gaps between tiny kernels: {}", context.gainText(finding));
    finding.evidence = fmt::format("{} of a few µs between kernels that were launched in time.",
                                   countedText(sumOf(part, &LeafUse::count), "gap"));
    finding.fix =
        "Fewer, larger kernels: CUDA graphs (mode=\"reduce-overhead\"), foreach and fused optimizers, "
        "torch.compile.";
  });
}

} // namespace

void findDispatchFindings(FindingContext& context) {
  if (!context.hasDevices()) return;
  const InUse use = inUse(context);
  findDispatch(context, use);
  findSlowHost(context);
  findParallelModel(context, use);
  findOptimizerFindings(context, use.foreachOptimizer);
  findTinyKernels(context);
}

} // namespace rankscope
