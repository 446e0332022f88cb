// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compare_sides.h"

#include "core/analysis/compare/side_collect.h"
#include "core/analysis/findings/findings.h"
#include "core/analysis/job/cut_ranks.h"
#include "core/analysis/job/scope.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/base/parallel_for.h"
#include "core/report/compare_parallel.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// Those that are compared.
std::set<int> ranksOf(const Analysis& analysis) {
  std::set<int> ranks;
  for (const RankIndex rank : wholeRanks(analysis)) ranks.insert(analysis.trace().rank(rank).rank);
  return ranks;
}

std::vector<int> without(const std::set<int>& all, const std::vector<int>& some) {
  std::vector<int> rest;
  std::ranges::set_difference(all, some, std::back_inserter(rest));
  return rest;
}

bool sameSize(const Analysis& a, const Analysis& b) {
  const auto ofA = a.trace().worldSize();
  const auto ofB = b.trace().worldSize();
  return !ofA || !ofB || *ofA == *ofB;
}

// The ranks that both have, where others are left out; empty: all of both are compared.
std::vector<int> ranksOfPart(const Analysis& a, const Analysis& b) {
  const std::set<int> ofA = ranksOf(a);
  const std::set<int> ofB = ranksOf(b);
  std::vector<int> common;
  if (ofA == ofB || !sameSize(a, b)) return common;
  std::ranges::set_intersection(ofA, ofB, std::back_inserter(common));
  return common;
}

std::set<std::int64_t> stepNumbersOf(const Analysis& analysis) {
  std::set<std::int64_t> numbers;
  for (const RankIndex rank : analysis.ranks()) {
    for (const StepWindow& step : analysis.stepWindows(rank).steps) {
      if (step.number != Step::kUnknownNumber) numbers.insert(step.number);
    }
  }
  return numbers;
}

// Findings by the formulas, on both sides: a report may have replaced them by those of a replay.
SideFacts sideWith(const JobReport& report, const JobAccount& account, const SideOptions& options) {
  const Analysis& analysis = report.analysis();
  const JobParallel& parallel = report.parallel(options.threadCount);
  std::vector<Finding> findings;
  if (options.findings) findings = findingsOf(analysis, account, {}, &parallel);
  SideFacts side = collectSide(analysis, account, findings, options);
  side.parallel = layoutFigures(report, side);
  return side;
}

SideFacts partOf(const Analysis& analysis, const std::vector<int>& ranks, const SideOptions& options) {
  AnalysisScope scope;
  scope.ranks = analysis.ranks();
  scope.windows.reserve(scope.ranks.size());
  for (const RankIndex rank : scope.ranks) scope.windows.push_back(analysis.window(rank));
  const Analysis part(analysis, onlyRanks(analysis, scope, ranks));
  SideFacts side = sideOf(part, options);
  side.identity.notCompared = without(ranksOf(analysis), ranks);
  if (const std::string note = truncationNote(analysis); !note.empty()) side.identity.notes = {note};
  return side;
}

// Side by side, on half of the threads each.
template <class Make> ComparedSides bothSides(const SideOptions& options, Make&& make) {
  SideOptions own = options;
  own.threadCount = std::max(1U, options.threadCount / 2);
  ComparedSides sides;
  parallelFor(2, options.threadCount,
              [&](std::size_t side) { (side == 0 ? sides.a : sides.b) = make(side == 1, own); });
  return sides;
}

} // namespace

SideFacts sideOf(const Analysis& analysis, const SideOptions& options) {
  const JobAccount account = jobAccount(analysis, options.threadCount, options.progress);
  if (options.progress != nullptr && options.progress->cancelled()) return {};
  // Lives as long as this call; the analysis is the caller's.
  const JobReport report(std::shared_ptr<const Analysis>(std::shared_ptr<void>(), &analysis));
  return sideWith(report, account, options);
}

ComparedSides comparedSides(const Analysis& a, const Analysis& b, bool chosenRanks,
                            const SideOptions& options) {
  const std::vector<int> common = chosenRanks ? std::vector<int>() : ranksOfPart(a, b);
  return bothSides(options, [&](bool ofB, const SideOptions& own) {
    const Analysis& analysis = ofB ? b : a;
    return common.empty() ? sideOf(analysis, own) : partOf(analysis, common, own);
  });
}

ComparedSides comparedSides(const JobReport& a, const JobReport& b, const SideOptions& options) {
  if (!ranksOfPart(a.analysis(), b.analysis()).empty())
    return comparedSides(a.analysis(), b.analysis(), false, options);
  return bothSides(options, [&](bool ofB, const SideOptions& own) {
    const JobReport& report = ofB ? b : a;
    return sideWith(report, report.account(own.threadCount), own);
  });
}

std::string commonSteps(const Analysis& a, const Analysis& b) {
  const std::set<std::int64_t> ofA = stepNumbersOf(a);
  const std::set<std::int64_t> ofB = stepNumbersOf(b);
  std::vector<std::int64_t> common;
  std::ranges::set_intersection(ofA, ofB, std::back_inserter(common));
  return common.empty() ? std::string() : fmt::format("{}..{}", common.front(), common.back());
}

} // namespace rankscope
