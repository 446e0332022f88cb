// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/table_commands.h"

#include "app/efficiency_options.h"
#include "app/findings_command.h"
#include "app/job_run.h"
#include "core/base/unit_text.h"
#include "core/export/whole_file.h"
#include "core/io/load/remote_traces.h"
#include "core/report/digest_rows.h"
#include "core/report/digest_tables.h"
#include "core/report/grouped_tables.h"
#include "core/report/html_report.h"
#include "core/report/report_files.h"
#include "core/report/summary_text.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

struct ReportOptions {
  std::string outFolder;
  std::vector<std::string> tables;
  std::string format = "csv";
  std::string ignore; // file of accepted findings
  bool html = false;
  std::function<std::vector<std::string>()> settings; // options given that figures depend on
};

std::string tableNames() {
  std::string names;
  for (const TableSpec& known : tableSpecs()) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return names;
}

// Null if there is no such table (already reported).
const TableSpec* knownTable(const std::string& name) {
  const TableSpec* const spec = tableSpec(name);
  if (spec == nullptr) printError("table '" + name + "' does not exist; there are: " + tableNames());
  return spec;
}

JobPart jobPart(const JobOptions& options) {
  JobPart part;
  part.steps = options.scope.steps;
  if (const auto ranks = ranksAsked(options.scope)) part.ranks = rankList({ranks->begin(), ranks->end()});
  if (!options.scope.from.empty()) part.from = durationFromText(options.scope.from);
  if (!options.scope.to.empty()) part.to = durationFromText(options.scope.to);
  part.capture = options.capture;
  part.loaded = filterFrom(options.filter);
  return part;
}

// The options of a command that were given, of those added after the first `before`, as words.
std::vector<std::string> givenWords(const CLI::App& command, std::size_t before, const JobOptions& job) {
  std::vector<std::string> words;
  const std::vector<const CLI::Option*> all = command.get_options();
  for (const CLI::Option* const option : std::span(all).subspan(before)) {
    if (option->count() == 0) continue;
    words.push_back(option->get_name());
    if (words.back() == "--gains") // its result is a number by now
      words.emplace_back(job.gains == GainMethod::Formula ? "formula" : "replay");
    else if (option->get_items_expected_max() > 0)
      words.push_back(option->results().back());
  }
  return words;
}

// What opens the same job again, from any folder. settings: what its figures depend on.
OpenCommands openCommands(const JobOptions& options, const std::vector<std::string>& settings) {
  OpenCommands commands;
  std::error_code error;
  commands.arguments.reserve(options.paths.size());
  for (const std::string& path : options.paths) {
    if (isRemotePath(path)) {
      commands.arguments.push_back(withoutCredentials(path));
      continue;
    }
    const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
    commands.arguments.push_back(error ? path : whole.string());
  }
  const JobPart part = jobPart(options);
  for (std::string& word : loadArguments(part)) commands.arguments.push_back(std::move(word));
  commands.tablePart = tableArguments(part);
  if (options.allSteps) commands.tablePart.emplace_back("--all-steps");
  if (options.recordedClocks) commands.tablePart.emplace_back("--recorded-clocks");
  commands.tablePart.insert(commands.tablePart.end(), settings.begin(), settings.end());
  // The window has other gains, and so another order of findings.
  commands.whole = part.all() && !options.allSteps && !options.recordedClocks && settings.empty();
  return commands;
}

// With what the command reads of a digest's events for a table.
JobOptions withEventsFor(const JobOptions& job, const std::string& table, bool grouped) {
  JobOptions own = job;
  const bool settings = job.efficiency != EfficiencySettings();
  const bool replay = job.gainsGiven && job.gains == GainMethod::Replay;
  if (needsAllRanks(table)) {
    own.events = EventUse::All;
  } else if (table == "findings" && (settings || replay || !job.scope.ranks.empty())) {
    own.events = EventUse::All;
    own.arguments = true;
  } else if (table == "bucket_advice" && !job.scope.ranks.empty()) {
    own.events = EventUse::All;
  } else if (dependsOnSettings(table) && settings) {
    own.events = EventUse::Chosen;
    own.arguments = readsArguments(table);
  } else if (grouped || !neededForTable(table).empty()) {
    own.events = EventUse::Chosen;
  }
  own.purpose = table;
  return own;
}

// Removes the tables that a digest has not; says which, and which are shortened.
std::vector<std::string> leaveOutAbsent(const JobReport& report, std::vector<const TableSpec*>& specs) {
  std::vector<std::string> lines;
  std::erase_if(specs, [&](const TableSpec* spec) {
    std::string why = whyAbsent(report, *spec);
    const bool absent = !why.empty();
    if (absent) lines.push_back(std::move(why));
    return absent;
  });
  for (std::string& line : shortenedTables(report, specs)) lines.push_back(std::move(line));
  return lines;
}

ExitCode runReport(const JobOptions& job, const ReportOptions& options) {
  std::vector<const TableSpec*> specs;
  for (const std::string& name : options.tables) {
    specs.push_back(knownTable(name));
    if (specs.back() == nullptr) return kWrongUsage;
  }
  auto accepted = readAccepted(options.ignore);
  if (!accepted) return kWrongUsage;
  // Before the work, so that a folder that cannot be created fails at once.
  if (const auto error = makeFolder(options.outFolder)) {
    printError(error->text());
    return kWrongUsage;
  }
  HtmlReportOptions htmlOptions;
  const std::vector<std::string> settings = options.settings();
  htmlOptions.commands = openCommands(job, settings);
  const JobPart part = jobPart(job);
  htmlOptions.scope = partText(part);
  if (!settings.empty()) {
    if (htmlOptions.scope.empty()) htmlOptions.scope = "Whole trace";
    htmlOptions.scope += " · with";
    for (const std::string& word : settings) htmlOptions.scope += " " + word;
    htmlOptions.scope += ", options that the window has not";
  }
  htmlOptions.accepted = std::move(*accepted);
  JobOptions own = job;
  if (options.html || (job.gainsGiven && job.gains == GainMethod::Replay)) {
    own.events = EventUse::All;
    own.purpose = options.html ? "report --html" : "report --gains replay";
  }
  return withJob(own, [&](const JobReport& report) {
    warnOfUseless(report, options.ignore, htmlOptions.accepted);
    if (!part.all())
      htmlOptions.commands.windowPart = windowArguments(report.analysis(), report.analysis().extent().begin);
    if (options.tables.empty()) specs = reportTables(report);
    for (const std::string& line : leaveOutAbsent(report, specs)) printError(line);
    for (const TableSpec* const spec : specs) prepareRows(report, *spec, job.threadCount());
    const auto written = writeReport(report, options.outFolder, specs, tableFormatNamed(options.format),
                                     htmlOptions.accepted, part);
    std::optional<Error> error = written ? std::nullopt : std::optional(written.error());
    if (!error && options.html)
      error = writeWholeFile((std::filesystem::path(options.outFolder) / "report.html").string(),
                             htmlReport(report, {}, htmlOptions));
    if (!error) return kSuccess;
    printError(error->text());
    return kWrongUsage;
  });
}

struct TableOptions {
  std::string name;
  std::string by; // a part of the model; empty: rows as they are
  std::string format = "csv";
  std::string ignore; // file of accepted findings
};

std::string groupableNames() {
  std::string names;
  for (const std::string_view name : groupableTables()) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

ExitCode runGroupedTable(const JobOptions& job, const TableOptions& options) {
  if (std::ranges::find(groupableTables(), options.name) == groupableTables().end()) {
    printError("--by: " + options.name + " has no such rows; these tables have: " + groupableNames());
    return kWrongUsage;
  }
  const auto printTable = [&](const JobReport& report) {
    const CallGrouping grouping = callGroupingNamed(options.by).value_or(CallGrouping::Module);
    const auto table =
        groupedTable(report, options.name, grouping, {.each = true, .rank = {}}, job.threadCount());
    return print(formattedTable(*table, tableFormatNamed(options.format)));
  };
  return withJob(withEventsFor(job, options.name, true), printTable, &kNoTable);
}

ExitCode runTable(const JobOptions& job, const TableOptions& options) {
  const TableSpec* const spec = knownTable(options.name);
  if (spec == nullptr) return kWrongUsage;
  if (!options.by.empty()) return runGroupedTable(job, options);
  const auto accepted = readAccepted(options.ignore);
  if (!accepted) return kWrongUsage;
  const auto printTable = [&](const JobReport& report) {
    if (const std::string why = whyAbsent(report, *spec); !why.empty()) {
      printError(why);
      return kNoAnswer;
    }
    for (const std::string& line : shortenedTables(report, std::span<const TableSpec* const>(&spec, 1)))
      printError(line);
    if (spec->name == "findings") warnOfUseless(report, options.ignore, *accepted);
    return print(formattedTable(markedTable(report, *spec, *accepted), tableFormatNamed(options.format)));
  };
  return withJob(withEventsFor(job, options.name, false), printTable, spec);
}

} // namespace

Command addSummaryCommand(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("summary", "print a summary of the job");
  const auto job = std::make_shared<JobOptions>();
  addJobOptions(*command, *job);
  return {command, job, [=]() -> int {
            const JobPart part = jobPart(*job);
            return withJob(*job, [&](const JobReport& report) { return print(summaryText(report, part)); });
          }};
}

Command addReportCommand(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("report", "write tables and summary.json into a folder");
  const auto job = std::make_shared<JobOptions>();
  const auto options = std::make_shared<ReportOptions>();
  addJobOptions(*command, *job);
  command->add_option("--out", options->outFolder, "output folder; created if missing")->required();
  command->add_option("--tables", options->tables, "only these tables, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--ignore", options->ignore, "JSON file of accepted findings: marked as such");
  command->add_flag("--html", options->html,
                    "also write report.html: key figures, findings, charts and tables in one file");
  addTableFormat(*command, options->format);
  options->settings = [command, before = command->get_options().size(), job] {
    return givenWords(*command, before, *job);
  };
  addEfficiencyOptions(*command, job->efficiency);
  addGains(*command, *job);
  addLayout(*command, *job);
  return {command, job, [=]() -> int { return runReport(*job, *options); }};
}

Command addTableCommand(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("table", "print one table");
  const auto job = std::make_shared<JobOptions>();
  const auto options = std::make_shared<TableOptions>();
  command->add_option("NAME", options->name, "one of " + tableNames())->required();
  addJobOptions(*command, *job);
  addTableFormat(*command, options->format);
  command
      ->add_option(
          "--by", options->by,
          "split rows by the part of the model: module, class, layer, phase (forward, backward, ...) "
          "or graph (compiled); of the tables " +
              groupableNames())
      ->check(CLI::IsMember({"module", "class", "layer", "phase", "graph"}));
  command->add_option("--ignore", options->ignore,
                      "JSON file of accepted findings: marked as such in the table of findings");
  addEfficiencyOptions(*command, job->efficiency);
  addGains(*command, *job);
  addLayout(*command, *job);
  return {command, job, [=]() -> int { return runTable(*job, *options); }};
}

} // namespace rankscope
