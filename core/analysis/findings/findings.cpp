// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/findings.h"

#include "core/analysis/findings/finding_rules.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

struct KindWords {
  std::string_view text;
  std::string_view title;
};

constexpr std::array<KindWords, kFindingKindCount> kWords{{
    {"straggler", "a rank that makes the others wait"},
    {"late_straggler", "a rank that became slow part-way"},
    {"exposed_communication", "communication that no computation hides"},
    {"no_overlap", "no overlap of communication and computation on any rank"},
    {"low_overlap_rank", "a rank that overlaps less than the others"},
    {"dataloader_stall", "waiting for the DataLoader"},
    {"idle_after_backward", "an idle GPU between backward and optimizer"},
    {"synchronization", "CPU-GPU synchronisation"},
    {"launch_bound", "kernels too small for the host to keep up"},
    {"gpu_idle", "a GPU that waits for its host"},
    {"all_ranks_idle", "all GPUs idle at once"},
    {"host_to_device_copy", "long or pageable copies to the device"},
    {"cpu_copy", "copies on the CPU"},
    {"communication_dominates", "more communication than computation"},
    {"no_tensor_cores", "matrix products without tensor cores"},
    {"low_occupancy", "kernels with low occupancy"},
    {"few_blocks", "kernels with fewer blocks than SMs"},
    {"fragmentation", "reserved memory that is not allocated"},
    {"memory_growth", "memory that grows step by step"},
    {"memory_spike", "short peaks of memory"},
    {"device_allocation", "device allocations within the steps"},
    {"framework_overhead", "time outside of operators (Python)"},
    {"step_variance", "steps of different length"},
    {"low_gpu_utilization", "low GPU utilization"},
    {"clock_disagreement", "clocks that do not agree"},
    {"capture_quality", "doubts about the recording"},
}};

} // namespace

std::string_view severityText(Severity severity) {
  switch (severity) {
  case Severity::Info:
    return "info";
  case Severity::Warning:
    return "warning";
  case Severity::Critical:
    return "critical";
  }
  return {};
}

std::optional<Severity> severityOf(std::string_view text) {
  for (const Severity severity : {Severity::Info, Severity::Warning, Severity::Critical}) {
    if (severityText(severity) == text) return severity;
  }
  return std::nullopt;
}

std::string_view findingKindText(FindingKind kind) {
  return kWords[static_cast<std::size_t>(kind)].text;
}

std::string_view findingKindTitle(FindingKind kind) {
  return kWords[static_cast<std::size_t>(kind)].title;
}

std::string countedText(std::int64_t count, std::string_view one) {
  return groupedText(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

std::string perStepText(TimeNs cost, std::size_t steps) {
  if (steps < 2) return durationText(cost);
  return durationText(cost / static_cast<TimeNs>(steps)) + " per step";
}

std::int64_t sumOf(const std::vector<RankCost>& part, std::int64_t RankCost::*member) {
  std::int64_t sum = 0;
  for (const RankCost& cost : part) sum += cost.*member;
  return sum;
}

FindingContext::FindingContext(const Analysis& analysis) : m_analysis(analysis) {
  m_times.assign(analysis.trace().ranks().size(), 0);
  for (const RankIndex rank : analysis.ranks()) {
    TimeNs time = 0;
    for (const TimeRange& range : rangesOf(rank)) time += range.length();
    m_times[rank.value] = time;
    m_meanTime += time;
    const RankTrace& trace = *analysis.trace().rank(rank).trace;
    m_hasDevices |= trace.deviceBegin < trace.deviceEnd;
  }
  if (!analysis.ranks().empty()) m_meanTime /= static_cast<TimeNs>(analysis.ranks().size());
}

std::vector<TimeRange> FindingContext::rangesOf(RankIndex rank) const {
  std::vector<TimeRange> ranges;
  const StepWindows& steps = m_analysis.stepWindows(rank);
  if (steps.areSteps()) {
    for (const StepWindow& step : steps.steps) ranges.push_back(step.range);
  }
  if (std::ranges::any_of(ranges, [](TimeRange range) { return !range.empty(); })) return ranges;
  const TimeRange span = m_analysis.activity(rank).span;
  if (!span.empty()) return {span};
  return {m_analysis.trace().rank(rank).trace->extent.clippedTo(m_analysis.window(rank))};
}

double FindingContext::shareOf(TimeNs cost) const {
  return m_meanTime > 0 ? static_cast<double>(cost) / static_cast<double>(m_meanTime) : 0;
}

std::size_t FindingContext::stepCountOf(RankIndex rank) const {
  const StepWindows& steps = m_analysis.stepWindows(rank);
  return steps.areSteps() ? steps.steps.size() : 1;
}

TimeRange FindingContext::toJob(RankIndex rank, TimeRange range) const {
  return m_analysis.clocks().of(rank).toJob(range);
}

std::int64_t FindingContext::rankNumber(RankIndex rank) const {
  return m_analysis.trace().rank(rank).rank;
}

std::string FindingContext::rankText(RankIndex rank) const {
  return "rank " + std::to_string(rankNumber(rank));
}

void FindingContext::add(Finding finding, const Shares& shares) {
  const TimeNs cost = finding.cost.value_or(0);
  add(std::move(finding), shares, cost);
}

void FindingContext::add(Finding finding, const Shares& shares, TimeNs longer) {
  const std::optional<Severity> severity = severityOf(shareOf(longer), shares);
  if (!severity) return;
  finding.severity = *severity;
  m_findings.push_back(std::move(finding));
}

void FindingContext::addForRanks(
    FindingKind kind, std::vector<RankCost> costs, const Shares& shares,
    const std::function<void(Finding&, const std::vector<RankCost>&)>& describe) {
  const auto byCost = [](const RankCost& a, const RankCost& b) { return a.cost > b.cost; };
  if (costs.empty()) return;
  std::ranges::stable_sort(costs, byCost);
  const auto worth = static_cast<std::size_t>(
      std::ranges::count_if(costs, [&](const RankCost& c) { return shareOf(c.cost) >= shares.info; }));
  const auto report = [&](std::vector<RankCost> part, bool all) {
    Finding finding;
    finding.kind = kind;
    TimeNs total = 0;
    for (const RankCost& c : part) total += c.cost;
    finding.cost = total / static_cast<TimeNs>(part.size());
    if (!all || m_analysis.ranks().size() == 1) finding.rank = part.front().rank;
    finding.place = part.front().place;
    finding.step = part.front().step;
    finding.event = part.front().event;
    describe(finding, part);
    add(std::move(finding), shares);
  };
  if (worth == 0) return;
  TimeNs total = 0;
  for (const RankCost& c : costs) total += c.cost;
  const bool meanIsWorth = shareOf(total / static_cast<TimeNs>(costs.size())) >= shares.info;
  if (2 * worth > m_analysis.ranks().size() && meanIsWorth) {
    report(std::move(costs), true);
    return;
  }
  for (std::size_t i = 0; i < worth; ++i) report({costs[i]}, false);
}

std::vector<Finding> findingsOf(const Analysis& analysis) {
  FindingContext context(analysis);
  findStragglerFindings(context);
  findCommunicationFindings(context);
  findIdleFindings(context);
  findKernelFindings(context);
  findMemoryFindings(context);
  findHostFindings(context);
  findQualityFindings(context);
  std::vector<Finding> findings = context.take();
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    return std::tuple(a.severity, a.cost.value_or(0), a.costBytes.value_or(0)) >
           std::tuple(b.severity, b.cost.value_or(0), b.costBytes.value_or(0));
  });
  return findings;
}

} // namespace rankscope
