// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about ranks that the others wait for.
#include "core/analysis/findings/finding_names.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/job/late_cause.h"
#include "core/analysis/job/recording_advice.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/pipeline_gains.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace rankscope {

namespace {

// The first collective of a group shows when recordings began, from this share of the step on.
constexpr LeafRule kStartSkew{FindingKind::StartSkew, "wait.start", 0.01, Confidence::Proven, 0};

// Fewer compared steps are less certain.
constexpr std::size_t kCertainSteps = 4;
constexpr std::size_t kLikelySteps = 3;

// The pipeline that a rank computes stages of; null if it has none.
const Pipeline* pipelineOf(const JobParallel* parallel, RankIndex rank) {
  if (parallel == nullptr) return nullptr;
  for (const Pipeline& pipeline : parallel->pipelines.pipelines) {
    if (std::ranges::any_of(pipeline.ranks, [&](const PipelineRank& of) { return of.rank == rank; }))
      return &pipeline;
  }
  return nullptr;
}

// Of stages of a pipeline the schedule says what a shorter time gains; less of the step is no straggler.
constexpr double kMinStageShare = 0.02;

struct KernelCount {
  NameId name;
  std::int64_t count = 0;
};

} // namespace

template <class Archive, Described<KernelCount> T> void describe(Archive& archive, T& of) {
  auto& [name, count] = of;
  archive(name, count);
}

namespace {

// Compute kernels of a rank in kept steps: how many of each name.
std::map<NameId, std::int64_t> kernelCounts(const FindingContext& context, RankIndex rank) {
  const auto listed = context.ofRank<std::vector<KernelCount>>(rank, "kernels by name", [&] {
    const RankTrace& trace = context.traceOf(rank);
    std::map<NameId, std::int64_t> counts;
    for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
      if (trace.events.kind[event] == EventKind::Kernel && context.windowAt(rank, trace.events.begin[event]))
        ++counts[trace.events.name[event]];
    }
    std::vector<KernelCount> list;
    list.reserve(counts.size());
    for (const auto& [name, count] : counts) list.push_back({name, count});
    const StringTable& names = context.analysis().trace().names();
    std::ranges::sort(list, {}, [&](const KernelCount& of) { return names[of.name]; });
    return list;
  });
  std::map<NameId, std::int64_t> counts;
  for (const KernelCount& of : listed) counts.emplace(of.name, of.count);
  return counts;
}

// Whether two stages launch the same kernels as often, so that the longer time is not more work; not known of
// stages that compute on the host.
bool doSameWork(const FindingContext& context, RankIndex a, RankIndex b) {
  return context.hasDevices(a) && kernelCounts(context, a) == kernelCounts(context, b);
}

// What has one place in the code or the machine, whatever phase it is in; empty for other leaves.
std::string fixForLeaf(const std::string& rank, Leaf leaf, const TraceSet& trace) {
  using enum Leaf;
  const std::string stacks =
      recordedByNsight(trace) ? " Record with " + optionFor(Recordable::Stacks, trace) + ", to see the code."
                              : " with_stack=True names the code.";
  switch (leaf) {
  case HostSync:
    return "Find what only " + rank +
           " reads from the device in the step (.item(), .cpu(), print, logging on one rank): every n steps "
           "on all ranks, or a step later. torch.cuda.set_sync_debug_mode(\"warn\") reports the lines.";
  case HostAlloc:
    return "Find why " + rank +
           " allocates device memory in steps: larger batches than other ranks, torch.cuda.empty_cache(), "
           "too little memory. Warm up with the largest batch; "
           "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
  case HostGc:
    return "gc.disable() and gc.collect() every n steps, on all ranks at the same step.";
  case HostCompile:
    return "Find why " + rank +
           " compiles in steps (TORCH_LOGS=recompiles): shapes that only this rank has; mark_dynamic, or pad "
           "to the same shapes on all ranks.";
  case HostCheckpoint:
    return "Save asynchronously (torch.distributed.checkpoint.async_save), and outside of the step that "
           "others wait for.";
  case HostPython:
    return "Find what only " + rank +
           " runs between launches (logging, metrics, progress bars): move it to another thread or out of "
           "the step." +
           stacks;
  case HostDescheduled:
    return "Look at the host of " + rank +
           ": CPU load and affinity, fewer cores than threads, code without recorded operators (sleep, "
           "waiting for files or locks)." +
           stacks;
  case CopyD2h:
  case CopyH2d:
    return "Compare what " + rank +
           " copies with other ranks: sizes, pageable memory (pin_memory=True), and the PCIe link of its "
           "GPU.";
  default:
    return {};
  }
}

// Of a stage of a pipeline, whose kernels only the same stage of another pipeline can be compared with.
std::string fixForStage(const std::string& rank, bool hasDevices) {
  return fmt::format(
      "Move layers from the stage of {} to other stages. If it has no more work than they have, {}", rank,
      hasDevices ? "compare its kernels with the same stage of another pipeline, then its GPU's "
                   "clocks (nvidia-smi -q -d PERFORMANCE,CLOCK)."
                 : "look at the cores and the load of its host.");
}

std::string fixFor(const std::string& rank, const LateCause& cause, Leaf leaf, bool isStage, bool hasDevices,
                   const TraceSet& trace) {
  if (isStage && leaf != Leaf::ComputeClock && (leaf == Leaf::Ideal || isUnder(leaf, "compute")))
    return fixForStage(rank, hasDevices);
  if (std::string fix = fixForLeaf(rank, leaf, trace); !fix.empty()) return fix;
  switch (cause.part) {
  case LatePart::DataLoader:
    return "Speed up the input pipeline of " + rank +
           ": more DataLoader workers (num_workers, persistent_workers, prefetch_factor), pin_memory=True; "
           "compare its data shard and storage with other ranks'.";
  case LatePart::Kernels:
    if (leaf == Leaf::ComputeClock)
      return "The same kernels take longer on " + rank +
             ": check its GPU clocks, power cap and temperature (nvidia-smi -q -d PERFORMANCE,CLOCK), and "
             "other "
             "processes on the GPU.";
    return "Kernels of " + rank +
           " take longer, or there are more of them: compare its work with other ranks' first (sequence "
           "lengths, batch, experts, shard size), then its GPU clocks and temperature (nvidia-smi -q -d "
           "PERFORMANCE,CLOCK).";
  case LatePart::Forward:
  case LatePart::Loss:
  case LatePart::Backward:
  case LatePart::Optimizer:
    return "Compare " + std::string(latePartText(cause.part)) + " of " + rank +
           " with other ranks: extra logging, evaluation or checkpointing on one rank, uneven inputs, or a "
           "busy CPU on its host.";
  case LatePart::Host:
  case LatePart::Unknown:
    return "Compare " + rank +
           " with other ranks just before the collectives they wait in: CPU affinity and load of its host, "
           "Python work on this rank only (logging, garbage collection), uneven inputs.";
  }
  return {};
}

using LeafExcess = std::pair<Leaf, double>;

// The leaves on which a rank spends more time than the median of the others, and how much more; largest
// first.
std::vector<LeafExcess> excessesOf(const FindingContext& context, RankIndex late) {
  std::vector<LeafExcess> excesses;
  const int capture = context.analysis().trace().rank(late).capture;
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    const auto leaf = static_cast<Leaf>(i);
    if (isUnder(leaf, "wait") || isUnder(leaf, "comm")) continue;
    std::vector<double> others;
    for (const RankIndex rank : context.ranks()) {
      if (rank != late && context.analysis().trace().rank(rank).capture == capture)
        others.push_back(context.perStep(rank, context.uses(rank)[i].time));
    }
    if (others.empty()) return excesses;
    const double excess = context.perStep(late, context.uses(late)[i].time) - median(std::move(others));
    if (excess > 0) excesses.emplace_back(leaf, excess);
  }
  std::ranges::stable_sort(excesses, std::greater(), &LeafExcess::second);
  return excesses;
}

// "114 ms/step of computation and 59.1 ms/step of device allocation": the largest, and what is large beside
// it.
std::string excessText(const FindingContext& context, const LeafExcess& largest,
                       const std::vector<LeafExcess>& all) {
  constexpr double kNamed = 0.2; // of the largest
  std::string text = fmt::format("{} of {}", context.timeText(largest.second), leafPhrase(largest.first));
  for (const auto& [leaf, time] : all) {
    if (time < kNamed * largest.second || leafPhrase(leaf) == leafPhrase(largest.first)) continue;
    return text + fmt::format(" and {} of {}", context.timeText(time), leafPhrase(leaf));
  }
  return text;
}

// The account and the parts of a step measure the same time in two ways. Where they name different causes, as
// for operators that run in the DataLoader, the finding names the larger one.
void keepOneCause(LateCause& cause, LeafExcess& excess) {
  const bool computes = excess.first == Leaf::Ideal || isUnder(excess.first, "compute");
  const bool loads = excess.first == Leaf::HostInput;
  const bool agree = excess.second <= 0 || (cause.part == LatePart::DataLoader ? loads
                                            : cause.part == LatePart::Kernels  ? computes
                                            : cause.part == LatePart::Host     ? !computes && !loads
                                                                               : !loads);
  if (agree || cause.part == LatePart::Unknown) return;
  if (excess.second > static_cast<double>(cause.excess))
    cause.part = loads ? LatePart::DataLoader : LatePart::Unknown;
  else
    excess = {cause.part == LatePart::DataLoader ? Leaf::HostInput : Leaf::Ideal, 0};
}

// One rank in all of its recordings; the one with the largest cost first.
using Recordings = std::vector<Straggler>;

std::string evidenceFor(const FindingContext& context, const Recordings& recordings, const LateCause& cause,
                        const LeafExcess& excess, const std::vector<LeafExcess>& excesses) {
  const Analysis& analysis = context.analysis();
  std::int64_t collectives = 0, last = 0;
  std::size_t slow = 0, kept = 0;
  for (const Straggler& part : recordings) {
    slow += part.slowSteps.size();
    kept += part.keptSteps.size();
    for (const std::size_t i : part.slowSteps) {
      const RankStep& step = analysis.stragglers().ranks[part.rank.value].steps[i];
      collectives += step.collectives;
      last += step.last;
    }
  }
  std::string text = fmt::format("Longest step time excluding communication in {} of {} kept steps, where it "
                                 "is {:.2f} × the median rank's "
                                 "(median of these steps); began last in {} of {} collectives there.",
                                 slow, kept, recordings.front().slowdown, last, collectives);
  if (excess.second > 0)
    text += fmt::format(" Largest excess over the median rank: {}.", excessText(context, excess, excesses));
  if (cause.part == LatePart::Unknown) return text;
  text += fmt::format(" Cause: {}", latePartText(cause.part));
  if (cause.excess > 0)
    text += fmt::format(", {} more per slow step than on the median rank", durationText(cause.excess));
  if (cause.name.valid())
    text += fmt::format("; {} alone takes {} more", analysis.trace().names()[cause.name],
                        durationText(cause.nameExcess));
  return text + ".";
}

// Places the finding at the call with the longest wait for this rank, in its most expensive step.
void placeStraggler(const FindingContext& context, const Straggler& straggler, Finding& finding) {
  const Analysis& analysis = context.analysis();
  const auto worst = std::ranges::max_element(straggler.costs) - straggler.costs.begin();
  const std::size_t position = straggler.slowSteps[static_cast<std::size_t>(worst)];
  const RankStep& step = analysis.stragglers().ranks[straggler.rank.value].steps[position];
  finding.step = step.number;
  finding.place = step.range;
  const CollectiveMatch& match = analysis.collectives().match;
  const auto& calls = analysis.collectiveCalls(straggler.rank);
  TimeNs longest = 0;
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const CollectiveInstance& instance = match.instance(match.instanceOfCall[straggler.rank.value][c]);
    if (instance.lastRank != straggler.rank || !step.range.contains(instance.lastBegin)) continue;
    if (instance.skew() <= longest) continue;
    longest = instance.skew();
    finding.event = {straggler.rank, calls[c].event};
    finding.place = {instance.firstBegin, instance.end};
  }
}

// By the steps of all recordings, also where a part of them is asked about.
Confidence confidenceOf(const Analysis& analysis, std::int64_t rankNumber) {
  std::size_t compared = 0;
  for (const Straggler& of : analysis.stragglers().stragglers)
    if (analysis.trace().rank(of.rank).rank == rankNumber) compared += of.keptSteps.size();
  return compared >= kCertainSteps  ? Confidence::Proven
         : compared >= kLikelySteps ? Confidence::Likely
                                    : Confidence::Hint;
}

// What waiting for a rank can give back: the exposed communication of the rank with most, without that which
// all have and the start of the recordings.
double returnable(const FindingContext& context, RankIndex late) {
  double longest = 0;
  for (const RankIndex rank : context.ranks()) {
    if (context.firstConnected(rank) != context.firstConnected(late)) continue;
    const TimeNs start = context.uses(rank)[static_cast<std::size_t>(Leaf::WaitStart)].time;
    const TimeNs exposed =
        useOf(context.uses(rank), "wait").time + useOf(context.uses(rank), "comm").time - start;
    longest = std::max(longest, context.perStep(rank, exposed));
  }
  return std::max(0.0, longest - context.exposedOnConnected()[late.value]);
}

void addStraggler(FindingContext& context, const Recordings& recordings, const JobParallel* parallel) {
  const Analysis& analysis = context.analysis();
  const Straggler& worst = recordings.front();
  double low = 0, high = 0, steps = 0;
  for (const Straggler& part : recordings) {
    const auto weight = static_cast<double>(part.keptSteps.size());
    low += weight * static_cast<double>(part.gainLow);
    high += weight * static_cast<double>(part.gainHigh);
    steps += weight;
  }
  // A window over steps that the profiler did not mark stands for all of them.
  if (context.kept().areSteps) {
    low /= steps;
    high /= steps;
  }
  Finding finding;
  finding.kind = worst.becameSlow ? FindingKind::LateStraggler : FindingKind::Straggler;
  finding.rank = worst.rank;
  for (const Straggler& part : recordings) finding.ranks.push_back(part.rank);
  std::ranges::sort(finding.ranks);
  finding.leaf = leafText(Leaf::WaitRank);
  finding.confidence = confidenceOf(analysis, context.rankNumber(worst.rank));
  const Pipeline* const pipeline = pipelineOf(parallel, worst.rank);
  const std::optional<StageGain> stage =
      pipeline != nullptr ? stageGain(analysis, parallel->pipelines, finding.ranks) : std::nullopt;
  if (stage) {
    high = static_cast<double>(stage->asNext);
    if (context.shareOf(high) < kMinStageShare) return;
    low = high;
    // Of more work only as much can go as the other stages can take.
    if (!doSameWork(context, worst.rank, stage->next)) {
      low = std::min(high, static_cast<double>(stage->balanced));
      finding.confidence = std::min(finding.confidence, Confidence::Likely);
    }
  }
  // What no rank waits for cannot be won; of the straggler alone it is not known who waits.
  const bool alone = std::ranges::all_of(context.ranks(), [&](RankIndex each) {
    return context.rankNumber(each) == context.rankNumber(worst.rank);
  });
  const double wait = alone ? high : longestExposed(context, worst.rank);
  const double most = alone ? high : returnable(context, worst.rank);
  const double share = context.connectedShare({worst.rank});
  context.setGain(finding, wait, share * std::min(low, most), share * std::min(high, most));
  const std::vector<LeafExcess> excesses = excessesOf(context, worst.rank);
  LeafExcess excess = excesses.empty() ? LeafExcess{Leaf::Ideal, 0} : excesses.front();
  LateCause cause = lateCauseOf(analysis, worst);
  keepOneCause(cause, excess);
  const std::string rank = context.rankText(worst.rank);
  const auto& pace = analysis.stragglers().ranks[worst.rank.value].steps;
  finding.title = worst.becameSlow
                      ? fmt::format("Late straggler: {} from step {}, {}", rank,
                                    pace[worst.slowSteps.front()].number, context.gainText(finding))
                      : fmt::format("Straggler: {}, {}", rank, context.gainText(finding));
  if (countRanks(analysis).ranks == 2) finding.title += ", the slower of two";
  finding.evidence = evidenceFor(context, recordings, cause, excess, excesses);
  if (pipeline != nullptr)
    finding.evidence += fmt::format(" It is one of {} ranks of a pipeline.", pipeline->rankCount);
  if (stage && low < high)
    finding.evidence +=
        " The lower gain divides the work of the pipeline equally, the upper one lets this rank "
        "work as long as the next slowest.";
  context.tellOfOthers(finding, share);
  if (finding.confidence == Confidence::Likely)
    finding.evidence += " With so few steps, chance is not excluded.";
  finding.fix = fixFor(rank, cause, excess.first, pipeline != nullptr, context.hasDevices(worst.rank),
                       analysis.trace());
  placeStraggler(context, worst, finding);
  context.addWithGain(std::move(finding));
}

void findStartSkew(FindingContext& context) {
  context.addTime(kStartSkew, [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.severity = Severity::Info;
    // It is about the recording: one mean, that of the account.
    finding.ranks.clear();
    finding.time = std::llround(context.kept().timeOf(kStartSkew.leaf));
    finding.title = fmt::format("Start skew: {} waits {} in the first collective",
                                context.rankText(part.front().rank), durationText(part.front().use.time));
    finding.evidence =
        fmt::format("The recordings begin at different times, and ranks wait in the first collective of a "
                    "process group: {} as a mean. Not a cost of the job.",
                    context.timeText(static_cast<double>(*finding.time)));
    const TraceSet& trace = context.analysis().trace();
    finding.fix = recordedByNsight(trace) ? "Place a barrier before the recording starts, and " +
                                                scheduleAdvice(1, 3, trace) + "."
                                          : "Record with schedule(wait=1, warmup=2, active=3), or place a "
                                            "barrier before the recording starts.";
  });
}

} // namespace

// The exposed communication of the rank on which most is exposed. A straggler exposes transfers of the others
// too, which begin after it and find no computation beside them any more.
double longestExposed(const FindingContext& context, RankIndex with) {
  double longest = 0;
  for (const RankIndex rank : context.ranks()) {
    if (with.valid() && context.firstConnected(rank) != context.firstConnected(with)) continue;
    const double waiting = context.perStep(rank, useOf(context.uses(rank), "wait").time);
    longest = std::max(longest, waiting + context.perStep(rank, useOf(context.uses(rank), "comm").time));
  }
  return longest;
}

void findStragglerFindings(FindingContext& context, const JobParallel* parallel) {
  const Analysis& analysis = context.analysis();
  std::map<std::int64_t, Recordings> byRank;
  for (const Straggler& found : analysis.stragglers().stragglers) {
    const RankRange window =
        analysis.window(found.rank).empty() ? kWholeRecording : analysis.window(found.rank);
    auto part = withinWindow(found, analysis.wholeStepWindows(found.rank), window);
    if (part) byRank[context.rankNumber(found.rank)].push_back(std::move(*part));
  }
  for (auto& [rank, recordings] : byRank) {
    std::ranges::stable_sort(recordings, std::greater<>(), &Straggler::cost);
    const bool asked = std::ranges::any_of(recordings, [&](const Straggler& part) {
      return std::ranges::binary_search(analysis.ranks(), part.rank);
    });
    if (asked) addStraggler(context, recordings, parallel);
  }
  findUnevenRanks(context);
  findStartSkew(context);
}

} // namespace rankscope
