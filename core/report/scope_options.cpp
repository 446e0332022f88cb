// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/scope_options.h"

#include "core/base/unit_text.h"
#include "core/io/reader/steps_text.h"
#include "core/report/job_totals.h"
#include "core/report/step_text.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

std::string ranksText(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + numberRangesText(ranks);
}

void matchRanks(const Analysis& whole, const std::vector<int>& asked, std::string_view prefix,
                ScopeMatch& match) {
  std::set<int> known;
  for (const RankEntry& entry : whole.trace().ranks()) known.insert(entry.rank);
  std::set<int> missing(asked.begin(), asked.end());
  const std::size_t wanted = missing.size();
  std::erase_if(missing, [&](int rank) { return known.contains(rank); });
  if (missing.empty()) return;
  const std::string line =
      fmt::format("{}ranks: the job has {}, not {}", prefix, ranksText({known.begin(), known.end()}),
                  ranksText({missing.begin(), missing.end()}));
  (missing.size() == wanted ? match.nothing : match.onlyPart).push_back(line);
}

std::string stepsText(std::int64_t first, std::int64_t last) {
  return first == last ? "step " + std::to_string(first)
                       : "steps " + std::to_string(first) + ".." + std::to_string(last);
}

bool hasUnmarkedSteps(const RankEntry& entry) {
  return std::ranges::any_of(entry.trace->diagnostics.items(), [](const Diagnostic& diagnostic) {
    return isUnmarkedStepsText(diagnostic.text);
  });
}

// Of all ranks, because a single rank may lack some.
std::set<std::int64_t> stepNumbers(const Analysis& whole, bool marked = false) {
  std::set<std::int64_t> known;
  for (std::size_t i = 0; i < whole.trace().ranks().size(); ++i) {
    if (marked && hasUnmarkedSteps(whole.trace().rank(RankIndex(i)))) continue;
    for (const StepWindow& step : whole.wholeStepWindows(RankIndex(i)).steps) known.insert(step.number);
  }
  return known;
}

// "steps 4..5"; "2 of the steps 4 to 7" where some between are missing.
std::string stepsText(const std::set<std::int64_t>& known) {
  const bool holes = *known.rbegin() - *known.begin() >= static_cast<std::int64_t>(known.size());
  if (!holes) return stepsText(*known.begin(), *known.rbegin());
  return fmt::format("{} of the steps {} to {}", known.size(), *known.begin(), *known.rbegin());
}

void matchSteps(const Analysis& whole, std::int64_t first, std::int64_t last, std::string_view prefix,
                ScopeMatch& match) {
  const std::set<std::int64_t> known = stepNumbers(whole);
  if (known.empty()) {
    match.nothing.push_back(fmt::format("{}steps: the job has no steps", prefix));
    return;
  }
  const auto found = known.lower_bound(first);
  const bool any = found != known.end() && *found <= last;
  if (any && *known.begin() <= first && last <= *known.rbegin()) return;
  const std::string line = fmt::format("{}steps: the job has {}, not {}{}", prefix, stepsText(known),
                                       any ? "all of " : "", stepsText(first, last));
  (any ? match.onlyPart : match.nothing).push_back(line);
}

} // namespace

std::string scopeError(const ScopeOptions& options) {
  if (!options.steps.empty() && !stepsFromText(options.steps))
    return fmt::format("{}steps: '{}' is not a range of steps such as 3..7", options.prefix, options.steps);
  for (const auto& [name, text] : {std::pair("from", options.from), std::pair("to", options.to)}) {
    if (!text.empty() && !durationFromText(text))
      return fmt::format("{}{}: '{}' is not a time such as 1.2s, 12ms or 350us", options.prefix, name, text);
  }
  if (!options.from.empty() && !options.to.empty() &&
      *durationFromText(options.to) <= *durationFromText(options.from))
    return fmt::format("{0}to: is not after {0}from", options.prefix);
  if (!options.ranks.empty() && !numbersInRanges(options.ranks))
    return fmt::format("{}ranks: '{}' is not a list of ranks such as 0,3-5", options.prefix, options.ranks);
  return {};
}

ScopeMatch scopeMatch(const Analysis& whole, const ScopeOptions& options) {
  ScopeMatch match;
  if (!options.ranks.empty()) matchRanks(whole, *numbersInRanges(options.ranks), options.prefix, match);
  if (!options.steps.empty()) {
    const auto [first, last] = *stepsFromText(options.steps);
    matchSteps(whole, first, last, options.prefix, match);
  }
  if (!match.matches()) return match;
  // Options that each match may exclude each other, and a range may be after the end of the job.
  const auto part = scopedAnalysis(whole, options);
  const auto isEmpty = [&](RankIndex rank) {
    const RankRange window = part->window(rank);
    return window.empty() || !window.overlaps(RankRange::of(whole.trace().rank(rank).trace->extent));
  };
  if (part != nullptr && std::ranges::all_of(part->ranks(), isEmpty))
    match.nothing.push_back("nothing was recorded in the part that was asked for; the job is " +
                            durationText(whole.extent().end - whole.extent().begin) + " long");
  return match;
}

bool stepsWereUnmarked(const TraceSet& trace) {
  return !trace.ranks().empty() && std::ranges::all_of(trace.ranks(), hasUnmarkedSteps);
}

ScopeMatch loadedStepsMatch(const Analysis& whole, LoadFilter::Steps asked) {
  ScopeMatch match;
  const std::vector<RankEntry>& recordings = whole.trace().ranks();
  const std::string what = stepsText(asked.first, asked.last);
  if (stepsWereUnmarked(whole.trace())) {
    const bool marked = std::ranges::any_of(whole.ranks(), [&](RankIndex rank) {
      return whole.wholeStepWindows(rank).found == StepSource::Marked;
    });
    match.nothing.push_back(marked
                                ? fmt::format("the job has {}, not {}", stepsText(stepNumbers(whole)), what)
                                : "no steps are marked in the job, so " + what + " cannot be loaded alone");
    return match;
  }
  // Steps without numbers are numbered anew.
  const std::set<std::int64_t> known = stepNumbers(whole, true);
  const bool within = !known.empty() && asked.first <= *known.begin() && *known.rbegin() <= asked.last;
  if (within && (asked.first < *known.begin() || *known.rbegin() < asked.last))
    match.onlyPart.push_back(fmt::format("of {} the job has {}", what, stepsText(known)));
  if (const auto unmarked = std::ranges::count_if(recordings, hasUnmarkedSteps); unmarked > 0)
    match.onlyPart.push_back(fmt::format("{} of {} recordings do not mark {}: everything of them was loaded",
                                         unmarked, recordings.size(), what));
  return match;
}

std::optional<std::set<int>> ranksAsked(const ScopeOptions& options) {
  const auto ranks = options.ranks.empty() ? std::nullopt : numbersInRanges(options.ranks);
  if (!ranks) return std::nullopt;
  return std::set<int>(ranks->begin(), ranks->end());
}

std::unique_ptr<const Analysis> scopedAnalysis(const Analysis& whole, const ScopeOptions& options) {
  const bool timed = !options.from.empty() || !options.to.empty();
  if (options.steps.empty() && !timed && options.ranks.empty()) return nullptr;
  AnalysisScope scope = wholeScope(whole);
  if (!options.steps.empty()) {
    const auto [first, last] = *stepsFromText(options.steps);
    scope = commonScope(scope, scopeOfSteps(whole, first, last));
  }
  if (timed) {
    JobRange job = whole.extent();
    const TimeNs maximum = kAllTime.end - job.begin.ns();
    if (!options.to.empty()) job.end = job.begin + std::min(maximum, *durationFromText(options.to));
    if (!options.from.empty()) job.begin += std::min(maximum, *durationFromText(options.from));
    scope = commonScope(scope, scopeOfRange(whole, job));
  }
  if (!options.ranks.empty()) scope = onlyRanks(whole, scope, *numbersInRanges(options.ranks));
  return std::make_unique<const Analysis>(whole, std::move(scope));
}

} // namespace rankscope
