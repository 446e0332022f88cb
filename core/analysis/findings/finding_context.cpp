// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_context.h"

#include "core/base/unit_text.h"

#include <algorithm>
#include <utility>

namespace rankscope {

std::string countedText(std::int64_t count, std::string_view one) {
  return groupedText(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

std::string perStepText(TimeNs cost, std::size_t steps) {
  if (steps < 2) return durationText(cost);
  return durationText(cost / static_cast<TimeNs>(steps)) + "/step";
}

FindingContext::FindingContext(const Analysis& analysis) : m_analysis(analysis) {
  m_times.assign(analysis.trace().ranks().size(), 0);
  ExactSum all;
  for (const RankIndex rank : analysis.ranks()) {
    ExactSum time;
    for (const TimeRange& range : rangesOf(rank)) time += range.length();
    m_times[rank.value] = time;
    all += time;
    const RankTrace& trace = *analysis.trace().rank(rank).trace;
    m_hasDevices |= trace.deviceBegin < trace.deviceEnd;
  }
  if (!analysis.ranks().empty()) m_meanTime = all / static_cast<TimeNs>(analysis.ranks().size());
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
  return {m_analysis.trace().rank(rank).trace->extent.clippedTo(m_analysis.window(rank).ns())};
}

double FindingContext::shareOf(TimeNs cost) const {
  return m_meanTime > 0 ? static_cast<double>(cost) / static_cast<double>(m_meanTime) : 0;
}

std::size_t FindingContext::stepCountOf(RankIndex rank) const {
  const StepWindows& steps = m_analysis.stepWindows(rank);
  return steps.areSteps() ? steps.steps.size() : 1;
}

JobRange FindingContext::toJob(RankIndex rank, RankRange range) const {
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
    ExactSum total;
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
  ExactSum total;
  for (const RankCost& c : costs) total += c.cost;
  const bool meanIsWorth = shareOf(total / static_cast<TimeNs>(costs.size())) >= shares.info;
  if (2 * worth > m_analysis.ranks().size() && meanIsWorth) {
    report(std::move(costs), true);
    return;
  }
  for (std::size_t i = 0; i < worth; ++i) report({costs[i]}, false);
}

} // namespace rankscope
