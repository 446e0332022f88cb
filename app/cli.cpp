// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli: summary and tables of a job without a display. core/report computes the output; this file
// has the options, exit codes and error messages.
#include "app/compare_command.h"
#include "app/efficiency_options.h"
#include "app/excerpt_command.h"
#include "app/filter_options.h"
#include "app/graph_commands.h"
#include "app/progress_line.h"
#include "app/query_command.h"
#include "app/scope_options.h"
#include "app/side_commands.h"
#include "app/stacks_command.h"
#include "core/base/caught.h"
#include "core/base/thread_team.h"
#include "core/export/whole_file.h"
#include "core/io/cache/cache_folder.h"
#include "core/io/load/job_loader.h"
#include "core/io/load/session_traces.h"
#include "core/io/load/trace_loader.h"
#include "core/io/nccl/nccl_files.h"
#include "core/mcp/mcp_server.h"
#include "core/model/missing_part.h"
#include "core/report/accepted_findings.h"
#include "core/report/bandwidth_tables.h"
#include "core/report/findings_table.h"
#include "core/report/html_report.h"
#include "core/report/network_tables.h"
#include "core/report/network_text.h"
#include "core/report/other_jobs.h"
#include "core/report/report_files.h"
#include "core/report/summary_text.h"
#include "core/report/tables.h"
#include "core/report/text_table.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace rankscope;

enum ExitCode : int { kSuccess = 0, kWrongUsage = 1, kNothingRead = 2, kFound = 3, kNoAnswer = 4 };

// A damaged file may have thousands of errors; the files table has their number.
constexpr std::size_t kDiagnosticsShown = 5;

// Condition for a failing exit code of `findings`: a severity, or a minimum gain as a share of the step.
struct FailOn {
  std::optional<Severity> severity;
  std::optional<double> gainPct;

  [[nodiscard]] bool isMet(const JobReport& report, const Finding& finding) const {
    if (severity && finding.severity >= *severity) return true;
    return gainPct && findingSharePct(report, finding).value_or(-1) >= *gainPct;
  }
};

// Parses "warning", "gain:5%", "gain:5"; empty for other words.
std::optional<FailOn> failOnOf(std::string_view text) {
  constexpr std::string_view kGain = "gain:";
  if (!text.starts_with(kGain)) {
    const std::optional<Severity> severity = severityOf(text);
    return severity ? std::optional(FailOn{severity, std::nullopt}) : std::nullopt;
  }
  text.remove_prefix(kGain.size());
  if (text.ends_with('%')) text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || !(percent >= 0 && percent <= 100))
    return std::nullopt;
  return FailOn{std::nullopt, percent};
}

struct Options {
  std::vector<std::string> paths;
  unsigned threads = 0;
  std::optional<int> capture;
  bool quiet = false;
  std::string format = "csv";
  std::string outFolder;
  std::vector<std::string> tables;
  std::string table;
  std::string textFormat = "text"; // of commands that people read
  GraphOptions graph;
  FailOn failOn;
  std::string failOnText;
  std::string ignore; // file of accepted findings
  GainMethod gains = GainMethod::Formula;
  bool allSteps = false;
  bool recordedClocks = false;
  bool noCache = false;
  bool html = false;
  ScopeOptions scope;
  FilterOptions filter;
  StacksOptions stacks;
  ExcerptOptions excerpt;
  QueryOptions query;
  McpOptions mcp;
  EfficiencySettings efficiency;
  LayoutSettings layout;
  std::vector<std::string> fabrics;
  PredictionRequest prediction;

  [[nodiscard]] unsigned threadCount() const { return threads > 0 ? threads : defaultThreadCount(); }
  [[nodiscard]] std::optional<TraceCacheSettings> cache() const {
    return noCache ? std::nullopt : userTraceCache();
  }
};

void printError(std::string_view line) {
  const std::string text = "rankscope-cli: " + printableText(line) + "\n";
  std::fputs(text.c_str(), stderr);
}

// Prints each line of an error as a separate message.
void printLines(const Error& error) {
  const std::string text = error.text();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    printError(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
}

// Reports incomplete output, so that a truncated table is not taken for a complete one.
ExitCode print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kSuccess;
  printError("standard output: cannot write");
  return kWrongUsage;
}

std::string_view wordFor(DiagnosticKind kind) {
  switch (kind) {
  case DiagnosticKind::Repaired:
    return "repaired";
  case DiagnosticKind::Skipped:
    return "skipped";
  case DiagnosticKind::Suspicious:
    return "suspicious";
  }
  return {};
}

// Prints what was repaired or skipped in an opened file. The files table has all counts.
void reportDamage(const FileRecord& file) {
  std::size_t shown = 0;
  std::uint64_t missing = 0; // not damage: findings about the recording
  for (const Diagnostic& diagnostic : file.diagnostics.items()) {
    if (missingPartOf(diagnostic.text)) {
      ++missing;
      continue;
    }
    if (shown == kDiagnosticsShown) continue;
    ++shown;
    printError(file.path + ": " + (diagnostic.where.empty() ? std::string() : diagnostic.where + ": ") +
               std::string(wordFor(diagnostic.kind)) + ": " + diagnostic.text);
  }
  std::uint64_t all = 0;
  for (const std::uint64_t count : file.diagnostics.counts()) all += count;
  all -= missing;
  if (all > kDiagnosticsShown)
    printError(file.path + ": " + std::to_string(all - kDiagnosticsShown) +
               " more places repaired, skipped or suspicious");
}

void reportFiles(const TraceSet& trace, bool quiet) {
  if (const std::string text = otherJobsText(trace); !text.empty()) printError(text);
  for (const FileRecord& file : trace.files()) {
    if (file.status == FileStatus::Beside) continue;
    if (!file.rank)
      printError(file.path + ": " + (file.note.empty() ? "not loaded" : file.note));
    else if (!quiet)
      reportDamage(file);
  }
}

// The job, or null if nothing could be read (already reported).
std::shared_ptr<const TraceSet> load(const Options& options, Progress& progress) {
  LoadOptions loadOptions;
  loadOptions.threadCount = options.threads;
  loadOptions.capture = options.capture;
  loadOptions.cache = options.cache();
  loadOptions.filter = filterFrom(options.filter);
  loadOptions.mayRead = [&](std::span<const DiscoveredFile> files) {
    const std::string warning = memoryWarning(files, loadOptions.filter, options.threadCount());
    if (!warning.empty()) printError(warning);
    return true;
  };
  const auto paths = withSessionTraces(options.paths);
  if (!paths) {
    printLines(paths.error());
    return nullptr;
  }
  // Logs of NCCL may be there alone: a job without ranks.
  const std::vector<std::string> traces = withoutNcclFiles(*paths);
  if (traces.empty() || (discoverTraceFiles(traces).files.empty() && !findNcclFiles(traces).empty()))
    return std::make_shared<const TraceSet>(std::string(), StringTable(), std::vector<RankEntry>(),
                                            std::vector<FileRecord>());
  auto loaded = loadJob(traces, loadOptions, progress);
  if (!loaded.ok()) {
    printLines(loaded.error());
    return nullptr;
  }
  return *loaded;
}

NetworkInput networkInput(const Options& options) {
  NetworkInput input;
  input.records = [paths = options.paths]() -> std::shared_ptr<const NcclRecords> {
    const std::vector<std::string> files = findNcclFiles(paths);
    return files.empty() ? nullptr : std::make_shared<const NcclRecords>(readNcclFiles(files));
  };
  for (const std::string& name : options.fabrics)
    if (const auto choice = fabricChoice(name)) input.fabrics.chosen.push_back(*choice);
  return input;
}

// For commands that compute what they need themselves.
constexpr TableSpec kNothing{"", nullptr, nullptr};

void prepare(const JobReport& report, const TableSpec* table, unsigned threadCount) {
  if (table != nullptr)
    prepareTable(report, *table, threadCount);
  else
    report.computeAll(threadCount);
}

// The report of the selected part of a job, or an exit code.
struct Answer {
  std::unique_ptr<const JobReport> report;
  ExitCode code = kNothingRead; // if there is no report
};

// Computes what the table needs, or everything if table is null. Errors have already been reported.
Answer analyze(const Options& options, const TableSpec* table) {
  Answer answer;
  ScopeMatch match;
  std::shared_ptr<const TraceSet> trace;
  {
    Progress progress;
    const ProgressLine line(progress, !options.quiet);
    trace = load(options, progress);
    if (trace != nullptr) {
      std::shared_ptr<const Analysis> analysis = std::make_shared<const Analysis>(
          trace, nullptr, AnalysisOptions{!options.recordedClocks, options.allSteps});
      match = scopeMatch(*analysis, options.scope);
      if (match.matches()) {
        if (auto part = scopedAnalysis(*analysis, options.scope)) analysis = std::move(part);
        answer.report = std::make_unique<const JobReport>(
            std::move(analysis), options.efficiency, options.gains, networkInput(options), options.layout);
        prepare(*answer.report, table, options.threadCount());
      }
    }
  }
  if (trace == nullptr) return answer;
  reportFiles(*trace, options.quiet);
  for (const std::string& problem : match.nothing) printError(problem);
  if (!match.matches()) answer.code = kWrongUsage;
  for (const std::string& problem : match.onlyPart) printError("warning: " + problem);
  return answer;
}

// Warns if a job cannot be cached, because it will be read again each time.
void keep(const TraceSet& trace, const TraceCacheSettings& cache, bool quiet) {
  if (writeTraceCache(trace, cache) || trace.origin().cached || quiet) return;
  if (trace.textBytes() < cache.minTextBytes) return;
  if (const auto why = cacheFolderProblem(cache.folder))
    printError(cache.folder + ": the job was not written to the cache: " + *why);
}

// Prints the output of a command, then writes the job to the cache.
template <class Command>
ExitCode withJob(const Options& options, Command&& command, const TableSpec* table = nullptr) {
  const Answer answer = analyze(options, table);
  if (answer.report == nullptr) return answer.code;
  const ExitCode code = command(*answer.report);
  if (const auto cache = options.cache()) keep(answer.report->analysis().trace(), *cache, options.quiet);
  return code;
}

TableFormat formatNamed(const std::string& name) {
  return name == "json" ? TableFormat::Json : TableFormat::Csv;
}

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

ExitCode runSummary(const Options& options) {
  return withJob(options, [](const JobReport& report) { return print(summaryText(report)); });
}

ExitCode runTable(const Options& options) {
  const TableSpec* const spec = knownTable(options.table);
  if (spec == nullptr) return kWrongUsage;
  const auto printReport = [&](const JobReport& report) {
    return print(formattedTable(spec->make(report), formatNamed(options.format)));
  };
  return withJob(options, printReport, spec);
}

ExitCode printFindings(const Options& options, const JobReport& report,
                       const std::vector<AcceptedFinding>& accepted) {
  const std::string text = options.textFormat == "text"
                               ? findingsText(report, accepted)
                               : formattedTable(findingsTable(report), formatNamed(options.textFormat));
  const ExitCode printed = print(text);
  if (printed != kSuccess) return printed;
  const bool met = std::ranges::any_of(report.findings(), [&](const Finding& finding) {
    return options.failOn.isMet(report, finding) && acceptedAs(report, finding, accepted) == nullptr;
  });
  return met ? kFound : kSuccess;
}

// Nothing after the reason was printed why the file cannot be read.
std::optional<std::vector<AcceptedFinding>> readAccepted(const Options& options) {
  if (options.ignore.empty()) return std::vector<AcceptedFinding>();
  auto read = readAcceptedFindings(options.ignore);
  if (read) return std::move(*read);
  printError(read.error().text());
  return std::nullopt;
}

ExitCode runFindings(Options& options) {
  if (!options.failOnText.empty()) {
    const std::optional<FailOn> failOn = failOnOf(options.failOnText);
    if (!failOn) {
      printError("--fail-on: '" + options.failOnText + "' is none of info, warning, critical, gain:PERCENT%");
      return kWrongUsage;
    }
    options.failOn = *failOn;
  }
  const auto accepted = readAccepted(options);
  if (!accepted) return kWrongUsage;
  return withJob(options, [&](const JobReport& report) { return printFindings(options, report, *accepted); });
}

// Of a command that asks the graph of the job.
ExitCode runGraphCommand(const Options& options, GraphCommand kind) {
  if (const std::string problem = graphOptionsError(options.graph); !problem.empty()) {
    printError(problem);
    return kWrongUsage;
  }
  const auto command = [&](const JobReport& report) {
    const GraphAnswer answer =
        graphAnswer(report, kind, options.graph, options.textFormat, options.threadCount());
    if (!answer.problem.empty()) printError(answer.problem);
    if (answer.text.empty()) return kWrongUsage;
    const ExitCode printed = print(answer.text);
    return printed == kSuccess && !answer.answered ? kNoAnswer : printed;
  };
  return withJob(options, command, tableSpec("what_if"));
}

// What opens the same job again, from any folder.
OpenCommands openCommands(const Options& options) {
  OpenCommands commands;
  std::error_code error;
  commands.arguments.reserve(options.paths.size());
  for (const std::string& path : options.paths) {
    const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
    commands.arguments.push_back(error ? path : whole.string());
  }
  if (options.capture)
    commands.arguments.insert(commands.arguments.end(), {"--capture", std::to_string(*options.capture)});
  if (options.filter.skipPython) commands.arguments.emplace_back("--skip-python");
  if (options.filter.skipCpuOps) commands.arguments.emplace_back("--skip-cpu-ops");
  if (!options.filter.steps.empty())
    commands.arguments.insert(commands.arguments.end(), {"--load-steps", options.filter.steps});
  const ScopeOptions& scope = options.scope;
  commands.whole = scope.steps.empty() && scope.from.empty() && scope.to.empty() && scope.ranks.empty() &&
                   !options.allSteps && !options.recordedClocks;
  return commands;
}

// "steps 3..5, ranks 0,2": the part that was asked about.
std::string scopeText(const ScopeOptions& scope) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    if (!text.empty()) text += ", ";
    text += name;
    text += value;
  };
  add("steps ", scope.steps);
  add("from ", scope.from);
  add("to ", scope.to);
  add("ranks ", scope.ranks);
  return text;
}

ExitCode runReport(const Options& options) {
  std::vector<const TableSpec*> specs;
  for (const std::string& name : options.tables) {
    specs.push_back(knownTable(name));
    if (specs.back() == nullptr) return kWrongUsage;
  }
  auto accepted = readAccepted(options);
  if (!accepted) return kWrongUsage;
  // Before the work, so that a folder that cannot be created fails at once.
  if (const auto error = makeFolder(options.outFolder)) {
    printError(error->text());
    return kWrongUsage;
  }
  HtmlReportOptions htmlOptions;
  htmlOptions.commands = openCommands(options);
  htmlOptions.scope = scopeText(options.scope);
  htmlOptions.accepted = std::move(*accepted);
  return withJob(options, [&](const JobReport& report) {
    if (options.tables.empty()) specs = reportTables(report);
    for (const TableSpec* const spec : specs) prepareTable(report, *spec, options.threadCount());
    const auto written = writeReport(report, options.outFolder, specs, formatNamed(options.format));
    std::optional<Error> error = written ? std::nullopt : std::optional(written.error());
    if (!error && options.html)
      error = writeWholeFile((std::filesystem::path(options.outFolder) / "report.html").string(),
                             htmlReport(report, {}, htmlOptions));
    if (!error) return kSuccess;
    printError(error->text());
    return kWrongUsage;
  });
}

// A job as one side of a comparison, kept in the cache as any other; null where nothing could be read.
std::shared_ptr<const Analysis> loadedSide(const Options& options, const std::vector<std::string>& paths) {
  Options side = options;
  side.paths = paths;
  std::shared_ptr<const TraceSet> trace;
  {
    Progress progress;
    const ProgressLine line(progress, !options.quiet);
    trace = load(side, progress);
  }
  if (trace == nullptr) return nullptr;
  reportFiles(*trace, options.quiet);
  if (const auto cache = options.cache()) keep(*trace, *cache, options.quiet);
  return std::make_shared<const Analysis>(trace, nullptr,
                                          AnalysisOptions{!options.recordedClocks, options.allSteps});
}

int runCompareCommand(const Options& options, const CompareArguments& arguments) {
  CompareProgram program;
  program.load = [&](const std::vector<std::string>& paths) { return loadedSide(options, paths); };
  program.print = [](std::string_view text) { return print(text) == kSuccess; };
  program.printError = [](const std::string& line) { printError(line); };
  program.threadCount = options.threadCount();
  return runCompare(arguments, options.paths, options.scope, program);
}

ExitCode runStacks(const Options& options) {
  if (const std::string problem = stacksError(options.stacks); !problem.empty()) {
    printError(problem);
    return kWrongUsage;
  }
  const auto write = [&](const JobReport& report) {
    const std::string output = stacksOutput(report, options.stacks, options.threadCount());
    if (options.stacks.out.empty()) return print(output);
    const auto error = writeWholeFile(options.stacks.out, output);
    if (!error) return kSuccess;
    printError(error->text());
    return kWrongUsage;
  };
  return withJob(options, write, &kNothing);
}

ExitCode runExcerpt(const Options& options) {
  const auto write = [&](const JobReport& report) {
    const ExcerptOutput output = writeExcerpts(report, options.excerpt);
    if (!output.problems.empty()) printLines(Error{ErrorKind::Io, output.problems, {}, std::nullopt});
    const ExitCode printed = print(output.text);
    return output.complete ? printed : kWrongUsage;
  };
  return withJob(options, write, &kNothing);
}

// The schema is that of any job; none has to be read.
ExitCode printSchema(const Options& options) {
  const JobReport report(std::make_shared<const Analysis>(jobWithoutEvents()));
  const QueryOutcome outcome = answerQuery(report, options.query, {}, 1,
                                           [](std::string_view text) { return print(text) == kSuccess; });
  if (!outcome.problem.empty()) printError(outcome.problem);
  return outcome.kind == QueryOutcome::Kind::Answered ? kSuccess : kWrongUsage;
}

ExitCode runQuery(const Options& options) {
  QueryRequest request = queryRequest(options.query, options.paths);
  if (!request.problem.empty()) {
    printError(request.problem);
    return kWrongUsage;
  }
  if (options.query.schema) return printSchema(options);
  Options own = options;
  own.paths = std::move(request.paths);
  const auto answer = [&](const JobReport& report) {
    const QueryOutcome outcome = answerQuery(report, own.query, request.sql, own.threadCount(),
                                             [](std::string_view text) { return print(text) == kSuccess; });
    if (!outcome.problem.empty()) printError(outcome.problem);
    if (!outcome.note.empty()) printError(outcome.note);
    if (outcome.kind == QueryOutcome::Kind::Limit) return kNoAnswer;
    return outcome.kind == QueryOutcome::Kind::Answered ? kSuccess : kWrongUsage;
  };
  return withJob(own, answer, &kNothing);
}

// Answers assistants on standard input and output until the input ends.
ExitCode runMcp(const Options& options) {
  McpOptions own = options.mcp;
  own.threads = options.threads;
  own.cache = options.cache();
  for (const std::string& root : own.roots) {
    std::error_code error;
    if (std::filesystem::is_directory(root, error)) continue;
    printError("--root: " + root + " is no folder");
    return kWrongUsage;
  }
  const auto readInput = [](char* bytes, std::size_t count) {
    ssize_t got = 0;
    do {
      got = ::read(STDIN_FILENO, bytes, count);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? static_cast<std::size_t>(got) : std::size_t{0};
  };
  bool written = true;
  McpServer(std::move(own)).serve(readInput, [&](std::string_view line) {
    written = written && print(line) == kSuccess;
  });
  return written ? kSuccess : kWrongUsage;
}

// Empty if all fabrics are known.
std::string fabricError(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (fabricChoice(name)) continue;
    std::string text = "--fabric: '" + name + "' is not known; there are: ";
    for (const Fabric& fabric : fabrics()) {
      if (&fabric != fabrics().data()) text += ", ";
      text += fabric.name;
    }
    return text;
  }
  return {};
}

ExitCode runNetwork(const Options& options) {
  if (const std::string problem = fabricError(options.fabrics); !problem.empty()) {
    printError(problem);
    return kWrongUsage;
  }
  const auto printNetwork = [&](const JobReport& report) {
    const JobNetwork& network = report.network();
    if (network.records->empty() && report.analysis().trace().ranks().empty()) {
      printError("no log of NCCL and no trace was found");
      return kNothingRead;
    }
    return print(options.textFormat == "text"
                     ? networkText(network, networkProblems(report))
                     : formattedTable(communicatorsTable(network), formatNamed(options.textFormat)));
  };
  return withJob(options, printNetwork, &kNothing);
}

ExitCode runPredict(const Options& options) {
  if (const std::string problem = fabricError(options.fabrics); !problem.empty()) {
    printError(problem);
    return kWrongUsage;
  }
  const auto printPredictions = [&](const JobReport& report) {
    const std::vector<Prediction> found = predictions(report.bandwidth(), options.prediction);
    if (found.empty()) {
      printError("nothing can be predicted: " + (report.bandwidth().refused.empty()
                                                     ? "no group, collective and size like these was measured"
                                                     : report.bandwidth().refused));
      return kNoAnswer;
    }
    return print(options.textFormat == "text"
                     ? predictionsText(report.bandwidth(), found)
                     : formattedTable(predictionsTable(found), formatNamed(options.textFormat)));
  };
  return withJob(options, printPredictions, tableSpec("predictions"));
}

void addPredictOptions(CLI::App& command, Options& options) {
  command.add_option("--group", options.prediction.group,
                     "only this process group, or table by its file name");
  command.add_option_function<std::string>(
      "--operation",
      [&options](const std::string& name) {
        options.prediction.operation = collectiveOperationOf(name);
        if (options.prediction.operation == CollectiveOperation::Unknown)
          throw CLI::ValidationError("--operation", "'" + name + "' is no collective");
      },
      "only this collective: AllReduce, AllGather, ...");
  command.add_option("--bytes", options.prediction.bytes, "message sizes, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1.0, 1e15));
  command.add_option("--nodes", options.prediction.nodes, "number of hosts")->check(CLI::Range(1, 1'000'000));
}

void addFabrics(CLI::App& command, Options& options) {
  command
      .add_option(
          "--fabric", options.fabrics,
          "what the links are, instead of what is recognized: nvlink4, ib-ndr:8 (ports of a host), ...; "
          "repeatable")
      ->allow_extra_args(false);
}

int runSide(const Options& options, SideCommand command) {
  const SideAnswer answer = sideAnswer(command, options.paths, options.textFormat, options.threadCount());
  for (const std::string& problem : answer.problems) printError(problem);
  if (answer.text.empty()) return answer.exitCode;
  const ExitCode printed = print(answer.text);
  return printed == kSuccess ? answer.exitCode : printed;
}

void addFormat(CLI::App& command, Options& options) {
  command.add_option("--format", options.format, "csv (RFC 4180) or json")
      ->check(CLI::IsMember({"csv", "json"}))
      ->capture_default_str();
}

void addGains(CLI::App& command, Options& options) {
  command
      .add_option(
          "--gains", options.gains,
          "where gains of findings come from: formula (default), or replay of the job without the cause, "
          "where one answers")
      ->transform(CLI::CheckedTransformer(std::map<std::string, GainMethod>{
          {"replay", GainMethod::Replay}, {"formula", GainMethod::Formula}}))
      ->type_name("TEXT")
      ->option_text("replay|formula");
}

void addLayout(CLI::App& command, Options& options) {
  command
      .add_option_function<std::string>(
          "--layout",
          [&options](const std::string& text) {
            Result<LayoutSettings> layout = layoutSettingsOf(text);
            if (!layout) throw CLI::ValidationError("--layout", layout.error().message);
            options.layout = *layout;
          },
          "how the job is divided, if not as recognized: tp=2,pp=4")
      ->type_name("TEXT");
}

void addTextFormat(CLI::App& command, Options& options) {
  command.add_option("--format", options.textFormat, "text, csv (RFC 4180) or json")
      ->check(CLI::IsMember({"text", "csv", "json"}))
      ->capture_default_str();
}

void addPathsAndCommon(CLI::App& command, Options& options, bool needsPath = true) {
  command.add_option("PATH", options.paths, "trace files, folders to search recursively, or session files")
      ->required(needsPath);
  command.add_option("--threads", options.threads, "number of threads (default: all cores)")
      ->check(CLI::Range(1U, 4096U));
  command.add_option("--capture", options.capture, "use only profiling cycle K of every rank")
      ->check(CLI::Range(1, 1'000'000));
  command.add_flag("--recorded-clocks", options.recordedClocks,
                   "use the hosts' clocks as recorded instead of aligning them by collectives");
  command.add_flag("--all-steps", options.allSteps,
                   "means over all steps, also a long first one, evaluation, checkpoint and cut ones");
  addScopeOptions(command, options.scope);
  addFilterOptions(command, options.filter);
  command.add_flag("--no-cache", options.noCache, "read the trace files; neither use nor write the cache");
  command.add_flag("--quiet", options.quiet, "print no progress and no messages about repairs within files");
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Performance analysis of distributed training jobs from PyTorch profiler traces.\n"
      "Exit status: 0 success, 1 usage error, a part of the job that does not exist or output that "
      "cannot be\n"
      "written, 2 nothing could be read, 3 what --fail-on or --gate names, 4 no answer can be given.",
      "rankscope-cli");
  app.set_version_flag("--version", "rankscope-cli " RANKSCOPE_VERSION);
  app.require_subcommand(1);

  CLI::App* const summary = app.add_subcommand("summary", "print a summary of the job");
  addPathsAndCommon(*summary, options);

  CLI::App* const report = app.add_subcommand("report", "write tables and summary.json into a folder");
  addPathsAndCommon(*report, options);
  report->add_option("--out", options.outFolder, "output folder; created if missing")->required();
  report->add_option("--tables", options.tables, "only these tables, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false);
  report->add_option("--ignore", options.ignore,
                     "JSON file of accepted findings: shown as such in report.html");
  report->add_flag("--html", options.html,
                   "also write report.html: key figures, findings, charts and tables in one file");
  addFormat(*report, options);
  addEfficiencyOptions(*report, options.efficiency);
  addGains(*report, options);
  addLayout(*report, options);

  CLI::App* const table = app.add_subcommand("table", "print one table");
  table->add_option("NAME", options.table, "one of " + tableNames())->required();
  addPathsAndCommon(*table, options);
  addFormat(*table, options);
  addEfficiencyOptions(*table, options.efficiency);
  addGains(*table, options);
  addLayout(*table, options);

  CLI::App* const findings =
      app.add_subcommand("findings", "print what is wrong, what it costs and how to fix it");
  addPathsAndCommon(*findings, options);
  addTextFormat(*findings, options);
  addGains(*findings, options);
  findings->add_option("--fail-on", options.failOnText,
                       "exit with 3 if a finding has at least this severity (info, warning, critical), or a "
                       "lower gain of this share of the step (gain:5%)");
  findings->add_option("--ignore", options.ignore,
                       "JSON file of accepted findings: shown as such, and no reason for --fail-on");

  CLI::App* const compare =
      app.add_subcommand("compare", "print what changed between two jobs, captures, ranks or steps");
  CompareArguments compareArguments;
  addPathsAndCommon(*compare, options, false);
  addCompareOptions(*compare, compareArguments);

  CLI::App* const stacks =
      app.add_subcommand("stacks", "print which stacks cost what, for flame graphs and other programs");
  addPathsAndCommon(*stacks, options);
  addStacksOptions(*stacks, options.stacks);

  CLI::App* const excerpt = app.add_subcommand(
      "excerpt", "write the selected time range, steps and ranks as trace files of their own");
  addPathsAndCommon(*excerpt, options);
  addExcerptOptions(*excerpt, options.excerpt);
  CLI::App* const query = app.add_subcommand("query", "answer a question in SQL, or write tables for it");
  addPathsAndCommon(*query, options, false);
  addQueryOptions(*query, options.query);
  CLI::App* const mcp =
      app.add_subcommand("mcp", "answer assistants on standard input and output (Model Context Protocol)");
  mcp->add_option("--root", options.mcp.roots,
                  "read traces only below this folder; may be repeated (default: the current folder)")
      ->allow_extra_args(false);
  mcp->add_flag("--mask", options.mcp.mask, "leave host names, folders and annotations out of answers");
  mcp->add_option("--threads", options.threads, "number of threads (default: all cores)")
      ->check(CLI::Range(1U, 4096U));
  mcp->add_flag("--no-cache", options.noCache, "read the trace files; do not use the cache");
  std::vector<std::pair<CLI::App*, GraphCommand>> graphCommands;
  for (const GraphCommand kind : {GraphCommand::CriticalPath, GraphCommand::WhatIf, GraphCommand::Slowdown}) {
    CLI::App* const command = addGraphCommand(app, kind, options.graph);
    addPathsAndCommon(*command, options);
    addTextFormat(*command, options);
    graphCommands.emplace_back(command, kind);
  }

  std::vector<std::pair<CLI::App*, SideCommand>> sideCommands;
  const auto addSide = [&](const char* name, const char* text, SideCommand kind) {
    CLI::App* const command = app.add_subcommand(name, text);
    command->add_option("PATH", options.paths, "files, or folders to search recursively")->required();
    command->add_option("--format", options.textFormat, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->add_option("--threads", options.threads, "number of threads (default: all cores)")
        ->check(CLI::Range(1U, 4096U));
    sideCommands.emplace_back(command, kind);
  };
  addSide("snapshot", "print what memory snapshots say: peak, roles, fragmentation, out of memory",
          SideCommand::Snapshot);
  addSide("hang", "print which ranks made a job hang, from Flight Recorder dumps", SideCommand::Hang);
  CLI::App* const network =
      app.add_subcommand("network", "print the links that NCCL logged and what they give");
  addPathsAndCommon(*network, options);
  addTextFormat(*network, options);
  addFabrics(*network, options);
  CLI::App* const predict =
      app.add_subcommand("predict", "print how long collectives would take at other sizes or on more ranks");
  addPathsAndCommon(*predict, options);
  predict->remove_option(predict->get_option("--ranks")); // of other commands: only these ranks
  predict->add_option("--ranks", options.prediction.ranks, "number of ranks")
      ->check(CLI::Range(2, 1'000'000));
  addPredictOptions(*predict, options);
  addTextFormat(*predict, options);
  addFabrics(*predict, options);

  const auto isFirst = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(isFirst).empty()) {
    printError("'" + std::string(argv[1]) +
               "' is not a command; there are: summary, report, table, findings, compare, stacks, excerpt, "
               "query, mcp, "
               "critical-path, what-if, slowdown, snapshot, hang, network, predict");
    return kWrongUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    printError(std::string(error.what()) + " (see --help)");
    return kWrongUsage;
  }
  for (const std::string& problem : {scopeError(options.scope), filterError(options.filter)}) {
    if (problem.empty()) continue;
    printError(problem);
    return kWrongUsage;
  }
  if (summary->parsed()) return runSummary(options);
  if (findings->parsed()) return runFindings(options);
  if (compare->parsed()) return runCompareCommand(options, compareArguments);
  if (report->parsed()) return runReport(options);
  if (stacks->parsed()) return runStacks(options);
  if (excerpt->parsed()) return runExcerpt(options);
  if (query->parsed()) return runQuery(options);
  if (mcp->parsed()) return runMcp(options);
  for (const auto& [command, kind] : sideCommands) {
    if (command->parsed()) return runSide(options, kind);
  }
  if (network->parsed()) return runNetwork(options);
  if (predict->parsed()) return runPredict(options);
  for (const auto& [command, kind] : graphCommands) {
    if (command->parsed()) return runGraphCommand(options, kind);
  }
  return runTable(options);
}

// REQUIRES: called within a catch block.
void reportException() noexcept {
  const Error error = caughtError("to answer this");
  try {
    printError(error.text());
  } catch (...) { // no memory even for the message
    std::fputs("rankscope-cli: not enough memory\n", stderr);
  }
}

} // namespace

int main(int argc, char** argv) {
  // Ignore the signal, so that a file size limit is a failed write, reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (...) {
    reportException();
    return kNothingRead;
  }
}
