// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about ranks that make the others wait.
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/job/late_cause.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace rankscope {

namespace {

// Less than this share of the steps is jitter; from the second on the job should not go on like that.
constexpr Shares kShares{0.01, 0.02, 0.05};
constexpr std::size_t kStepsForCertainty = 3;
constexpr double kNever = 1e9;

std::string fixFor(const FindingContext& context, const Straggler& straggler, const LateCause& cause) {
  const std::string rank = context.rankText(straggler.rank);
  switch (cause.part) {
  case LatePart::DataLoader:
    return "Speed up the input of " + rank +
           ": more DataLoader workers (num_workers, persistent_workers, prefetch_factor), pin_memory=True, "
           "and look "
           "at what its shard or its storage does differently.";
  case LatePart::Kernels:
    return "The same kernels take longer on " + rank +
           ": check its GPU's clocks, power cap and temperature (nvidia-smi -q -d PERFORMANCE,CLOCK), other "
           "processes on it, and whether it gets more work (sequence lengths, experts, an uneven shard).";
  case LatePart::Forward:
  case LatePart::Loss:
  case LatePart::Backward:
  case LatePart::Optimizer:
    return "Look at what " + rank + " does in " + std::string(latePartText(cause.part).substr(4)) +
           " that the others do not: extra logging, evaluation or checkpointing on one rank, uneven inputs, "
           "or a "
           "busy CPU on its host.";
  case LatePart::Host:
  case LatePart::Unknown:
    return "Compare " + rank +
           " with its neighbours just before the collectives for which they wait: CPU affinity and load of "
           "its "
           "host, Python work on this rank only (logging, garbage collection), uneven inputs.";
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
  std::string text =
      fmt::format("In {} of {} steps it began last in {} of {} collectives and waited {} "
                  "itself, while the median other rank "
                  "waited {}, {} of it not hidden by computation; its own time is {:.2f} times the median.",
                  straggler.slowSteps.size(), analysis.stepWindows(straggler.rank).steps.size(), last,
                  collectives, durationText(wait), durationText(straggler.cost),
                  durationText(straggler.exposedCost), straggler.slowdown);
  if (cause.part == LatePart::Unknown) return text;
  text += fmt::format(" What makes it late: {}, {} per step more than the median rank's",
                      latePartText(cause.part), durationText(cause.excess));
  if (cause.name.valid()) {
    text +=
        fmt::format(", of it {} in {}", durationText(cause.nameExcess), analysis.trace().names()[cause.name]);
  }
  return text + ".";
}

// The call in which the others waited longest for it, in its costliest step.
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
    const std::string rank = fmt::format("Rank {}", context.rankNumber(straggler.rank));
    finding.title =
        straggler.becameSlow
            ? fmt::format("{} became slow at step {} and makes the others wait {} per step since", rank,
                          pace.steps[found.slowSteps.front()].number, durationText(straggler.costPerStep))
            : fmt::format("{} makes the others wait {} per step", rank, durationText(straggler.costPerStep));
    finding.evidence = evidenceFor(context, straggler, cause);
    finding.fix = fixFor(context, straggler, cause);
    placeStraggler(context, straggler, finding);
    // Two steps may be slow by chance: what so few say is not the worst of a job.
    Shares shares = kShares;
    if (straggler.slowSteps.size() < kStepsForCertainty) shares.critical = kNever;
    context.add(std::move(finding), shares, straggler.exposedCost);
  }
}

} // namespace rankscope
