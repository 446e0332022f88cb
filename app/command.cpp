// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"

#include "core/base/thread_team.h"

#include <fmt/format.h>
#include <map>
#include <string>

namespace rankscope {

unsigned JobOptions::threadCount() const {
  return threads > 0 ? threads : defaultThreadCount();
}

std::optional<TraceCacheSettings> JobOptions::cache() const {
  return noCache ? std::nullopt : userTraceCache();
}

namespace {

void addScopeOptions(CLI::App& command, ScopeOptions& options) {
  command.add_option("--steps", options.steps, "only the steps A..B (or one step A)");
  command.add_option("--from", options.from, "only after this time from the job's first event: 1.2s, 350us");
  command.add_option("--to", options.to, "only before this time");
  command.add_option("--ranks", options.ranks, "only these ranks: 0,3-5");
}

} // namespace

void addThreads(CLI::App& command, unsigned& threads) {
  command.add_option("--threads", threads, "number of threads (default: all cores)")
      ->check(numberIn(1, 4096));
}

CLI::Validator numberIn(double least, double most) {
  const auto problem = [least, most](const std::string& text) {
    double value = 0;
    const bool fits = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    return fits ? std::string() : fmt::format("Value {} not in range {:.12g} to {:.12g}", text, least, most);
  };
  return CLI::Validator(problem, std::string());
}

void addJobOptions(CLI::App& command, JobOptions& options, bool needsPath) {
  command
      .add_option("PATH", options.paths,
                  "trace files, folders to search recursively, archives, session files, or remotes: "
                  "s3://bucket/path, gs://, az://, sftp://, NAME:path of rclone")
      ->required(needsPath);
  addThreads(command, options.threads);
  command.add_option("--capture", options.capture, "use only profiling cycle K of every rank")
      ->check(numberIn(1, 1e6));
  command.add_flag("--recorded-clocks", options.recordedClocks,
                   "use the hosts' clocks as recorded instead of aligning them by collectives");
  command.add_flag(
      "--all-steps", options.allSteps,
      "also use steps that means exclude: a long first step, evaluation, checkpoint and truncated steps");
  addScopeOptions(command, options.scope);
  addFilterOptions(command, options.filter);
  command
      .add_option(
          "--max-fetch", options.maxFetchGb,
          "most GB to fetch from a remote (default: 2); with --ranks only files of these ranks are fetched")
      ->check(numberIn(0, 1e6))
      ->type_name("GB");
  command.add_flag("--no-cache", options.noCache, "read the trace files; neither use nor write the cache");
  command.add_flag("--quiet", options.quiet, "print no progress and no messages about repairs within files");
}

void addGains(CLI::App& command, JobOptions& options) {
  command
      .add_option("--gains", options.gains,
                  "where gains of findings come from: replay of the job without the cause, where one answers "
                  "(default), "
                  "or formula")
      ->transform(CLI::CheckedTransformer(std::map<std::string, GainMethod>{
          {"replay", GainMethod::Replay}, {"formula", GainMethod::Formula}}))
      ->each([&options](const std::string&) { options.gainsGiven = true; })
      ->type_name("TEXT")
      ->option_text("replay|formula");
}

void addLayout(CLI::App& command, JobOptions& options) {
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

void addFabrics(CLI::App& command, JobOptions& options) {
  command
      .add_option("--fabric", options.fabrics,
                  "kind of the links, instead of the detected one: nvlink4, ib-ndr:8 (ports of a host), ...; "
                  "repeatable")
      ->allow_extra_args(false);
}

void addTableFormat(CLI::App& command, std::string& format) {
  command.add_option("--format", format, "csv (RFC 4180) or json")
      ->check(CLI::IsMember({"csv", "json"}))
      ->capture_default_str();
}

void addTextFormat(CLI::App& command, std::string& format) {
  command.add_option("--format", format, "text, csv (RFC 4180) or json")
      ->check(CLI::IsMember({"text", "csv", "json"}))
      ->capture_default_str();
}

TableFormat tableFormatNamed(std::string_view format) {
  return format == "json" ? TableFormat::Json : TableFormat::Csv;
}

namespace {

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

} // namespace

std::string jobOptionsError(const JobOptions& options) {
  for (std::string problem :
       {scopeError(options.scope), filterError(options.filter), fabricError(options.fabrics)}) {
    if (!problem.empty()) return problem;
  }
  return {};
}

} // namespace rankscope
