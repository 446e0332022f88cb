// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/compare_parts.h"

#include "core/analysis/compare/side_collect.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace rankscope::ui {

namespace {

// More of them would not be a choice any more.
constexpr std::size_t kMaxParts = 200;
constexpr std::size_t kStepsOfPhases = 4; // with fewer, halves say less than steps

bool hasStep(const JobPart& part, std::int64_t number) {
  if (number == Step::kUnknownNumber) return false;
  return part.kind == JobPart::Kind::Step ? number == part.number
                                          : part.number <= number && number <= part.last;
}

// From the first of these steps of a rank to the last; empty if it has none.
RankRange windowOfSteps(const Analysis& analysis, RankIndex rank, const JobPart& part) {
  std::optional<TimeRange> window;
  for (const StepWindow& step : analysis.wholeStepWindows(rank).steps) {
    if (hasStep(part, step.number)) window = window ? window->unitedWith(step.range) : step.range;
  }
  return window ? RankRange::of(*window) : RankRange();
}

// The ranks and windows of a part; empty: the job has no such part.
AnalysisScope scopeOf(const Analysis& analysis, const JobPart& part) {
  AnalysisScope scope;
  const std::vector<std::size_t> cycles =
      part.kind == JobPart::Kind::Capture ? captureCycles(analysis) : std::vector<std::size_t>();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    RankRange window = analysis.window(rank);
    bool taken = true;
    if (part.kind == JobPart::Kind::Rank) taken = entry.rank == part.number;
    if (part.kind == JobPart::Kind::OtherRanks) taken = entry.rank != part.number;
    if (part.kind == JobPart::Kind::Host) taken = entry.host == part.host;
    if (part.kind == JobPart::Kind::Capture)
      taken = cycles[rank.value] == static_cast<std::size_t>(part.number);
    if (part.kind == JobPart::Kind::Step || part.kind == JobPart::Kind::Steps) {
      window = windowOfSteps(analysis, rank, part);
      taken = !window.ns().empty();
    }
    if (!taken) continue;
    scope.ranks.push_back(rank);
    scope.windows.push_back(window);
  }
  return scope;
}

struct Divided {
  std::set<int> ranks;
  std::set<std::string> hosts;
  std::set<std::int64_t> steps;
  std::set<std::size_t> cycles;
};

Divided dividedJob(const Analysis& analysis) {
  Divided found;
  const std::vector<std::size_t> cycleOf = captureCycles(analysis);
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    found.ranks.insert(entry.rank);
    if (!entry.host.empty()) found.hosts.insert(entry.host);
    found.cycles.insert(cycleOf[rank.value]);
    for (const StepWindow& step : analysis.wholeStepWindows(rank).steps) {
      if (step.number != Step::kUnknownNumber) found.steps.insert(step.number);
    }
  }
  return found;
}

// The first and the second half of the run.
std::pair<JobPart, JobPart> halvesOf(const std::set<std::int64_t>& steps) {
  const auto middle = std::next(steps.begin(), static_cast<std::ptrdiff_t>(steps.size() / 2));
  return {{JobPart::Kind::Steps, *steps.begin(), *std::prev(middle), {}},
          {JobPart::Kind::Steps, *middle, *steps.rbegin(), {}}};
}

} // namespace

std::vector<PartOption> partsOf(const Analysis& analysis) {
  std::vector<PartOption> parts{{partTitle({}), {}}};
  const Divided job = dividedJob(analysis);
  const auto add = [&](const JobPart& part) {
    if (parts.size() < kMaxParts) parts.push_back({partTitle(part), part});
  };
  if (job.cycles.size() > 1) {
    for (const std::size_t cycle : job.cycles)
      add({JobPart::Kind::Capture, static_cast<std::int64_t>(cycle), 0, {}});
  }
  if (job.hosts.size() > 1) {
    for (const std::string& host : job.hosts) add({JobPart::Kind::Host, 0, 0, host});
  }
  if (job.steps.size() >= kStepsOfPhases) {
    const auto [first, second] = halvesOf(job.steps);
    add(first);
    add(second);
  }
  if (job.ranks.size() > 1) {
    for (const int rank : job.ranks) add({JobPart::Kind::Rank, rank, 0, {}});
  }
  if (job.steps.size() > 1) {
    for (const std::int64_t step : job.steps) add({JobPart::Kind::Step, step, 0, {}});
  }
  return parts;
}

void addChosenPart(std::vector<PartOption>& options, const JobPart& part) {
  if (std::ranges::find(options, part, &PartOption::part) == options.end())
    options.push_back({partTitle(part), part});
}

std::shared_ptr<const Analysis> analysisOfPart(const JobReport& report, const JobPart& part) {
  if (part.kind == JobPart::Kind::Whole) return report.sharedAnalysis();
  AnalysisScope scope = scopeOf(report.analysis(), part);
  if (scope.ranks.empty()) return nullptr;
  return std::make_shared<const Analysis>(report.analysis(), std::move(scope));
}

std::optional<JobPart> stepsInRange(const Analysis& analysis, JobRange range) {
  std::optional<JobPart> part;
  for (const RankIndex rank : analysis.ranks()) {
    const TimeRange own = analysis.clocks().of(rank).fromJob(range).ns();
    for (const StepWindow& step : analysis.wholeStepWindows(rank).steps) {
      if (step.number == Step::kUnknownNumber || !own.contains(step.range.begin)) continue;
      if (!part) part = JobPart{JobPart::Kind::Steps, step.number, step.number, {}};
      part->number = std::min(part->number, step.number);
      part->last = std::max(part->last, step.number);
    }
  }
  if (part && part->number == part->last) part = JobPart{JobPart::Kind::Step, part->number, 0, {}};
  return part;
}

} // namespace rankscope::ui
