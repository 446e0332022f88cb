// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about communication that is not hidden.
#include "core/analysis/findings/finding_rules.h"
#include "core/base/exact_sum.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>

namespace rankscope {

namespace {

// Without a device, communication and computation share the CPU cores: there is little to overlap.
constexpr Shares kExposedOnHost{0.08, 1e9, 1e9};
// These two findings quantify what another one explains, so they never become critical.
constexpr Shares kOverall{0.1, 0.25, 2};
constexpr double kNoOverlapPct = 2;
constexpr double kOverlapThatIsUsual = 20;

struct Times {
  ExactSum communication;
  ExactSum overlap;
  ExactSum exposed;
  ExactSum compute;

  [[nodiscard]] double overlapPct() const {
    return communication > 0 ? 100.0 * static_cast<double>(overlap) / static_cast<double>(communication) : 0;
  }
};

// Of a rank without a device, its steps.
Times timesOf(const Analysis& analysis, RankIndex rank) {
  Times times;
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  if (trace.deviceBegin < trace.deviceEnd) {
    const DeviceActivity& activity = analysis.activity(rank);
    return {activity.communication.totalLength(), activity.overlap.totalLength(),
            activity.exposed.totalLength(), activity.compute.totalLength()};
  }
  for (const StepBreakdown& step : analysis.stepBreakdown(rank)) {
    times.communication += step.communication;
    times.overlap += step.overlap;
    times.exposed += step.exposedCommunication;
    times.compute += step.compute;
  }
  return times;
}

// Time lost to stragglers is reported by the straggler findings.
TimeNs lostToStragglers(const Analysis& analysis, RankIndex rank) {
  ExactSum lost;
  for (const Straggler& straggler : analysis.stragglers().stragglers) {
    const bool together =
        analysis.trace().rank(straggler.rank).capture == analysis.trace().rank(rank).capture;
    if (straggler.rank == rank || !together) continue;
    // The straggler's window, or this rank's where only this one is asked about.
    const RankRange window =
        analysis.window(straggler.rank).empty() ? kWholeRecording : analysis.window(straggler.rank);
    const auto part = withinWindow(straggler, analysis.wholeStepWindows(straggler.rank), window);
    if (part) lost += part->exposedCost;
  }
  return lost;
}

struct Worst {
  std::string label;
  CollectiveOperation operation = CollectiveOperation::Unknown;
  ParallelDimension dimension = ParallelDimension::Unknown;
  CollectiveStatistics sums; // over all ranks
  std::int64_t ranks = 0;    // that take part

  [[nodiscard]] bool found() const { return ranks > 0; }
  [[nodiscard]] bool holds(const JobGroup& group, CollectiveOperation called) const {
    return called == operation && group.label() == label;
  }
};

// The groups of one label and the operation with the most exposed time over all ranks.
Worst worstGroup(const Analysis& analysis) {
  std::map<std::pair<std::string, CollectiveOperation>, Worst> sums;
  for (const RankIndex rank : analysis.ranks()) {
    std::set<const Worst*> counted;
    for (const CollectiveStatistics& s : analysis.collectiveStatistics(rank)) {
      const JobGroup& group = analysis.collectives().match.groups[s.group.value];
      Worst& sum = sums[{group.label(), s.operation}];
      sum.label = group.label();
      sum.operation = s.operation;
      sum.dimension = group.dimension;
      sum.sums.calls += s.calls;
      sum.sums.matched += s.matched;
      sum.sums.exposed += s.exposed;
      sum.sums.wait += s.wait;
      sum.sums.transfer += s.transfer;
      if (counted.insert(&sum).second) ++sum.ranks;
    }
  }
  Worst worst;
  for (const auto& [key, sum] : sums) {
    if (!worst.found() || sum.sums.exposed > worst.sums.exposed) worst = sum;
  }
  return worst;
}

// Places the finding at the call with the longest exposed time.
void placeWorstCall(const FindingContext& context, const Worst& worst, Finding& finding) {
  const Analysis& analysis = context.analysis();
  TimeNs longest = 0;
  RankIndex where;
  const CollectiveCall* longestCall = nullptr;
  for (const RankIndex rank : analysis.ranks()) {
    const auto& calls = analysis.collectiveCalls(rank);
    const CollectiveMatch& match = analysis.collectives().match;
    const IntervalSet& exposed = analysis.exposedCommunication(rank);
    for (std::size_t c = 0; c < calls.size(); ++c) {
      const CollectiveInstance& instance = match.instance(match.instanceOfCall[rank.value][c]);
      if (!worst.holds(match.group(instance), calls[c].operation)) continue;
      if (!analysis.window(rank).contains(calls[c].range.begin)) continue;
      const TimeNs length = exposed.coveredWithin(calls[c].range.ns());
      if (length <= longest) continue;
      longest = length;
      where = rank;
      longestCall = &calls[c];
    }
  }
  if (longestCall == nullptr) return;
  finding.place = context.toJob(where, longestCall->range);
  finding.event = {where, longestCall->event};
  const auto& steps = analysis.wholeStepWindows(where).steps;
  const auto step = std::ranges::find(steps, longestCall->step, &StepWindow::number);
  finding.step = step != steps.end() ? std::optional(longestCall->step) : std::nullopt;
}

std::string fixForExposed(CollectiveOperation operation, ParallelDimension dimension) {
  using enum CollectiveOperation;
  if (operation == AllToAll)
    return "Overlap the all-to-all with independent work (dense layers, the next micro-batch), send less "
           "data "
           "(fewer bytes per element, lower capacity factor), or place communicating experts on one node.";
  if (isPointToPoint(operation) || operation == SendRecv)
    return "Use more micro-batches or an interleaved schedule to shrink the pipeline bubble; post receives "
           "early (batch_isend_irecv).";
  if (operation == AllGather || operation == ReduceScatter)
    return "FSDP: prefetch earlier (forward_prefetch=True, BackwardPrefetch.BACKWARD_PRE), wrap larger "
           "units, "
           "set reshard_after_forward=False if memory allows, or shard within a node (HYBRID_SHARD).";
  if (dimension == ParallelDimension::Tensor)
    return "Tensor-parallel all-reduces run between layers: keep the group within one node's NVLink, use "
           "sequence parallelism or asynchronous tensor parallelism, or reduce the tensor-parallel degree.";
  return "Start gradient reduction earlier: tune bucket_cap_mb and gradient_as_bucket_view, accumulate "
         "gradients with no_sync(), compress them (bf16_compress_hook), and compare the measured busbw with "
         "the network's.";
}

void findExposed(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  ExactSum exposed, communication, overlap;
  std::vector<Times> all;
  for (const RankIndex rank : context.ranks()) {
    const Times times = timesOf(analysis, rank);
    exposed += std::max<TimeNs>(0, times.exposed - lostToStragglers(analysis, rank));
    communication += times.communication;
    overlap += times.overlap;
    all.push_back(times);
  }
  const auto ranks = static_cast<TimeNs>(context.ranks().size());
  if (communication == 0) return;
  const bool none =
      ranks > 1 && std::ranges::all_of(all, [](const Times& t) { return t.overlapPct() < kNoOverlapPct; });
  const Worst worst = worstGroup(analysis);
  if (!worst.found()) return;
  Finding finding;
  finding.kind = none ? FindingKind::NoOverlap : FindingKind::ExposedCommunication;
  if (ranks == 1) finding.rank = context.ranks().front();
  finding.cost = exposed / ranks;
  const std::size_t steps = context.stepCountOf(context.ranks().front());
  const std::string perStep = perStepText(*finding.cost, steps);
  finding.title = none ? fmt::format("No overlap: {} of communication exposed", perStep)
                       : fmt::format("Exposed communication: {}", perStep);
  finding.evidence =
      fmt::format("{:.1f} % of communication is overlapped by compute. Largest exposed part: {} of {} ({} "
                  "per rank in {})",
                  100.0 * static_cast<double>(overlap) / static_cast<double>(communication),
                  operationText(worst.operation), worst.label, durationText(worst.sums.exposed / worst.ranks),
                  countedText(worst.sums.calls / worst.ranks, "call"));
  if (worst.sums.matched > 0)
    finding.evidence += fmt::format("; of that time, {} is wait for the last rank and {} is transfer",
                                    durationText(worst.sums.wait / worst.ranks),
                                    durationText(worst.sums.transfer / worst.ranks));
  finding.evidence += ".";
  finding.fix = fixForExposed(worst.operation, worst.dimension);
  if (none && worst.operation == CollectiveOperation::AllReduce &&
      worst.dimension != ParallelDimension::Tensor)
    finding.fix =
        "DDP cannot overlap when it waits for the whole backward pass: unneeded find_unused_parameters=True, "
        "a bucket larger than the model (bucket_cap_mb), gradients reduced manually after backward, or a "
        "loss scaler that synchronizes. " +
        finding.fix;
  placeWorstCall(context, worst, finding);
  context.add(std::move(finding), context.hasDevices() ? kExposedShares : kExposedOnHost);
}

void findLowOverlapRanks(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  if (context.ranks().size() < 3) return;
  std::vector<double> shares;
  for (const RankIndex rank : context.ranks()) shares.push_back(timesOf(analysis, rank).overlapPct());
  const double usual = median(shares);
  if (usual < kOverlapThatIsUsual) return;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const RankIndex rank = context.ranks()[i];
    if (2 * shares[i] >= usual || analysis.stragglers().ranks[rank.value].straggler) continue;
    const Times times = timesOf(analysis, rank);
    Finding finding;
    finding.kind = FindingKind::LowOverlapRank;
    finding.rank = rank;
    finding.cost = truncated((usual - shares[i]) / 100 * static_cast<double>(times.communication));
    finding.place = context.toJob(rank, RankRange::of(analysis.activity(rank).exposed.hull()));
    finding.title = fmt::format("Low overlap: rank {}, {:.0f} % (median {:.0f} %)", context.rankNumber(rank),
                                shares[i], usual);
    finding.evidence = fmt::format("{} of {} of communication is exposed.", durationText(times.exposed),
                                   durationText(times.communication));
    finding.fix =
        "Compare its timeline with another rank's: a synchronization or an extra wait on this rank prevents "
        "compute from running concurrently with the collectives.";
    context.add(std::move(finding), kExposedShares);
  }
}

void findDominating(FindingContext& context) {
  ExactSum communication, compute;
  for (const RankIndex rank : context.ranks()) {
    const Times times = timesOf(context.analysis(), rank);
    communication += std::max<TimeNs>(0, times.communication - lostToStragglers(context.analysis(), rank));
    compute += times.compute;
  }
  if (communication <= compute || !context.hasDevices()) return;
  const auto ranks = static_cast<TimeNs>(context.ranks().size());
  Finding finding;
  finding.kind = FindingKind::CommunicationDominates;
  finding.cost = (communication - compute) / ranks;
  finding.title = fmt::format("Communication-bound: {} communication, {} compute per rank",
                              durationText(communication / ranks), durationText(compute / ranks));
  finding.evidence = "Even with perfect overlap, steps cannot be shorter than their communication.";
  finding.fix =
      "Increase the work between collectives (larger batch, gradient accumulation with no_sync()), send less "
      "data (bf16 gradients, larger shards per node), or use fewer ranks.";
  context.add(std::move(finding), kOverall);
}

// One profiling cycle at a time: nothing is recorded between two of them.
void findAllIdle(FindingContext& context, int capture) {
  const Analysis& analysis = context.analysis();
  IntervalSet somebody; // JobTimes
  JobRange common = JobRange::of(kAllTime);
  std::size_t ranks = 0, devices = 0;
  for (const RankIndex rank : context.ranks()) {
    const DeviceActivity& activity = analysis.activity(rank);
    if (activity.span.empty() || analysis.trace().rank(rank).capture != capture) continue;
    std::vector<TimeRange> busy;
    for (const TimeRange range : activity.busy.ranges())
      busy.push_back(context.toJob(rank, RankRange::of(range)).ns());
    somebody = unionOf(somebody, IntervalSet(std::move(busy)));
    common = common.clippedTo(context.toJob(rank, RankRange::of(activity.span)));
    ++ranks;
    devices += analysis.trace().rank(rank).trace->devices.size();
  }
  if (ranks < 2 || common.empty()) return;
  Finding finding;
  finding.kind = FindingKind::AllRanksIdle;
  finding.cost = common.length() - somebody.coveredWithin(common.ns());
  TimeRange longest;
  std::int64_t gaps = 0;
  somebody.forEachGap(common.ns(), [&](TimeRange gap) {
    ++gaps;
    if (gap.length() > longest.length()) longest = gap;
  });
  finding.place = JobRange::of(longest);
  finding.title = fmt::format("All GPUs idle: {} on {} GPUs", durationText(*finding.cost), devices);
  finding.evidence = fmt::format("{}, max {}: no rank waits for another rank, all wait for their hosts.",
                                 countedText(gaps, "time"), durationText(longest.length()));
  finding.fix =
      "Inspect the longest of these gaps and move what all hosts do during it (input, logging, checkpoint, "
      "evaluation, synchronization) off the critical path.";
  context.add(std::move(finding), kOverall);
}

} // namespace

void findCommunicationFindings(FindingContext& context) {
  findExposed(context);
  findLowOverlapRanks(context);
  findDominating(context);
  std::set<int> captures;
  for (const RankIndex rank : context.ranks()) captures.insert(context.analysis().trace().rank(rank).capture);
  for (const int capture : captures) findAllIdle(context, capture);
}

} // namespace rankscope
