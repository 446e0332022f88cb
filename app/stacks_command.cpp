// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/stacks_command.h"

#include "app/job_run.h"
#include "core/analysis/stacks/job_stacks.h"
#include "core/analysis/stacks/torch_stacks.h"
#include "core/export/csv.h"
#include "core/export/whole_file.h"
#include "core/report/stack_files.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

struct StacksOptions {
  std::string weight = "host";
  std::string format = "folded";
  std::vector<std::string> by; // rank, thread, step
  std::string python = "all";
  std::string backward = "joined";
  bool verbatim = false;
  bool likeTorch = false;
  std::vector<std::string> with; // paths of the other job
  std::string out;
};

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

StackOptions stackOptions(const StacksOptions& options) {
  static const std::map<std::string, PythonFrames> kPython = {
      {"all", PythonFrames::All}, {"own", PythonFrames::Own}, {"none", PythonFrames::None}};
  StackOptions result;
  result.frames.python = kPython.at(options.python);
  result.joinBackward = options.backward == "joined";
  result.byRank = contains(options.by, "rank");
  result.byThread = contains(options.by, "thread");
  if (options.verbatim) {
    result.frames.foldPlumbing = false;
    result.frames.stripAddresses = false;
  }
  return result;
}

// The lines of all ranks, in the order of the ranks.
std::string torchText(const Analysis& analysis) {
  std::string text;
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const TimeRange window = analysis.window(rank).ns();
    const auto lines = torchStackLines(entry, analysis.trace().names());
    for (const TorchStackLine& line : lines) {
      if (!window.contains(entry.trace->events.begin[line.event])) continue;
      text += line.stack;
      text += ' ';
      text += std::to_string(line.microseconds);
      text += '\n';
    }
  }
  return text;
}

void addStacksOptions(CLI::App& command, StacksOptions& options) {
  command
      .add_option("--weight", options.weight,
                  "what a stack weighs: host (self time), device (time launched), device-exclusive, exposed "
                  "(communication), idle (caused), wait (caused), bytes, net-bytes, calls or launches")
      ->check(CLI::IsMember({"host", "device", "device-exclusive", "exposed", "idle", "wait", "bytes",
                             "net-bytes", "calls", "launches"}))
      ->capture_default_str();
  command
      .add_option(
          "--format", options.format,
          "folded (one line a stack), speedscope, pprof (compressed; also with host, device, bytes and "
          "calls), csv or svg")
      ->check(CLI::IsMember({"folded", "speedscope", "pprof", "csv", "svg"}))
      ->capture_default_str();
  command
      .add_option("--by", options.by, "keep stacks of each rank, thread or step separate, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"rank", "thread", "step"}));
  command
      .add_option("--python", options.python,
                  "Python frames: all, own (the user's own code, and modules) or none")
      ->check(CLI::IsMember({"all", "own", "none"}))
      ->capture_default_str();
  command
      .add_option("--backward", options.backward,
                  "stacks of the backward pass: joined (below the module or frame of their forward operator) "
                  "or own")
      ->check(CLI::IsMember({"joined", "own"}))
      ->capture_default_str();
  command.add_flag("--verbatim", options.verbatim,
                   "frames as recorded: with addresses of objects and with how torch calls modules");
  command.add_flag("--like-torch", options.likeTorch,
                   "the lines of torch's export_stacks(\"self_cpu_time_total\"): Python frames only, in "
                   "microseconds, equal stacks not merged");
  command
      .add_option("--with", options.with,
                  "compare with another job: what its stacks weigh beside those of PATH, whose weights are "
                  "scaled to as many steps; folded, csv or svg")
      ->allow_extra_args(false);
  command.add_option("--out", options.out, "write into this file instead of standard output");
}

// What is wrong with the options together; empty when nothing is.
std::string stacksError(const StacksOptions& options) {
  if ((options.format == "pprof" || options.format == "speedscope") && options.weight == "net-bytes")
    return "--format " + options.format + ": has no weights below 0; use --weight bytes, or --format folded";
  if (options.likeTorch && (options.format != "folded" || options.weight != "host" || !options.by.empty()))
    return "--like-torch: has no other --format, --weight or --by";
  if (!options.with.empty() && (options.likeTorch || contains(options.by, "step")))
    return "--with: has neither --like-torch nor --by step";
  if (!options.with.empty() && (options.format == "speedscope" || options.format == "pprof"))
    return "--with: has the formats folded, csv and svg";
  return {};
}

// A profile with the weight that is asked for, and beside it what the same stacks weigh otherwise: pprof
// shows one of them at a time.
std::string profileOutput(const Analysis& analysis, const StacksOptions& options, unsigned threadCount) {
  const StackWeight shown = stackWeightNamed(options.weight).value_or(StackWeight::HostSelf);
  const auto weighedBy = [&](StackWeight weight) {
    return weighedStacks(analysis, weight, stackOptions(options), contains(options.by, "step"), threadCount);
  };
  std::vector<WeighedStacks> more;
  for (const StackWeight weight :
       {StackWeight::HostSelf, StackWeight::Device, StackWeight::Bytes, StackWeight::Calls}) {
    if (weight == shown) continue;
    WeighedStacks stacks = weighedBy(weight);
    const auto weighs = [](const StackSum& sum) { return std::int64_t{sum.weight} > 0; };
    if (std::ranges::any_of(stacks.sums, weighs)) more.push_back(std::move(stacks));
  }
  TimeRange recorded;
  for (const RankIndex rank : analysis.ranks()) {
    const TimeRange own = analysis.window(rank).ns().clippedTo(analysis.trace().rank(rank).trace->extent);
    recorded = recorded.empty()
                   ? own
                   : TimeRange{std::min(recorded.begin, own.begin), std::max(recorded.end, own.end)};
  }
  return pprofBytes(weighedBy(shown), more, recorded);
}

// The output as bytes.
std::string stacksOutput(const JobReport& report, const StacksOptions& options, unsigned threadCount) {
  const Analysis& analysis = report.analysis();
  if (options.likeTorch) return torchText(analysis);
  if (options.format == "pprof") return profileOutput(analysis, options, threadCount);
  const WeighedStacks stacks =
      weighedStacks(analysis, stackWeightNamed(options.weight).value_or(StackWeight::HostSelf),
                    stackOptions(options), contains(options.by, "step"), threadCount);
  const std::string& title = analysis.trace().jobName();
  if (options.format == "speedscope") return speedscopeText(stacks, title);
  if (options.format == "csv") return toCsv(stacksTable(stacks));
  if (options.format == "svg") return flameSvg(stacks, title);
  return foldedText(stacks);
}

std::string differenceOutput(const Analysis& a, const Analysis& b, const StacksOptions& options,
                             unsigned threadCount) {
  const auto weighedOf = [&](const Analysis& analysis) {
    return weighedStacks(analysis, stackWeightNamed(options.weight).value_or(StackWeight::HostSelf),
                         stackOptions(options), false, threadCount);
  };
  const StackDifference difference = stackDifference(weighedOf(a), weighedOf(b), stepScale(a, b));
  if (options.format == "csv") return toCsv(stacksTable(difference));
  if (options.format == "svg")
    return flameSvg(difference, a.trace().jobName() + " and " + b.trace().jobName());
  return foldedText(difference);
}

// other: null if there is none.
ExitCode writeStacks(const JobReport& report, const Analysis* other, const StacksOptions& options,
                     unsigned threadCount) {
  const std::string output = other != nullptr
                                 ? differenceOutput(report.analysis(), *other, options, threadCount)
                                 : stacksOutput(report, options, threadCount);
  if (options.out.empty()) return print(output);
  const auto error = writeWholeFile(options.out, output);
  if (!error) return kSuccess;
  printError(error->text());
  return kWrongUsage;
}

} // namespace

Command addStacksCommand(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("stacks", "print which stacks cost what, for flame graphs and other programs");
  const auto job = std::make_shared<JobOptions>();
  const auto options = std::make_shared<StacksOptions>();
  addJobOptions(*command, *job);
  job->events = EventUse::Chosen;
  job->purpose = "stacks";
  addStacksOptions(*command, *options);
  const auto run = [=]() -> int {
    if (const std::string problem = stacksError(*options); !problem.empty()) {
      printError(problem);
      return kWrongUsage;
    }
    std::shared_ptr<const Analysis> other;
    if (!options->with.empty()) {
      WholeJob with = loadedJob(*job, options->with);
      if (with.analysis == nullptr) return with.code;
      other = std::move(with.analysis);
      const ScopeMatch match = scopeMatch(*other, job->scope);
      for (const std::string& problem : match.nothing) printError("--with: " + problem);
      for (const std::string& problem : match.onlyPart) printError("warning: --with: " + problem);
      if (!match.matches()) return kWrongUsage;
      if (std::shared_ptr<const Analysis> part = scopedAnalysis(*other, job->scope)) other = part;
    }
    const auto write = [&](const JobReport& report) {
      return writeStacks(report, other.get(), *options, job->threadCount());
    };
    return withJob(*job, write, &kNoTable);
  };
  return {command, job, run};
}

} // namespace rankscope
