// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about the host: input, time outside of operators, copies on the CPU, uneven steps.
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/operators/operator_tree.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

constexpr Shares kLoaderShares{0.05, 0.1, 0.2};
constexpr Shares kOtherShares{0.2, 0.4, 2};
constexpr Shares kCopyShares{0.1, 0.25, 2};
constexpr std::size_t kMinStepsForVariance = 5;

bool isStraggler(const Analysis& analysis, RankIndex rank) {
  return analysis.stragglers().ranks[rank.value].straggler;
}

// What of the loader's time a step loses: the device idles, or on a rank without one the training thread
// stands in it.
void findLoader(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  std::vector<RankCost> costs;
  for (const RankIndex rank : context.ranks()) {
    // A rank that is late because of its loader is reported as a straggler, which costs all ranks.
    if (isStraggler(analysis, rank)) continue;
    const IntervalSet& loader = analysis.phases(rank).dataLoader;
    const IntervalSet hidden = intersectionOf(loader, analysis.activity(rank).busy);
    RankCost cost;
    cost.rank = rank;
    for (const StepWindow& step : analysis.stepWindows(rank).steps) {
      const TimeNs loading = loader.coveredWithin(step.range);
      cost.within += loading;
      if (!cost.addInstance(loading - hidden.coveredWithin(step.range))) continue;
      cost.step = step.number;
      cost.place = context.toJob(rank, RankRange::of(loader.hullWithin(step.range)));
    }
    costs.push_back(cost);
  }
  context.addForRanks(
      FindingKind::DataLoaderStall, std::move(costs), kLoaderShares,
      [&](Finding& finding, const std::vector<RankCost>& part) {
        const std::size_t steps = context.stepCountOf(part.front().rank);
        finding.title = fmt::format("DataLoader stall: {}", perStepText(*finding.cost, steps));
        finding.evidence =
            fmt::format("{:.0f} % of the step time; {} per rank in the DataLoader's next batch.",
                        100 * context.shareOf(*finding.cost),
                        durationText(sumOf(part, &RankCost::within) / static_cast<TimeNs>(part.size())));
        finding.fix =
            "Load in background workers: DataLoader(num_workers=4 or more per GPU, persistent_workers=True, "
            "prefetch_factor, pin_memory=True); move decoding and augmentation off the training process; "
            "check the storage throughput.";
      });
}

void findOther(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  std::vector<RankCost> costs;
  for (const RankIndex rank : context.ranks()) {
    const StepWindows& steps = analysis.stepWindows(rank);
    if (!steps.areSteps()) continue;
    RankCost cost;
    cost.rank = rank;
    const std::vector<StepBreakdown>& breakdown = analysis.stepBreakdown(rank);
    for (std::size_t i = 0; i < breakdown.size(); ++i) {
      if (!cost.addInstance(breakdown[i].of(StepCategory::Other))) continue;
      cost.step = steps.steps[i].number;
      cost.place = context.toJob(rank, RankRange::of(steps.steps[i].range));
    }
    costs.push_back(cost);
  }
  context.addForRanks(
      FindingKind::FrameworkOverhead, std::move(costs), kOtherShares,
      [&](Finding& finding, const std::vector<RankCost>&) {
        finding.title =
            fmt::format("Framework overhead: {:.0f} % of step time", 100 * context.shareOf(*finding.cost));
        finding.evidence = fmt::format("{} per rank in neither device work nor operators: Python between "
                                       "operators, garbage collection, other processes, or unrecorded work.",
                                       durationText(*finding.cost));
        finding.fix = "Record with with_stack=True to find the Python code; torch.compile, CUDA graphs or "
                      "fewer, larger operators reduce Python overhead.";
      });
}

// The time in which any host thread of the rank is in aten::copy_; concurrent calls count once, so that the
// share of the steps stays within 100 %.
RankCost cpuCopiesOf(const FindingContext& context, RankIndex rank, NameId copy) {
  const TraceSet& traces = context.analysis().trace();
  const RankTrace& trace = *traces.rank(rank).trace;
  RankCost cost;
  cost.rank = rank;
  const std::vector<TimeRange> counted = context.rangesOf(rank);
  const IntervalSet all(counted);
  std::vector<TimeRange> calls;
  forEachOperator(trace, traces.names(), [&](EventIndex event) {
    if (trace.events.name[event] != copy) return;
    const TimeRange call = trace.events.range(event);
    calls.push_back(call);
    if (all.contains(call.begin)) ++cost.count;
  });
  const IntervalSet copying(std::move(calls));
  const StepWindows& steps = context.analysis().stepWindows(rank);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (!cost.addInstance(copying.coveredWithin(counted[i]))) continue;
    cost.place = context.toJob(rank, RankRange::of(counted[i]));
    if (steps.areSteps() && counted.size() == steps.steps.size()) cost.step = steps.steps[i].number;
  }
  return cost;
}

void findCpuCopies(FindingContext& context) {
  const StringTable& names = context.analysis().trace().names();
  NameId copy(std::size_t{0});
  while (copy.value < names.size() && names[copy] != "aten::copy_") ++copy.value;
  std::vector<RankCost> costs;
  for (const RankIndex rank : context.ranks()) costs.push_back(cpuCopiesOf(context, rank, copy));
  context.addForRanks(
      FindingKind::CpuCopy, std::move(costs), kCopyShares,
      [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title = fmt::format("CPU copies: aten::copy_, {:.0f} % of step time",
                                    100 * context.shareOf(*finding.cost));
        finding.subject = "aten::copy_";
        finding.evidence = fmt::format("{}, {} per rank.", countedText(sumOf(part, &RankCost::count), "call"),
                                       durationText(*finding.cost));
        finding.fix = "Avoid copies that block the host: use non_blocking=True from pinned memory, convert "
                      "dtypes once outside the loop, avoid .cpu() and .to() within the step.";
      });
}

void findVariance(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  std::vector<RankCost> costs;
  for (const RankIndex rank : context.ranks()) {
    const StepWindows& steps = analysis.stepWindows(rank);
    if (!steps.areSteps() || steps.steps.size() < kMinStepsForVariance) continue;
    // The first profiled step includes the profiler's start.
    std::vector<TimeNs> durations;
    for (std::size_t i = 1; i < steps.steps.size(); ++i) durations.push_back(steps.steps[i].range.length());
    const TimeNs typical = wholeMedian(std::move(durations));
    RankCost cost;
    cost.rank = rank;
    for (std::size_t i = 1; i < steps.steps.size(); ++i) {
      const TimeNs more = steps.steps[i].range.length() - typical;
      if (more <= 0 || !cost.addInstance(more)) continue;
      cost.step = steps.steps[i].number;
      cost.place = context.toJob(rank, RankRange::of(steps.steps[i].range));
    }
    costs.push_back(cost);
  }
  context.addForRanks(
      FindingKind::StepVariance, std::move(costs), kVarianceShares,
      [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title = fmt::format("Step time variance: {} above median", durationText(*finding.cost));
        finding.evidence = fmt::format("Step {} is the longest step of {}.", part.front().step.value_or(0),
                                       context.rankText(part.front().rank));
        finding.fix = "Compare a long step with a short one: inputs of different length, garbage collection, "
                      "periodic checkpoints or logging, other jobs on the host.";
      });
}

} // namespace

void findHostFindings(FindingContext& context) {
  findLoader(context);
  findOther(context);
  findCpuCopies(context);
  findVariance(context);
}

} // namespace rankscope
