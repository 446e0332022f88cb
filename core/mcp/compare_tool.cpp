// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mcp/compare_tool.h"

#include "core/analysis/compare/comparison.h"
#include "core/mcp/asked_job.h"
#include "core/report/compare_sides.h"
#include "core/report/compare_tables.h"
#include "core/report/compare_text.h"
#include "core/report/scope_options.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

// A side: the job at a path, or a part of it.
struct Side {
  std::shared_ptr<const McpJob> job;
  std::unique_ptr<const Analysis> part; // null: the whole job
  std::string warnings;                 // what of the part was not recorded

  [[nodiscard]] const Analysis& analysis() const { return part ? *part : job->report->analysis(); }
};

Side askedSide(McpJobs& jobs, const McpArguments& arguments, Progress& progress, std::string_view name) {
  Side side{askedJob(jobs, arguments, progress, name), nullptr, {}};
  const std::string prefix = std::string(name) + '_';
  ScopeOptions options;
  options.prefix = prefix;
  options.ranks = arguments.textOr(prefix + "ranks", "");
  options.steps = arguments.textOr(prefix + "steps", "");
  if (const std::string wrong = scopeError(options); !wrong.empty()) throw McpUsage(wrong);
  const ScopeMatch match = scopeMatch(side.job->report->analysis(), options);
  if (!match.matches()) throw McpUsage(match.nothing.front());
  for (const std::string& line : match.onlyPart) side.warnings += "Only in part: " + line + "\n";
  side.part = scopedAnalysis(side.job->report->analysis(), options);
  return side;
}

} // namespace

McpAnswer compareJobs(McpJobs& jobs, const McpArguments& arguments, Progress& progress) {
  const std::string by = arguments.textOr("by", "kernel");
  const auto table = std::ranges::find(compareTableSpecs(), std::string_view(by), &CompareTableSpec::by);
  if (by.empty() || table == compareTableSpecs().end())
    throw McpUsage("by: is none of class, module, operator, kernel, collective, rank");
  const Side a = askedSide(jobs, arguments, progress, "a");
  const Side b = askedSide(jobs, arguments, progress, "b");
  const bool chosenRanks = arguments.has("a_ranks") || arguments.has("b_ranks");
  ComparedSides sides =
      comparedSides(a.analysis(), b.analysis(), chosenRanks, {false, jobs.threadCount(), &progress});
  if (progress.cancelled()) throw McpUsage("canceled");
  const Comparison comparison = compareSides(std::move(sides.a), std::move(sides.b), {});
  McpAnswer answer("A: " + partText(a.analysis()) + "; B: " + partText(b.analysis()) +
                   "; _us microseconds of a kept step, differences are B less A");
  answer.addText(comparisonHead(comparison) + a.warnings + b.warnings);
  const auto add = [&](std::string_view title, const ResultTable& rows, std::size_t limit,
                       std::string_view narrow) {
    answer.addTable(title, rows, limit, rows.rowCount(), narrow);
  };
  add("Verdict and statistics", compareStatisticsTable(comparison), 60, "");
  add("What the difference is made of: classes and leaves of the account", compareClassesTable(comparison),
      60, "Compare parts of the jobs.");
  if (by != "class")
    add("Largest contributions by " + by, table->make(comparison), arguments.limitOr(20, 100),
        "Ask for a higher limit, or by module, operator or kernel.");
  return answer;
}

} // namespace rankscope
