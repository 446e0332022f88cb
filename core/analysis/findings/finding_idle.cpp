// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about devices that stand still, by cause.
#include "core/analysis/findings/finding_rules.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// Gaps with these causes are reported elsewhere: the DataLoader among the host's findings, waiting for a late
// rank with the straggler.
constexpr std::size_t kFewKernels = 50;

// A straggler's idle time is reported with the straggler.
std::vector<RankIndex> ranksAtFault(const FindingContext& context) {
  std::vector<RankIndex> ranks;
  for (const RankIndex rank : context.ranks()) {
    if (!context.analysis().stragglers().ranks[rank.value].straggler) ranks.push_back(rank);
  }
  return ranks;
}

// Gaps of some causes on one rank; its name is the host event that most of the time went by in.
template <class Counts> RankCost gapCost(const FindingContext& context, RankIndex rank, Counts&& counts) {
  const Analysis& analysis = context.analysis();
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  RankCost cost;
  cost.rank = rank;
  std::map<NameId, ExactSum> byHostEvent;
  for (const IdleGap& gap : analysis.gaps(rank).ofDevices) {
    // Outside the steps there is no training: profilers start and stop there.
    if (analysis.stepWindows(rank).areSteps() && !gap.step) continue;
    if (!counts(gap)) continue;
    ++cost.count;
    if (gap.hostEvent.valid()) byHostEvent[trace.events.name[gap.hostEvent]] += gap.range.length();
    if (!cost.addInstance(gap.range.length())) continue;
    cost.place = context.toJob(rank, RankRange::of(gap.range));
    cost.event = {rank, gap.hostEvent.valid() ? gap.hostEvent : gap.next};
    if (gap.step) cost.step = analysis.wholeStepWindows(rank).steps[*gap.step].number;
  }
  const auto worst = std::ranges::max_element(byHostEvent, {}, [](const auto& e) { return e.second; });
  if (worst != byHostEvent.end()) cost.name = worst->first;
  return cost;
}

template <class Counts> std::vector<RankCost> gapCosts(const FindingContext& context, Counts&& counts) {
  std::vector<RankCost> costs;
  for (const RankIndex rank : ranksAtFault(context))
    costs.push_back(gapCost(context, rank, [&](const IdleGap& gap) { return counts(rank, gap); }));
  return costs;
}

std::string gapsText(const std::vector<RankCost>& part) {
  return countedText(sumOf(part, &RankCost::count), "gap");
}

std::string nameText(const FindingContext& context, NameId name) {
  return name.valid() ? std::string(context.analysis().trace().names()[name])
                      : std::string("unrecorded code");
}

void findSynchronization(FindingContext& context) {
  std::vector<RankCost> costs =
      gapCosts(context, [](RankIndex, const IdleGap& gap) { return gap.cause == GapCause::Synchronization; });
  context.addForRanks(
      FindingKind::Synchronization, std::move(costs), kIdleShares,
      [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title = fmt::format("Synchronization: {} of GPU idle time",
                                    perStepText(*finding.cost, context.stepCountOf(part.front().rank)));
        finding.evidence = fmt::format("{}, mostly after {}: the launch queue was empty when it returned.",
                                       gapsText(part), nameText(context, part.front().name));
        finding.fix =
            "Do not read device values within the step: .item(), .cpu(), print(loss), nonzero and boolean "
            "masks "
            "wait for the GPU. Log every n steps, keep metrics on the device, use non_blocking copies; "
            "torch.cuda.set_sync_debug_mode('warn') reports the source lines.";
      });
}

// Gaps between the end of backward and the optimizer's first work.
bool followsBackward(const Analysis& analysis, RankIndex rank, const IdleGap& gap) {
  const HostPhases& phases = analysis.phases(rank);
  const IntervalSet& backward = phases.backward;
  const IntervalSet& optimizer = phases.optimizer;
  if (backward.empty() || optimizer.empty() || !gap.launch.valid()) return false;
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  return optimizer.contains(trace.events.begin[gap.launch]) &&
         !backward.contains(trace.events.begin[gap.launch]);
}

bool isHostBound(GapCause cause) {
  return cause == GapCause::Python || cause == GapCause::HostOperators || cause == GapCause::Untraced;
}

void findAfterBackward(FindingContext& context) {
  std::vector<RankCost> costs = gapCosts(context, [&](RankIndex rank, const IdleGap& gap) {
    return isHostBound(gap.cause) && followsBackward(context.analysis(), rank, gap);
  });
  context.addForRanks(
      FindingKind::IdleAfterBackward, std::move(costs), kIdleShares,
      [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title = fmt::format("Idle after backward: {}",
                                    perStepText(*finding.cost, context.stepCountOf(part.front().rank)));
        finding.evidence = fmt::format("{} before the optimizer's kernels; CPU activity is mostly {}.",
                                       gapsText(part), nameText(context, part.front().name));
        finding.fix = "Use a fused or foreach optimizer (fused=True), clip gradients without .item() "
                      "(foreach=True), and run logging and schedulers after the step's launches.";
      });
}

bool isLaunchBound(const LaunchStatistics& launches) {
  const auto shorter = launches.shorterThanCallPct();
  return launches.kernels >= static_cast<std::int64_t>(kFewKernels) && shorter && *shorter >= 40;
}

// Idle time because the host cannot launch fast enough; each rank counts to one of the two findings.
void findHostBound(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  std::vector<RankCost> launchBound, idle;
  for (const RankIndex rank : ranksAtFault(context)) {
    const bool tiny = isLaunchBound(analysis.launches(rank));
    RankCost cost = gapCost(context, rank, [&](const IdleGap& gap) {
      const bool hostBound = isHostBound(gap.cause) || gap.cause == GapCause::NotRecorded;
      return (hostBound || (tiny && gap.cause == GapCause::LaunchLatency)) &&
             !(isHostBound(gap.cause) && followsBackward(analysis, rank, gap));
    });
    if (tiny) {
      cost.cost += analysis.gaps(rank).shorter.time;
      cost.count += analysis.gaps(rank).shorter.count;
    }
    (tiny ? launchBound : idle).push_back(cost);
  }
  context.addForRanks(FindingKind::LaunchBound, std::move(launchBound), kIdleShares,
                      [&](Finding& finding, const std::vector<RankCost>& part) {
                        const LaunchStatistics& launches = analysis.launches(part.front().rank);
                        finding.title =
                            fmt::format("Launch-bound: {} of GPU idle time",
                                        perStepText(*finding.cost, context.stepCountOf(part.front().rank)));
                        finding.evidence =
                            fmt::format("{:.0f} % of {} kernels of {} are shorter than their launch; {}.",
                                        launches.shorterThanCallPct().value_or(0), launches.launched,
                                        context.rankText(part.front().rank), gapsText(part));
                        finding.fix = "Reduce the number of launches: torch.compile (mode='reduce-overhead' "
                                      "captures CUDA graphs), foreach or fused optimizers, larger batches.";
                      });
  context.addForRanks(FindingKind::GpuIdle, std::move(idle), kIdleShares,
                      [&](Finding& finding, const std::vector<RankCost>& part) {
                        finding.title =
                            fmt::format("GPU idle, waiting for host: {}",
                                        perStepText(*finding.cost, context.stepCountOf(part.front().rank)));
                        finding.evidence = fmt::format("{} of 5 µs or more; CPU activity is mostly {}.",
                                                       gapsText(part), nameText(context, part.front().name));
                        finding.fix =
                            "Move that work off the training thread or out of the step (logging, metrics, "
                            "scheduling, garbage collection); record with with_stack=True for source lines.";
                      });
}

} // namespace

void findIdleFindings(FindingContext& context) {
  if (!context.hasDevices()) return;
  findSynchronization(context);
  findAfterBackward(context);
  findHostBound(context);
}

} // namespace rankscope
