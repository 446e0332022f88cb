// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mcp/asked_job.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace rankscope {

std::shared_ptr<const McpJob> askedJob(McpJobs& jobs, const McpArguments& arguments, Progress& progress,
                                       std::string_view name) {
  auto job = jobs.open(arguments.text(name), progress);
  if (!job) throw McpUsage(job.error().text());
  return *job;
}

std::string partText(const Analysis& analysis) {
  const RankCounts counts = countRanks(analysis);
  std::set<std::int64_t> steps;
  for (const RankIndex rank : analysis.ranks()) {
    for (const StepWindow& step : analysis.wholeStepWindows(rank).steps) {
      const bool inside = analysis.window(rank) == kWholeRecording ||
                          analysis.window(rank).contains(RankTime(step.range.begin));
      if (inside) steps.insert(step.number);
    }
  }
  std::string text =
      fmt::format("{} of {} ranks", counts.ranks,
                  analysis.trace().worldSize().value_or(static_cast<std::int64_t>(counts.ranks)));
  if (counts.severalCaptures()) text += fmt::format(", {} recordings", counts.captures);
  if (!steps.empty()) text += fmt::format(", steps {} to {}", *steps.begin(), *steps.rbegin());
  return text;
}

std::string scopeText(const McpJob& job) {
  return "whole job, " + partText(job.report->analysis()) +
         "; _us microseconds, _ns nanoseconds, times from the job's first event";
}

} // namespace rankscope
