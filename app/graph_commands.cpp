// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph_commands.h"

#include "app/job_run.h"
#include "core/report/critical_path_table.h"
#include "core/report/report_files.h"
#include "core/report/slowdown_table.h"
#include "core/report/what_if_table.h"

#include <algorithm>

namespace rankscope {

namespace {

enum class GraphCommand : std::uint8_t { CriticalPath, WhatIf, Slowdown };

struct GraphOptions {
  std::string pathKey;
  std::vector<std::string> scenarios;
  bool asPublished = false;
  std::string format = "text";
};

struct GraphAnswer {
  std::string text;       // what to print; empty: the options were wrong after all
  std::string problem;    // for standard error
  bool answered = true;   // false: everything that was asked was refused
  bool unmatched = false; // as the job does not have what was asked about
};

std::string formatted(const ResultTable& table, std::string_view format) {
  return formattedTable(table, tableFormatNamed(format));
}

// The segments themselves, or what they are summed by; for people sums.
GraphAnswer criticalPathAnswer(const WhatIf& whatIf, const GraphOptions& options, std::string_view format) {
  const std::optional<PathKey> key = pathKeyNamed(options.pathKey);
  GraphAnswer answer;
  if (format == "text")
    answer.text = criticalPathText(whatIf, key);
  else
    answer.text = formatted(key ? criticalPathSummaryTable(whatIf, *key) : criticalPathTable(whatIf), format);
  return answer;
}

GraphAnswer whatIfAnswer(const WhatIf& whatIf, const GraphOptions& options, std::string_view format,
                         unsigned threadCount) {
  GraphAnswer answer;
  const auto scenarios = scenariosFromTexts(whatIf.analysis().trace(), options.scenarios, threadCount);
  if (!scenarios) {
    answer.problem = "--scenario: " + scenarios.error().text();
    return answer;
  }
  const std::vector<WhatIfAnswer> answers = whatIf.answers(*scenarios);
  answer.text =
      format == "text" ? whatIfText(whatIf, answers) : formatted(whatIfTable(whatIf, answers), format);
  answer.answered = std::ranges::any_of(answers, [](const WhatIfAnswer& of) { return of.refused.empty(); });
  for (const Scenario& scenario : *scenarios) {
    const std::string what = whatIf.edits().unmatched(scenario);
    if (what.empty()) continue;
    answer.unmatched = true;
    answer.problem += (answer.problem.empty() ? "" : "; ") + scenarioText(scenario) + ": " + what;
  }
  return answer;
}

GraphAnswer slowdownAnswer(const JobReport& report, const GraphOptions& options, std::string_view format,
                           unsigned threadCount) {
  const JobSlowdown slowdown = slowdownOfReport(report, options.asPublished, threadCount);
  GraphAnswer answer;
  answer.text = format == "text" ? slowdownText(slowdown) : formatted(slowdownTable(slowdown), format);
  answer.answered = slowdown.refused.empty();
  // Its text says why.
  if (!answer.answered && format != "text") answer.problem = "slowdown: " + slowdown.refused;
  return answer;
}

// The command with the options that no other one has.
CLI::App* addGraphApp(CLI::App& app, GraphCommand kind, GraphOptions& options) {
  CLI::App* command = nullptr;
  switch (kind) {
  case GraphCommand::CriticalPath:
    command =
        app.add_subcommand("critical-path", "print what decided how long the steps took, over all ranks");
    command
        ->add_option("--by", options.pathKey,
                     "sum by category, rank, operator, module, kernel, class (of modules), layer or phase")
        ->check(
            CLI::IsMember({"category", "rank", "operator", "module", "kernel", "class", "layer", "phase"}));
    break;
  case GraphCommand::WhatIf:
    command = app.add_subcommand("what-if", "print how long a step would take if something were different");
    command
        ->add_option("--scenario", options.scenarios,
                     "ID[=ARGUMENT[:FILTER]], several joined by + are replayed together; repeatable")
        ->allow_extra_args(false);
    break;
  case GraphCommand::Slowdown:
    command = app.add_subcommand("slowdown",
                                 "print which ranks, steps and kinds of work take longer than is typical");
    command->add_flag(
        "--as-smon", options.asPublished,
        "means over all ranks and steps, as StragglerAnalysis takes them, instead of medians of peers");
    break;
  }
  return command;
}

// Empty when they can be understood.
std::string graphOptionsError(const GraphOptions& options) {
  for (const std::string& text : options.scenarios) {
    const auto scenario = scenarioFromText(text);
    if (!scenario) return "--scenario: " + scenario.error().text();
  }
  return {};
}

GraphAnswer graphAnswer(const JobReport& report, GraphCommand kind, const GraphOptions& options,
                        std::string_view format, unsigned threadCount) {
  const WhatIf& whatIf = report.whatIf(threadCount);
  switch (kind) {
  case GraphCommand::CriticalPath:
    return criticalPathAnswer(whatIf, options, format);
  case GraphCommand::WhatIf:
    return whatIfAnswer(whatIf, options, format, threadCount);
  case GraphCommand::Slowdown:
    break;
  }
  return slowdownAnswer(report, options, format, threadCount);
}

ExitCode runGraphCommand(const JobOptions& job, GraphCommand kind, const GraphOptions& options) {
  if (const std::string problem = graphOptionsError(options); !problem.empty()) {
    printError(problem);
    return kWrongUsage;
  }
  const auto command = [&](const JobReport& report) {
    const GraphAnswer answer = graphAnswer(report, kind, options, options.format, job.threadCount());
    if (!answer.problem.empty()) printError(answer.problem);
    if (answer.text.empty()) return kWrongUsage;
    const ExitCode printed = print(answer.text);
    if (printed != kSuccess || answer.answered) return printed;
    return answer.unmatched ? kWrongUsage : kNoAnswer;
  };
  return withJob(job, command, tableSpec("what_if"));
}

Command addGraphCommand(CLI::App& app, GraphCommand kind) {
  const auto job = std::make_shared<JobOptions>();
  const auto options = std::make_shared<GraphOptions>();
  CLI::App* const command = addGraphApp(app, kind, *options);
  addJobOptions(*command, *job);
  job->events = EventUse::All; // a replay takes them all
  job->purpose = kind == GraphCommand::CriticalPath ? "critical-path"
                 : kind == GraphCommand::WhatIf     ? "what-if"
                                                    : "slowdown";
  addTextFormat(*command, options->format);
  return {command, job, [=]() -> int { return runGraphCommand(*job, kind, *options); }};
}

} // namespace

Command addCriticalPathCommand(CLI::App& app) {
  return addGraphCommand(app, GraphCommand::CriticalPath);
}
Command addWhatIfCommand(CLI::App& app) {
  return addGraphCommand(app, GraphCommand::WhatIf);
}
Command addSlowdownCommand(CLI::App& app) {
  return addGraphCommand(app, GraphCommand::Slowdown);
}

} // namespace rankscope
