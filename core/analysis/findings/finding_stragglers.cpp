// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about ranks that the others wait for.
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/job/late_cause.h"
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

std::string fixFor(const std::string& rank, const LateCause& cause) {
  switch (cause.part) {
  case LatePart::DataLoader:
    return "Speed up the input pipeline of " + rank +
           ": more DataLoader workers (num_workers, persistent_workers, prefetch_factor), pin_memory=True; "
           "compare its data shard and storage with other ranks'.";
  case LatePart::Kernels:
    return "The same kernels take longer on " + rank +
           ": check its GPU clocks, power cap and temperature (nvidia-smi -q -d PERFORMANCE,CLOCK), other "
           "processes on the GPU, and uneven work (sequence lengths, experts, shard size).";
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

// The leaf on which a rank spends most time more than the median of the others, and how much more.
std::pair<Leaf, double> largestExcess(const FindingContext& context, RankIndex late) {
  std::pair<Leaf, double> worst{Leaf::Ideal, 0};
  const int capture = context.analysis().trace().rank(late).capture;
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    const auto leaf = static_cast<Leaf>(i);
    if (isUnder(leaf, "wait") || isUnder(leaf, "comm")) continue;
    std::vector<double> others;
    for (const RankIndex rank : context.ranks()) {
      if (rank != late && context.analysis().trace().rank(rank).capture == capture)
        others.push_back(context.perStep(rank, context.uses(rank)[i].time));
    }
    if (others.empty()) return worst;
    const double excess = context.perStep(late, context.uses(late)[i].time) - median(std::move(others));
    if (excess > worst.second) worst = {leaf, excess};
  }
  return worst;
}

std::string evidenceFor(const FindingContext& context, const Straggler& straggler, const LateCause& cause) {
  const Analysis& analysis = context.analysis();
  const RankPace& pace = analysis.stragglers().ranks[straggler.rank.value];
  std::int64_t collectives = 0, last = 0;
  for (const std::size_t i : straggler.slowSteps) {
    collectives += pace.steps[i].collectives;
    last += pace.steps[i].last;
  }
  std::string text = fmt::format(
      "Longest step time excluding communication in {} of {} kept steps, {:.2f} x median; began "
      "last in {} of {} collectives there.",
      straggler.slowSteps.size(), straggler.keptSteps.size(), straggler.slowdown, last, collectives);
  if (const auto [leaf, excess] = largestExcess(context, straggler.rank); excess > 0)
    text += fmt::format(" Largest excess over the median rank: {}, {}.",
                        leaf == Leaf::Ideal ? std::string_view("the computation itself") : leafText(leaf),
                        context.timeText(excess));
  if (cause.part == LatePart::Unknown) return text;
  text += fmt::format(" Cause: {}", latePartText(cause.part));
  if (cause.name.valid())
    text +=
        fmt::format(", {} of it in {}", durationText(cause.nameExcess), analysis.trace().names()[cause.name]);
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

// One rank in all of its recordings; the one with the largest cost first.
using Recordings = std::vector<Straggler>;

void addStraggler(FindingContext& context, const Recordings& recordings) {
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
  // What no rank waits for cannot be won; of the straggler alone it is not known who waits.
  const bool alone = std::ranges::all_of(context.ranks(), [&](RankIndex each) {
    return context.rankNumber(each) == context.rankNumber(worst.rank);
  });
  const double wait = alone ? high : longestExposed(context);
  context.setGain(finding, wait, std::min(low, wait), std::min(high, wait));
  const LateCause cause = lateCauseOf(analysis, worst);
  const std::string rank = context.rankText(worst.rank);
  const auto& pace = analysis.stragglers().ranks[worst.rank.value].steps;
  finding.title = worst.becameSlow
                      ? fmt::format("Late straggler: {} from step {}, {}", rank,
                                    pace[worst.slowSteps.front()].number, context.gainText(finding))
                      : fmt::format("Straggler: {}, {}", rank, context.gainText(finding));
  if (countRanks(analysis).ranks == 2) finding.title += ", the slower of two";
  finding.evidence = evidenceFor(context, worst, cause);
  finding.fix = fixFor(rank, cause);
  placeStraggler(context, worst, finding);
  context.addWithGain(std::move(finding));
}

void findStartSkew(FindingContext& context) {
  context.addLeaf(kStartSkew, [&](Finding& finding, const std::vector<RankCost>& part) {
    const double time = static_cast<double>(*finding.time);
    context.setGain(finding, time, 0, 0);
    finding.gain.reset();
    finding.cost.reset();
    finding.severity = Severity::Info;
    finding.title = fmt::format("Start skew: {} of waiting in the first collective", context.timeText(time));
    finding.evidence =
        fmt::format("The recordings begin at different times; {} waits {} in the first collective "
                    "of a process group. Not a cost of the job.",
                    context.rankText(part.front().rank), durationText(part.front().use.time));
    finding.fix =
        "Record with schedule(wait=1, warmup=2, active=3), or place a barrier before the recording starts.";
  });
}

} // namespace

// The exposed communication of the rank on which most is exposed. A straggler exposes transfers of the others
// too, which begin after it and find no computation beside them any more.
double longestExposed(const FindingContext& context) {
  double longest = 0;
  for (const RankIndex rank : context.ranks()) {
    const double waiting = context.perStep(rank, useOf(context.uses(rank), "wait").time);
    longest = std::max(longest, waiting + context.perStep(rank, useOf(context.uses(rank), "comm").time));
  }
  return longest;
}

void findStragglerFindings(FindingContext& context) {
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
    if (asked) addStraggler(context, recordings);
  }
  findUnevenRanks(context);
  findStartSkew(context);
}

} // namespace rankscope
