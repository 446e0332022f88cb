// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about devices that stand still, by cause.
#include "core/analysis/finding_rules.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <span>

namespace rankscope {

namespace {

constexpr Shares kIdleShares{0.04, 0.1, 0.25};
// Gaps with these causes are told elsewhere: the DataLoader among the host's findings, waiting for a late
// rank with the straggler.
constexpr std::size_t kFewKernels = 50;

// Gaps of some causes on one rank.
struct CauseSum {
  RankCost cost;
  std::map<NameId, TimeNs> byHostEvent;
  std::size_t gaps = 0;
};

// A straggler's idle time is told with the straggler, for which all pay.
std::vector<RankIndex> ranksAtFault(const FindingContext& context) {
  std::vector<RankIndex> ranks;
  for (const RankIndex rank : context.ranks()) {
    if (!context.analysis().stragglers().ranks[rank.value].straggler) ranks.push_back(rank);
  }
  return ranks;
}

template <class Counts> CauseSum sumOf(const FindingContext& context, RankIndex rank, Counts&& counts) {
  const Analysis& analysis = context.analysis();
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  CauseSum sum;
  sum.cost.rank = rank;
  TimeNs longest = 0;
  for (const IdleGap& gap : analysis.gaps(rank).ofDevices) {
    // Outside of the steps nobody trains: profilers start and stop there.
    if (analysis.stepWindows(rank).areSteps() && !gap.step) continue;
    if (!counts(gap)) continue;
    ++sum.gaps;
    sum.cost.cost += gap.range.length();
    if (gap.hostEvent.valid()) sum.byHostEvent[trace.events.name[gap.hostEvent]] += gap.range.length();
    if (gap.range.length() <= longest) continue;
    longest = gap.range.length();
    sum.cost.place = context.toJob(rank, gap.range);
    sum.cost.event = {rank, gap.hostEvent.valid() ? gap.hostEvent : gap.next};
    if (gap.step) sum.cost.step = analysis.wholeStepWindows(rank).steps[*gap.step].number;
  }
  return sum;
}

struct JobSum {
  std::vector<RankCost> costs;
  std::map<NameId, TimeNs> byHostEvent;
  std::size_t gaps = 0;

  // The host event that most of the time went by in; invalid when there is none.
  [[nodiscard]] NameId worst() const {
    const auto found = std::ranges::max_element(byHostEvent, {}, [](const auto& e) { return e.second; });
    return found == byHostEvent.end() ? NameId() : found->first;
  }
};

template <class Counts> JobSum sumOverRanks(const FindingContext& context, Counts&& counts) {
  JobSum job;
  for (const RankIndex rank : ranksAtFault(context)) {
    CauseSum sum = sumOf(context, rank, counts);
    job.costs.push_back(sum.cost);
    job.gaps += sum.gaps;
    for (const auto& [name, time] : sum.byHostEvent) job.byHostEvent[name] += time;
  }
  return job;
}

std::string gapsText(std::size_t gaps) {
  return countedText(static_cast<std::int64_t>(gaps), "gap");
}

std::string nameText(const FindingContext& context, NameId name) {
  return name.valid() ? std::string(context.analysis().trace().names()[name])
                      : std::string("unrecorded code");
}

void findSynchronization(FindingContext& context) {
  const JobSum sum =
      sumOverRanks(context, [](const IdleGap& gap) { return gap.cause == GapCause::Synchronization; });
  const std::string what = nameText(context, sum.worst());
  context.addForRanks(
      FindingKind::Synchronization, sum.costs, kIdleShares,
      [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title = fmt::format("The GPU idles after the host waited for it: {}",
                                    perStepText(*finding.cost, context.stepCountOf(part.front().rank)));
        finding.evidence =
            fmt::format("{}, most of their time after {}: nothing was queued when it returned.",
                        gapsText(sum.gaps), what);
        finding.fix =
            "Do not ask for values inside of the step: .item(), .cpu(), print(loss), nonzero and boolean "
            "masks wait for the GPU. Log every n steps, keep metrics on the device, use non_blocking copies; "
            "torch.cuda.set_sync_debug_mode('warn') names the lines.";
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
  JobSum sum;
  for (const RankIndex rank : ranksAtFault(context)) {
    CauseSum own = sumOf(context, rank, [&](const IdleGap& gap) {
      return isHostBound(gap.cause) && followsBackward(context.analysis(), rank, gap);
    });
    sum.costs.push_back(own.cost);
    sum.gaps += own.gaps;
    for (const auto& [name, time] : own.byHostEvent) sum.byHostEvent[name] += time;
  }
  const std::string what = nameText(context, sum.worst());
  context.addForRanks(
      FindingKind::IdleAfterBackward, sum.costs, kIdleShares,
      [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title = fmt::format("The GPU idles between backward and the optimizer: {}",
                                    perStepText(*finding.cost, context.stepCountOf(part.front().rank)));
        finding.evidence = fmt::format("{} before the optimizer's kernels; the host is mostly in {}.",
                                       gapsText(sum.gaps), what);
        finding.fix = "Use a fused or foreach optimizer (fused=True), clip gradients without .item() "
                      "(foreach=True), and move logging and schedulers behind the step's launches.";
      });
}

bool isLaunchBound(const LaunchStatistics& launches) {
  const auto shorter = launches.shorterThanCallPct();
  return launches.kernels >= static_cast<std::int64_t>(kFewKernels) && shorter && *shorter >= 40;
}

// Idle time because the host cannot launch fast enough: all of it counts to one of the two findings.
void findHostBound(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  std::vector<RankCost> launchBound, idle;
  std::map<NameId, TimeNs> byHostEvent;
  std::size_t launchGaps = 0, idleGaps = 0;
  for (const RankIndex rank : ranksAtFault(context)) {
    const bool tiny = isLaunchBound(analysis.launches(rank));
    CauseSum sum = sumOf(context, rank, [&](const IdleGap& gap) {
      const bool hostBound = isHostBound(gap.cause) || gap.cause == GapCause::NotRecorded;
      return (hostBound || (tiny && gap.cause == GapCause::LaunchLatency)) &&
             !(isHostBound(gap.cause) && followsBackward(analysis, rank, gap));
    });
    if (tiny) {
      sum.cost.cost += analysis.gaps(rank).shorter.time;
      launchGaps += sum.gaps + static_cast<std::size_t>(analysis.gaps(rank).shorter.count);
    } else {
      idleGaps += sum.gaps;
      for (const auto& [name, time] : sum.byHostEvent) byHostEvent[name] += time;
    }
    (tiny ? launchBound : idle).push_back(sum.cost);
  }
  context.addForRanks(FindingKind::LaunchBound, launchBound, kIdleShares,
                      [&](Finding& finding, const std::vector<RankCost>& part) {
                        const LaunchStatistics& launches = analysis.launches(part.front().rank);
                        finding.title =
                            fmt::format("Kernels are too small for the host to keep up: the GPU idles {}",
                                        perStepText(*finding.cost, context.stepCountOf(part.front().rank)));
                        finding.evidence =
                            fmt::format("{:.0f} % of {} kernels of {} take less time than their launch; {}.",
                                        launches.shorterThanCallPct().value_or(0), launches.launched,
                                        context.rankText(part.front().rank), gapsText(launchGaps));
                        finding.fix = "Launch less often: torch.compile (mode='reduce-overhead' captures "
                                      "CUDA graphs), foreach or fused "
                                      "optimizers, larger batches.";
                      });
  const auto worst = std::ranges::max_element(byHostEvent, {}, [](const auto& e) { return e.second; });
  const std::string what = worst == byHostEvent.end() ? "unrecorded code" : nameText(context, worst->first);
  context.addForRanks(
      FindingKind::GpuIdle, idle, kIdleShares, [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title = fmt::format("The GPU waits for its host: {}",
                                    perStepText(*finding.cost, context.stepCountOf(part.front().rank)));
        finding.evidence =
            fmt::format("{} of 5 µs and more; the host is mostly in {}.", gapsText(idleGaps), what);
        finding.fix = "Take that work off the training thread or out of the step (logging, metrics, "
                      "scheduling, garbage collection); record with with_stack=True to see the lines.";
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
