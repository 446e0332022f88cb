// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/side_commands.h"

#include "app/console.h"
#include "core/io/digest/digest_file.h"
#include "core/io/load/job_loader.h"
#include "core/io/load/side_loader.h"
#include "core/report/hang_tables.h"
#include "core/report/side_results.h"
#include "core/report/snapshot_tables.h"

#include <algorithm>
#include <set>

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

// Files that the command shows.
std::set<std::string> usedPaths(SideCommand command, const SideFiles& files) {
  std::set<std::string> used;
  if (command == SideCommand::Hang) {
    for (const FlightRecord& record : files.flightRecords) used.insert(record.path);
  } else {
    for (const MemorySnapshot& snapshot : files.snapshots) used.insert(snapshot.path);
  }
  return used;
}

// What was given and is not used is never left out silently.
std::vector<std::string> unusedFiles(SideCommand command, const std::vector<std::string>& paths,
                                     const Discovery& found, const SideReading& read) {
  std::vector<std::string> problems;
  for (const DiscoveryProblem& problem : found.problems) {
    if (!problem.notATrace) problems.push_back(problem.path + ": " + problem.reason);
  }
  std::set<std::string> told = usedPaths(command, *read.files);
  for (const SideNote& note : read.notes) {
    // Another form of a dump that is used says nothing that is missed.
    if (note.use == SideUse::AnotherForm) told.insert(note.path);
    const bool shownInPart = note.use == SideUse::Part && told.contains(note.path);
    const bool unused = note.use == SideUse::None || note.use == SideUse::OtherJob;
    if (!unused && !shownInPart) continue;
    problems.push_back(note.path + ": " + note.note);
    told.insert(note.path);
  }
  // In a folder, other files are expected; those that were named are not.
  for (const std::string& path : paths) {
    const bool given = std::ranges::find(found.files, path, &DiscoveredFile::path) != found.files.end();
    if (given && told.insert(path).second)
      problems.push_back(
          path + (command == SideCommand::Hang ? ": not a Flight Recorder dump" : ": not a memory snapshot"));
  }
  return problems;
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
  answer.problems = unusedFiles(command, paths, found, read);
  const auto results = sideResults(read.files, threadCount);
  const bool hang = command == SideCommand::Hang;
  if (hang ? !results->hang : results->snapshots.empty()) {
    for (const DiscoveryProblem& problem : found.problems) {
      if (problem.notATrace) answer.problems.push_back(problem.path + ": " + problem.reason);
    }
    if (answer.problems.empty())
      answer.problems.push_back(
          (paths.empty() ? std::string() : paths.front() + ": ") +
          (hang ? "no Flight Recorder dump was found" : "no memory snapshot was found"));
    return answer;
  }
  if (hang) {
    const auto others =
        static_cast<std::size_t>(std::ranges::count(read.notes, SideUse::OtherJob, &SideNote::use));
    answer.text = format == "json" ? hangJson(*results, others) : hangText(*results, others);
    answer.exitCode = hangExit(results->hang->state);
  } else {
    answer.text = format == "json" ? snapshotJson(*results) : snapshotText(*results);
    answer.exitCode = kSuccess;
  }
  return answer;
}

// Files beside the traces of a digest, by what was noted of them.
std::vector<std::string> besideOf(const TraceSet& job, std::string_view note) {
  std::vector<std::string> paths;
  for (const FileRecord& file : job.files())
    if (file.note.starts_with(note)) paths.push_back(file.path);
  return paths;
}

// What a digest cannot show without the files, and where they lie.
void tellOfFiles(SideCommand command, const TraceSet& job, SideAnswer& answer) {
  const bool hang = command == SideCommand::Hang;
  const std::string& digest = job.side().digestFolder;
  const std::vector<std::string> files = besideOf(job, hang ? kNoteOfDump : kNoteOfSnapshot);
  if (files.empty()) {
    answer.problems.push_back(digest + (hang ? ": no Flight Recorder dump" : ": no memory snapshot") +
                              " lay beside the traces that were digested");
    return;
  }
  answer.exitCode = kNoAnswer;
  answer.problems.push_back(
      digest + (hang ? ": of these dumps only the table flight_recorder and findings are in the digest; name "
                       "the dumps themselves, which lie in " +
                           job.side().digestedIn
                     : ": of these snapshots only the tables snapshots, snapshot_blocks and "
                       "snapshot_segments, and findings, are in the digest; name a snapshot itself. Paths "
                       "are of " +
                           job.side().digestedIn));
  for (const std::string& path : files) answer.problems.push_back(path);
}

// Flight Recorder dumps are in a digest as they are.
SideAnswer digestAnswer(SideCommand command, const std::string& file, const std::string& format,
                        unsigned threadCount) {
  SideAnswer answer;
  Progress progress;
  const auto job = readDigest(file, threadCount, progress);
  if (!job.ok()) {
    answer.problems.push_back(job.error().text());
    return answer;
  }
  const bool hang = command == SideCommand::Hang;
  if (!hang || (*job)->side().flightRecords.empty()) {
    tellOfFiles(command, **job, answer);
    return answer;
  }
  for (const FileRecord& of : (*job)->files())
    if (of.status == FileStatus::LeftOut || of.note == kNoteOfOtherJob)
      answer.problems.push_back(of.path + ": " + of.note);
  const auto results = sideResults((*job)->sharedSide(), threadCount);
  const std::size_t others = besideOf(**job, kNoteOfOtherJob).size();
  answer.text = format == "json" ? hangJson(*results, others) : hangText(*results, others);
  answer.exitCode = hangExit(results->hang->state);
  return answer;
}

SideAnswer answerOf(SideCommand command, const std::vector<std::string>& paths, const std::string& format,
                    unsigned threadCount) {
  for (const std::string& path : paths) {
    const auto digest = digestFileOf(path);
    if (digest && paths.size() == 1) return digestAnswer(command, *digest, format, threadCount);
    if (digest) return {{path + ": a digest is a whole job: name it alone"}, {}, kWrongUsage};
  }
  return sideAnswer(command, paths, format, threadCount);
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
    const SideAnswer answer = answerOf(kind, job->paths, *format, job->threadCount());
    constexpr std::size_t kMostProblems = 20;
    for (std::size_t i = 0; i < std::min(kMostProblems, answer.problems.size()); ++i)
      printError(answer.problems[i]);
    if (answer.problems.size() > kMostProblems)
      printError(std::to_string(answer.problems.size() - kMostProblems) +
                 " more files were not used, or only in part");
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
