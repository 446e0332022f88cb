// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about pipelines, and what all findings about the parallelism of the job share.
#include "core/analysis/classify/kernel_dtype.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/pipeline_gains.h"
#include "core/analysis/parallel/pipeline_stages.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr double kMinParallelShare = 0.02; // of the step
constexpr double kBubblePoints = 5;
constexpr std::int64_t kFewMicrobatches = 4; // per rank of the pipeline
constexpr double kUnequalBusy = 1.1;         // longest over mean
constexpr double kExposedSends = 0.02;

// Where the time that a rule speaks of may be in the account: leaves, then all under a name. What is exposed
// after a late rank came is not transfer but waiting, which the late rank's finding has.
constexpr std::array<std::string_view, 3> kTransferLeaves{"comm.transfer", "comm.tail", "comm"};
constexpr std::array<std::string_view, 5> kWaitLeaves{"wait.rank", "comm.transfer", "comm.tail",
                                                      "queue.dependency", "comm"};
constexpr std::array<std::string_view, 2> kComputeLeaves{"compute", "ideal"};

std::span<const std::string_view> leavesLike(std::string_view wanted) {
  if (wanted.starts_with("compute")) return kComputeLeaves;
  if (wanted.starts_with("comm")) return kTransferLeaves;
  return kWaitLeaves;
}

// Waits are limited by those of the rank that waits longest: what it waits for goes on all ranks.
double timeOfLeaf(const FindingContext& context, std::string_view leaf) {
  return leaf.starts_with("wait") ? longestExposed(context) : context.kept().timeOf(leaf);
}

// The leaf that a rule names, if it has this much; else the first that has, else the one with most.
std::string_view leafWithTime(const FindingContext& context, std::string_view wanted, double time) {
  const auto timeOf = [&](std::string_view leaf) { return timeOfLeaf(context, leaf); };
  if (timeOf(wanted) >= time) return wanted;
  const std::span<const std::string_view> others = leavesLike(wanted);
  const auto found =
      std::ranges::find_if(others, [&](std::string_view leaf) { return timeOf(leaf) >= time; });
  return found != others.end() ? *found : *std::ranges::max_element(others, {}, timeOf);
}

// What all communication is worth, as a mean over ranks.
double meanExposed(const FindingContext& context) {
  const std::vector<double> exposed = context.exposedOnConnected();
  double sum = 0;
  for (const RankIndex rank : context.ranks()) sum += exposed[rank.value];
  return context.ranks().empty() ? 0 : sum / static_cast<double>(context.ranks().size());
}

// With the leaf that has its time, and no more time and gain than that leaf, or than all communication is
// worth.
ParallelFinding withinLeaf(const FindingContext& context, ParallelFinding of) {
  if (of.leaf.starts_with("comm")) of.high = std::min(of.high, meanExposed(context));
  of.leaf = leafWithTime(context, of.leaf, of.high);
  of.time = std::min(of.time, timeOfLeaf(context, of.leaf));
  of.high = std::min(of.high, of.time);
  return of;
}

bool isWorthTelling(const FindingContext& context, const ParallelFinding& of) {
  return context.shareOf(of.high) >= kMinParallelShare;
}

struct Measured {
  const Pipeline* pipeline = nullptr;
  PipelineTimes times;
};

class PipelineRules {
 public:
  PipelineRules(FindingContext& context, const JobParallel& parallel)
      : m_context(context), m_parallel(parallel) {
    for (const Pipeline& pipeline : parallel.pipelines.pipelines) {
      PipelineTimes times = pipelineTimes(context.analysis(), pipeline);
      if (times.steps > 0 && times.window > 0) m_measured.push_back({&pipeline, std::move(times)});
    }
  }

  void find() {
    findSends();
    if (m_measured.empty()) return;
    const bool unequal = findImbalance();
    findBubble(unequal);
    findFewMicrobatches();
    findSchedule();
    addAll();
  }

 private:
  // A straggler among the ranks of a pipeline; null if there is none.
  [[nodiscard]] const Finding* straggler() const {
    constexpr std::array kKinds{FindingKind::Straggler, FindingKind::LateStraggler};
    const Finding* const found = m_context.told(kKinds);
    if (found == nullptr) return nullptr;
    const bool isStage = std::ranges::any_of(m_measured, [&](const Measured& of) {
      return std::ranges::any_of(of.pipeline->ranks,
                                 [&](const PipelineRank& rank) { return rank.rank == found->rank; });
    });
    return isStage ? found : nullptr;
  }

  // All are about the time in which stages wait for each other: the largest leads, the others say so.
  void addAll() {
    for (ParallelFinding& of : m_findings) of = withinLeaf(m_context, std::move(of));
    std::erase_if(m_findings, [&](const ParallelFinding& of) { return !isWorthTelling(m_context, of); });
    if (m_findings.empty()) return;
    std::string lead;
    if (const Finding* const found = straggler()) {
      lead = headOf(*found);
    } else {
      const auto most = std::ranges::max_element(m_findings, {}, &ParallelFinding::high);
      lead = most->title.substr(0, most->title.find(':'));
      addParallelFinding(m_context, std::move(*most));
      m_findings.erase(most);
    }
    for (ParallelFinding& of : m_findings) {
      of.evidence += fmt::format(" Concerns the same waits as \"{}\": the gains do not add up.", lead);
      addParallelFinding(m_context, std::move(of));
    }
  }

  // Mean over the pipelines of the job.
  template <class Value> [[nodiscard]] double mean(Value&& value) const {
    double sum = 0;
    for (const Measured& of : m_measured) sum += value(of);
    return sum / static_cast<double>(m_measured.size());
  }

  [[nodiscard]] std::string pipelineText() const {
    const Pipeline& first = *m_measured.front().pipeline;
    if (first.stages < 2) // chunks of DualPipe do not say their stage
      return fmt::format("{} with {} pairs of chunks", scheduleText(first.schedule), first.microbatches);
    return fmt::format("{} with {} stages on {} ranks and {} microbatches", scheduleText(first.schedule),
                       first.stages, first.rankCount, first.microbatches);
  }

  void findBubble(bool unequal) {
    if (!std::ranges::all_of(m_measured, [](const Measured& of) { return of.times.idealPct.has_value(); }))
      return;
    const double ideal = mean([](const Measured& of) { return *of.times.idealPct; });
    const double bubble = mean([](const Measured& of) { return of.times.bubblePct; });
    if (bubble <= ideal + kBubblePoints) return;
    const double window = mean([](const Measured& of) { return static_cast<double>(of.times.window); });
    std::string evidence = fmt::format("{}: {} bubble with equal stages", pipelineText(), percentText(ideal));
    if (m_measured.front().times.replayPct) {
      const double replay = mean([](const Measured& of) { return of.times.replayPct.value_or(0); });
      evidence += fmt::format(", {} with the measured stages, {} with communication and jitter.",
                              percentText(std::max(replay, ideal)), percentText(bubble));
    }
    m_findings.push_back({.kind = FindingKind::PipelineBubble,
                          .leaf = "queue.dependency",
                          .time = window * bubble / 100,
                          .high = window * (bubble - ideal) / 100,
                          .title = fmt::format("Pipeline bubble {}", percentText(bubble)),
                          .evidence = std::move(evidence),
                          .fix = unequal
                                     ? "Move layers between stages first, then use more microbatches or an "
                                       "interleaved schedule."
                                     : "More microbatches or an interleaved schedule; overlap sends with "
                                       "computation."});
  }

  void findFewMicrobatches() {
    const Measured& of = m_measured.front();
    const Pipeline& pipeline = *of.pipeline;
    if (!of.times.idealPct || pipeline.microbatches >= kFewMicrobatches * pipeline.rankCount) return;
    const auto twice = idealBubble(pipeline.schedule, pipeline.rankCount, pipeline.stagesPerRank(),
                                   2 * pipeline.microbatches, {1, 1, 1});
    if (!twice) return;
    const double less = (*of.times.idealPct - 100 * *twice) / 100;
    m_findings.push_back(
        {.kind = FindingKind::PipelineFewMicrobatches,
         .leaf = "queue.dependency",
         .time = static_cast<double>(of.times.window) * *of.times.idealPct / 100,
         .high = static_cast<double>(of.times.window) * less,
         .title = fmt::format("Few microbatches: {} for {} ranks", pipeline.microbatches, pipeline.rankCount),
         .evidence = fmt::format("With equal stages the bubble is {}; with twice the microbatches {}.",
                                 percentText(*of.times.idealPct), percentText(100 * *twice)),
         .fix = "More and smaller microbatches, at least 4 per rank, as long as kernels stay large enough."});
  }

  struct Busy {
    RankIndex rank;
    RankIndex least;
    double most = 0;
    double leastTime = 0;
    double mean = 0;
    std::int64_t ranks = 0;
  };

  static Busy busyOf(const PipelineTimes& times) {
    std::map<RankIndex, double> busy;
    for (const StageTime& stage : times.stages) busy[stage.rank] = static_cast<double>(stage.busy);
    Busy result;
    double sum = 0;
    for (const auto& [rank, time] : busy) {
      sum += time;
      if (!result.least.valid() || time < result.leastTime) {
        result.leastTime = time;
        result.least = rank;
      }
      if (time > result.most) {
        result.most = time;
        result.rank = rank;
      }
    }
    result.ranks = static_cast<std::int64_t>(busy.size());
    if (result.ranks > 0) result.mean = sum / static_cast<double>(result.ranks);
    return result;
  }

  // What is gained where the same place of all pipelines works as long as the next; 0 if that is not known.
  [[nodiscard]] double asNext(const Measured& worst, RankIndex rank) const {
    const std::vector<PipelineRank>& own = worst.pipeline->ranks;
    const auto place =
        static_cast<std::size_t>(std::ranges::find(own, rank, &PipelineRank::rank) - own.begin());
    std::vector<RankIndex> ranks;
    for (const Pipeline& of : m_parallel.pipelines.pipelines) {
      if (place < of.ranks.size()) ranks.push_back(of.ranks[place].rank);
    }
    const std::optional<StageGain> found = stageGain(m_context.analysis(), m_parallel.pipelines, ranks);
    return found ? static_cast<double>(found->asNext) : 0;
  }

  bool findImbalance() {
    const auto gain = [](const Measured& of) {
      return of.times.balancedGainPct * static_cast<double>(of.times.window) / 100;
    };
    const Measured& worst = *std::ranges::max_element(m_measured, {}, gain);
    const Busy busy = busyOf(worst.times);
    // Ranks that were not recorded may work as long.
    if (busy.ranks < worst.pipeline->rankCount || busy.mean <= 0 || busy.most < kUnequalBusy * busy.mean)
      return false;
    // The same stage of other pipelines has the same work and takes less: the device is slow, not the stage.
    const double clock = m_context.perStep(
        busy.rank, m_context.uses(busy.rank)[static_cast<std::size_t>(Leaf::ComputeClock)].time);
    if (2 * clock > busy.most - busy.mean) return false;
    std::string fix = "Move layers from this stage to others.";
    const RankIndex first = worst.pipeline->ranks.front().rank;
    const RankIndex last = worst.pipeline->ranks.back().rank;
    if (busy.rank == first) fix += " The first stage also has the embedding.";
    if (busy.rank == last) fix += " The last stage also has the vocabulary and the loss.";
    const double high = std::max(gain(worst), asNext(worst, busy.rank));
    m_findings.push_back(
        {.kind = FindingKind::PipelineImbalance,
         .leaf = "queue.dependency",
         .time = std::max(high, busy.most - busy.mean),
         .high = high,
         .title = fmt::format("Unequal stages: {} is busy {:.2f} times the mean",
                              m_context.rankText(busy.rank), busy.most / busy.mean),
         .evidence = fmt::format(
             "It is busy for {} of {} of the pipeline; the mean is {}, the minimum {} on {}.",
             m_context.timeText(busy.most), m_context.timeText(static_cast<double>(worst.times.window)),
             m_context.timeText(busy.mean), m_context.timeText(busy.leastTime),
             m_context.rankText(busy.least)),
         .fix = std::move(fix),
         .rank = busy.rank});
    return true;
  }

  // Transfers that nothing covers; the waits for other stages are the bubble. Where the other side of a call
  // is not known, all of it may be waiting.
  void findSends() {
    const Analysis& analysis = m_context.analysis();
    double exposed = 0;
    std::size_t steps = 0;
    for (const RankIndex rank : m_context.ranks()) {
      if (!m_context.hasDevices(rank)) continue;
      steps += m_context.kept().windows[rank.value].size();
      const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
      const std::vector<RankDimension>& dimensions = m_parallel.dimensions.ofCall[rank.value];
      const IntervalSet alone = wholeExposedCommunication(analysis, rank);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        if (dimensions[i] != RankDimension::Pipeline || !m_context.windowAt(rank, calls[i].range.begin.ns()))
          continue;
        const auto parts = callParts(analysis, rank, i);
        if (!parts) continue;
        exposed += static_cast<double>(std::min(alone.coveredWithin(calls[i].range.ns()), parts->transfer));
      }
    }
    if (steps == 0) return;
    exposed /= static_cast<double>(steps);
    if (m_context.shareOf(exposed) < kExposedSends) return;
    addParallelFinding(
        m_context,
        {.kind = FindingKind::PipelineP2pExposed,
         .leaf = "comm.transfer",
         .time = exposed,
         .high = exposed,
         .title = "Exposed sends of the pipeline",
         .evidence = fmt::format("Transfer time of sends and receives between stages with no compute kernel "
                                 "running: {}. Waiting for other stages is not included.",
                                 m_context.timeText(exposed)),
         .fix =
             "Post receives early and overlap sends with the next microbatch (overlap_p2p_communication of "
             "Megatron-LM); place neighboring stages on faster links; cut the model where activations are "
             "small."});
  }

  // The same work with two stages per rank instead of one, replayed without communication.
  void findSchedule() {
    const Measured& of = m_measured.front();
    const Pipeline& pipeline = *of.pipeline;
    const bool plain =
        pipeline.schedule == ScheduleKind::GPipe || pipeline.schedule == ScheduleKind::OneForwardOneBackward;
    if (!plain || pipeline.stagesPerRank() != 1 || !of.times.replayWindow) return;
    const std::vector<ActionOrder> orders =
        plannedSchedule(ScheduleKind::Interleaved, pipeline.rankCount, 2, pipeline.microbatches);
    const ReplayedPipeline replayed = replayedPipeline(orders, [&](const PlannedAction& action) {
      const auto known = of.times.durations.find({action.stage / 2, action.kind});
      return known == of.times.durations.end() ? TimeNs{0} : known->second / 2;
    });
    const double gain =
        replayed.window > 0 ? static_cast<double>(*of.times.replayWindow - replayed.window) : 0;
    std::string evidence;
    if (pipeline.schedule == ScheduleKind::GPipe && pipeline.microbatches > pipeline.rankCount)
      evidence =
          fmt::format("GPipe keeps the activations of {} microbatches; 1F1B keeps those of at most {}. ",
                      pipeline.microbatches, pipeline.rankCount);
    evidence += fmt::format("Replayed without communication, two stages per rank (interleaved 1F1B) take {} "
                            "instead of {}.",
                            m_context.timeText(static_cast<double>(replayed.window)),
                            m_context.timeText(static_cast<double>(*of.times.replayWindow)));
    m_findings.push_back(
        {.kind = FindingKind::PipelineSchedule,
         .leaf = "queue.dependency",
         .time = static_cast<double>(of.times.window) * of.times.bubblePct / 100,
         .high = gain,
         .title = fmt::format("Pipeline schedule {}", scheduleText(pipeline.schedule)),
         .evidence = std::move(evidence),
         .fix = "ScheduleInterleaved1F1B with two stages per rank, or a zero bubble schedule where weight "
                "gradients can be computed apart. It sends twice as often."});
  }

  FindingContext& m_context;
  const JobParallel& m_parallel;
  std::vector<Measured> m_measured;
  std::vector<ParallelFinding> m_findings; // causes before remedies
};

} // namespace

void addParallelFinding(FindingContext& context, ParallelFinding of) {
  of = withinLeaf(context, std::move(of));
  if (!isWorthTelling(context, of)) return;
  Finding finding;
  finding.kind = of.kind;
  finding.leaf = of.leaf;
  const bool isOfRanks = finding.leaf.starts_with("comm") || finding.leaf.starts_with("wait");
  finding.confidence = isOfRanks && !context.knowsWaits() ? Confidence::Hint : Confidence::Likely;
  if (of.rank.valid()) {
    finding.rank = of.rank;
    finding.ranks = {of.rank};
  }
  context.setGain(finding, of.time, 0, of.high);
  finding.title = std::move(of.title);
  finding.evidence = std::move(of.evidence);
  if (finding.leaf.starts_with("comm"))
    of.within.insert(of.within.end(), kExposedKinds.begin(), kExposedKinds.end());
  finding.evidence += context.includedIn(of.within);
  finding.fix = std::move(of.fix);
  context.addWithGain(std::move(finding));
}

namespace {

TimeNs timeOfKernels(const FindingContext& context, RankIndex rank,
                     const std::function<bool(std::string_view)>& has) {
  const RankTrace& trace = context.traceOf(rank);
  const StringTable& names = context.analysis().trace().names();
  std::map<NameId, bool> known;
  ExactSum sum;
  for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) {
    if (trace.events.kind[e] != EventKind::Kernel) continue;
    const NameId name = trace.events.name[e];
    const auto [of, isNew] = known.try_emplace(name, false);
    if (isNew && name.valid()) of->second = has(names[name]);
    if (of->second && context.windowAt(rank, trace.events.begin[e])) sum += trace.events.range(e).length();
  }
  return sum;
}

} // namespace

double kernelTime(const FindingContext& context, RankIndex rank, std::string_view what,
                  const std::function<bool(std::string_view)>& has) {
  const auto time = context.ofRank<TimeNs>(rank, fmt::format("time of kernels: {}", what),
                                           [&] { return timeOfKernels(context, rank, has); });
  return context.perStep(rank, time);
}

bool computesIn16Bits(const FindingContext& context) {
  double all = 0;
  double half = 0;
  for (const RankIndex rank : context.ranks()) {
    if (!context.hasDevices(rank)) continue;
    all += kernelTime(context, rank, "products",
                      [](std::string_view name) { return kernelDtype(name).product; });
    half += kernelTime(context, rank, "products in 16 bits", [](std::string_view name) {
      const KernelDtype of = kernelDtype(name);
      return of.product && is16Bit(of.format);
    });
  }
  return all > 0 && 2 * half > all;
}

void findParallelFindings(FindingContext& context, const JobParallel& parallel) {
  PipelineRules(context, parallel).find();
  findReplicaFindings(context, parallel);
  findLayerFindings(context, parallel);
  findExpertFindings(context, parallel);
}

} // namespace rankscope
