// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about stragglers.
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/job/late_cause.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace rankscope {

namespace {

// Shares of the step time: below the first it is jitter, above the last it is critical.
constexpr Shares kShares{0.01, 0.02, 0.05};
constexpr std::size_t kStepsForCertainty = 3;
constexpr double kNeverCritical = 1e9;

std::string fixFor(const FindingContext& context, const Straggler& straggler, const LateCause& cause) {
  const std::string rank = context.rankText(straggler.rank);
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

std::string evidenceFor(const FindingContext& context, const Straggler& straggler, const LateCause& cause) {
  const Analysis& analysis = context.analysis();
  const RankPace& pace = analysis.stragglers().ranks[straggler.rank.value];
  std::int64_t collectives = 0, last = 0;
  ExactSum wait;
  for (const std::size_t i : straggler.slowSteps) {
    collectives += pace.steps[i].collectives;
    last += pace.steps[i].last;
    wait += pace.steps[i].wait;
  }
  std::string text = fmt::format(
      "In {} of {} steps it arrived last in {} of {} collectives and waited {}; the median of the "
      "other ranks waited {}, {} of it exposed. Step time excluding communication: {:.2f} x median.",
      straggler.slowSteps.size(), analysis.stepWindows(straggler.rank).steps.size(), last, collectives,
      durationText(wait), durationText(straggler.cost), durationText(straggler.exposedCost),
      straggler.slowdown);
  if (cause.part == LatePart::Unknown) return text;
  text += fmt::format(" Cause: {}, {}/step more than the median rank", latePartText(cause.part),
                      durationText(cause.excess));
  if (cause.name.valid()) {
    text += fmt::format(", of which {} in {}", durationText(cause.nameExcess),
                        analysis.trace().names()[cause.name]);
  }
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

} // namespace

void findStragglerFindings(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  for (const Straggler& found : analysis.stragglers().stragglers) {
    const auto part = withinWindow(found, analysis.wholeStepWindows(found.rank), analysis.window(found.rank));
    if (!part) continue;
    const Straggler& straggler = *part;
    const LateCause cause = lateCauseOf(analysis, straggler);
    const RankPace& pace = analysis.stragglers().ranks[straggler.rank.value];
    Finding finding;
    finding.rank = straggler.rank;
    finding.cost = straggler.cost;
    finding.kind = straggler.becameSlow ? FindingKind::LateStraggler : FindingKind::Straggler;
    const std::string rank = context.rankText(straggler.rank);
    finding.title =
        straggler.becameSlow
            ? fmt::format("Late straggler: {} from step {}, {}/step", rank,
                          pace.steps[found.slowSteps.front()].number, durationText(straggler.costPerStep))
            : fmt::format("Straggler: {}, {}/step", rank, durationText(straggler.costPerStep));
    finding.evidence = evidenceFor(context, straggler, cause);
    finding.fix = fixFor(context, straggler, cause);
    placeStraggler(context, straggler, finding);
    // One or two slow steps may be chance: they never make a finding critical.
    Shares shares = kShares;
    if (straggler.slowSteps.size() < kStepsForCertainty) shares.critical = kNeverCritical;
    context.add(std::move(finding), shares, straggler.exposedCost);
  }
}

} // namespace rankscope
