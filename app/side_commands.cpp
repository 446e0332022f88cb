// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/side_commands.h"

#include "app/console.h"
#include "core/io/load/job_loader.h"
#include "core/io/load/side_loader.h"
#include "core/report/hang_tables.h"
#include "core/report/side_results.h"
#include "core/report/snapshot_tables.h"

#include <algorithm>

namespace rankscope {

namespace {

enum class SideCommand : std::uint8_t { Hang, Snapshot };

struct SideAnswer {
  std::vector<std::string> problems; // for standard error
  std::string text;                  // empty: nothing could be read
  int exitCode = kNothingRead;
};

int hangExit(HangState state) {
  switch (state) {
  case HangState::Healthy:
    return kSuccess;
  case HangState::Culprit:
    return kFound;
  case HangState::CannotSay:
    break;
  }
  return kNoAnswer;
}

// format: text or json.
SideAnswer sideAnswer(SideCommand command, const std::vector<std::string>& paths, const std::string& format,
                      unsigned threadCount) {
  SideAnswer answer;
  Progress progress;
  LoadOptions options;
  options.cache = userTraceCache();
  const auto discovery = foundFiles(paths, options, progress);
  if (!discovery) {
    answer.problems.push_back(discovery.error().text());
    return answer;
  }
  const Discovery& found = *discovery;
  std::vector<std::string> files = found.beside;
  for (const DiscoveredFile& file : found.files) files.push_back(file.path);
  const SideReading read = readSideFiles(files, threadCount, progress);
  // What was given and is not used is never left out silently.
  for (const SideNote& note : read.notes) {
    if (note.status == FileStatus::LeftOut || note.status == FileStatus::NotATrace || note.isCut)
      answer.problems.push_back(note.path + ": " + note.note);
  }
  const auto results = sideResults(read.files, threadCount);
  const bool hang = command == SideCommand::Hang;
  if (hang ? !results->hang : results->snapshots.empty()) {
    for (const DiscoveryProblem& problem : found.problems)
      answer.problems.push_back(problem.path + ": " + problem.reason);
    if (answer.problems.empty())
      answer.problems.push_back(
          (paths.empty() ? std::string() : paths.front() + ": ") +
          (hang ? "no Flight Recorder dump was found" : "no memory snapshot was found"));
    return answer;
  }
  if (hang) {
    answer.text = format == "json" ? hangJson(*results) : hangText(*results);
    answer.exitCode = hangExit(results->hang->state);
  } else {
    answer.text = format == "json" ? snapshotJson(*results) : snapshotText(*results);
    answer.exitCode = kSuccess;
  }
  return answer;
}

Command addSideCommand(CLI::App& app, const char* name, const char* text, SideCommand kind) {
  CLI::App* const command = app.add_subcommand(name, text);
  const auto job = std::make_shared<JobOptions>();
  const auto format = std::make_shared<std::string>("text");
  command->add_option("PATH", job->paths, "files, folders to search recursively, archives or remotes")
      ->required();
  command->add_option("--format", *format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  addThreads(*command, job->threads);
  const auto run = [=]() -> int {
    const SideAnswer answer = sideAnswer(kind, job->paths, *format, job->threadCount());
    constexpr std::size_t kMostProblems = 20;
    for (std::size_t i = 0; i < std::min(kMostProblems, answer.problems.size()); ++i)
      printError(answer.problems[i]);
    if (answer.problems.size() > kMostProblems)
      printError(std::to_string(answer.problems.size() - kMostProblems) + " more files were not used");
    if (answer.text.empty()) return answer.exitCode;
    const ExitCode printed = print(answer.text);
    return printed == kSuccess ? answer.exitCode : printed;
  };
  return {command, job, run};
}

} // namespace

Command addSnapshotCommand(CLI::App& app) {
  return addSideCommand(app, "snapshot",
                        "print what memory snapshots say: peak, roles, fragmentation, out of memory",
                        SideCommand::Snapshot);
}

Command addHangCommand(CLI::App& app) {
  return addSideCommand(app, "hang", "print which ranks made a job hang, from Flight Recorder dumps",
                        SideCommand::Hang);
}

} // namespace rankscope
