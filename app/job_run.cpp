// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/job_run.h"

#include "app/asked_events.h"
#include "app/progress_line.h"
#include "core/base/unit_text.h"
#include "core/io/cache/cache_folder.h"
#include "core/io/load/job_loader.h"
#include "core/io/load/mapped_job.h"
#include "core/io/load/missing_capture.h"
#include "core/io/load/remote_traces.h"
#include "core/io/load/session_traces.h"
#include "core/io/load/trace_loader.h"
#include "core/model/missing_part.h"
#include "core/model/rank_digest.h"
#include "core/report/digest_rows.h"
#include "core/report/network_source.h"
#include "core/report/other_jobs.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

// A damaged file may have thousands of errors; the files table has their number.
constexpr std::size_t kDiagnosticsShown = 5;

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
    printError(file.path + ": " + groupedText(static_cast<std::int64_t>(all - kDiagnosticsShown)) +
               (all - kDiagnosticsShown == 1 ? " more place" : " more places") +
               " repaired, skipped or suspicious");
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

// The ranks that are asked about, no more. Not by capture: fewer files of a rank would be numbered anew.
RemoteChoice remoteChoice(const JobOptions& options) {
  RemoteChoice choice;
  choice.ranks = ranksAsked(options.scope);
  choice.maxBytes = static_cast<std::uint64_t>(options.maxFetchGb * 1e9);
  return choice;
}

// A job that was read, or the exit code where none was (already reported).
struct ReadJob {
  std::shared_ptr<const TraceSet> trace;
  ExitCode code = kNothingRead;
};

ReadJob load(const JobOptions& options, Progress& progress, FetchProgress& fetched) {
  LoadOptions loadOptions;
  loadOptions.threadCount = options.threads;
  loadOptions.capture = options.capture;
  loadOptions.fetched = &fetched;
  loadOptions.cache = options.cache();
  loadOptions.filter = filterFrom(options.filter);
  loadOptions.mayRead = [&](std::span<const DiscoveredFile> files) {
    const std::string warning = memoryWarning(files, loadOptions.filter, options.threadCount());
    if (!warning.empty()) printError(warning);
    return true;
  };
  loadOptions.chooseRemote = [&options](const RemoteContents& contents) {
    return chosenFiles(contents, remoteChoice(options));
  };
  const auto paths = withSessionTraces(options.paths);
  if (!paths) {
    printLines(paths.error());
    return {};
  }
  const bool choosesPart =
      !loadOptions.filter.everything() || loadOptions.capture || ranksAsked(options.scope).has_value();
  if (!choosesPart)
    for (const std::string& note : paths->notes) printError("warning: " + note);
  auto loaded = loadJob(paths->paths, loadOptions, progress);
  if (!loaded.ok()) {
    printLines(loaded.error());
    return {nullptr, isMissingCapture(loaded.error()) ? kWrongUsage : kNothingRead};
  }
  if (isDigest(**loaded)) {
    auto job = withAskedEvents(*loaded, options, progress);
    const ExitCode code = job != nullptr ? kSuccess : kNoAnswer;
    return {std::move(job), code};
  }
  if (loadOptions.cache)
    return {inCacheFile(std::move(*loaded), *loadOptions.cache, options.threadCount(), progress), kSuccess};
  return {*loaded, kSuccess};
}

void warnOfCapture(const TraceSet& trace, const JobOptions& options) {
  if (!options.capture) return;
  const std::string text = ranksWithoutCapture(trace, *options.capture, ranksAsked(options.scope));
  if (!text.empty()) printError("warning: --capture: " + text);
}

NetworkInput networkInput(const JobOptions& options) {
  FabricSettings fabrics;
  for (const std::string& name : options.fabrics)
    if (const auto choice = fabricChoice(name)) fabrics.chosen.push_back(*choice);
  return networkInputOf(options.paths, std::move(fabrics));
}

void prepare(const JobReport& report, const TableSpec* table, unsigned threadCount) {
  if (table != nullptr)
    prepareRows(report, *table, threadCount);
  else
    report.computeAll(threadCount);
}

void add(ScopeMatch& match, std::string_view option, const ScopeMatch& of) {
  for (const std::string& problem : of.nothing) match.nothing.push_back(std::string(option) + problem);
  for (const std::string& problem : of.onlyPart) match.onlyPart.push_back(std::string(option) + problem);
}

// How much of what was to be loaded is in the job.
ScopeMatch loadMatch(const Analysis& whole, const JobOptions& options) {
  ScopeMatch match;
  const LoadFilter filter = filterFrom(options.filter);
  if (filter.steps && !hasDigests(whole.trace()))
    add(match, "--load-steps: ", loadedStepsMatch(whole, *filter.steps));
  return match;
}

// Without the size of the job in its traces, ranks may be missing.
ScopeMatch layoutMatch(const TraceSet& trace, const LayoutSettings& layout) {
  ScopeMatch match;
  if (!layout.given) return match;
  std::set<int> known;
  for (const RankEntry& entry : trace.ranks()) known.insert(entry.rank);
  const std::int64_t ranks = trace.worldSize().value_or(static_cast<std::int64_t>(known.size()));
  const bool divides =
      ranks % layout.given->product() == 0 && ranks % (*layout.given)[LayoutAxis::Expert] == 0;
  if (divides) return match;
  (trace.worldSize() ? match.nothing : match.onlyPart)
      .push_back(fmt::format("--layout: {} does not divide the {} ranks of the job",
                             layoutText(*layout.given), ranks));
  return match;
}

// How much of what was asked for is in the job.
ScopeMatch partMatch(const Analysis& whole, const JobOptions& options) {
  ScopeMatch match = loadMatch(whole, options);
  add(match, {}, layoutMatch(whole.trace(), options.layout));
  if (match.matches()) add(match, {}, scopeMatch(whole, options.scope));
  return match;
}

// The report of the selected part of a job, or an exit code.
struct Answer {
  std::unique_ptr<const JobReport> report;
  ExitCode code = kNothingRead; // if there is no report
};

// Computes what the table needs, or everything if table is null. Errors have already been reported.
Answer analyze(const JobOptions& options, const TableSpec* table) {
  Answer answer;
  ScopeMatch match;
  std::shared_ptr<const TraceSet> trace;
  {
    Progress progress;
    FetchProgress fetched;
    const ProgressLine line(progress, !options.quiet, &fetched);
    ReadJob read = load(options, progress, fetched);
    answer.code = read.code;
    trace = std::move(read.trace);
    if (trace != nullptr) {
      std::shared_ptr<const Analysis> analysis = std::make_shared<const Analysis>(
          trace, nullptr, AnalysisOptions{!options.recordedClocks, options.allSteps});
      match = partMatch(*analysis, options);
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
  warnOfCapture(*trace, options);
  for (const std::string& problem : match.nothing) printError(problem);
  if (!match.matches()) answer.code = kWrongUsage;
  for (const std::string& problem : match.onlyPart) printError("warning: " + problem);
  return answer;
}

// Warns if a job cannot be cached, because it will be read again each time.
void keep(const TraceSet& trace, const TraceCacheSettings& cache, bool quiet) {
  if (isDigest(trace)) return;
  if (writeTraceCache(trace, cache) || trace.origin().cached || quiet) return;
  if (trace.textBytes() < cache.minTextBytes) return;
  if (const auto why = cacheFolderProblem(cache.folder))
    printError(cache.folder + ": the job was not written to the cache: " + *why);
}

} // namespace

ExitCode withJob(const JobOptions& options, const std::function<ExitCode(const JobReport& report)>& command,
                 const TableSpec* table) {
  const Answer answer = analyze(options, table);
  if (answer.report == nullptr) return answer.code;
  const ExitCode code = command(*answer.report);
  if (const auto cache = options.cache()) keep(answer.report->analysis().trace(), *cache, options.quiet);
  return code;
}

WholeJob loadedJob(const JobOptions& options, const std::vector<std::string>& paths) {
  JobOptions own = options;
  own.paths = paths;
  ReadJob read;
  {
    Progress progress;
    FetchProgress fetched;
    const ProgressLine line(progress, !options.quiet, &fetched);
    read = load(own, progress, fetched);
  }
  if (read.trace == nullptr) return {nullptr, read.code};
  reportFiles(*read.trace, options.quiet);
  warnOfCapture(*read.trace, own);
  if (const auto cache = options.cache()) keep(*read.trace, *cache, options.quiet);
  auto analysis = std::make_shared<const Analysis>(
      read.trace, nullptr, AnalysisOptions{!options.recordedClocks, options.allSteps});
  const ScopeMatch match = loadMatch(*analysis, options);
  for (const std::string& problem : match.nothing) printError(problem);
  if (!match.matches()) return {nullptr, kWrongUsage};
  for (const std::string& problem : match.onlyPart) printError("warning: " + problem);
  return {std::move(analysis), kSuccess};
}

} // namespace rankscope
