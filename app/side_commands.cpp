// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/side_commands.h"

#include "core/io/load/side_loader.h"
#include "core/io/load/trace_readers.h"
#include "core/report/hang_tables.h"
#include "core/report/side_results.h"
#include "core/report/snapshot_tables.h"

namespace rankscope {

namespace {

int hangExit(HangState state) {
  switch (state) {
  case HangState::Healthy:
    return 0;
  case HangState::Culprit:
    return 3;
  case HangState::CannotSay:
    break;
  }
  return 4;
}

} // namespace

SideAnswer sideAnswer(SideCommand command, const std::vector<std::string>& paths, const std::string& format,
                      unsigned threadCount) {
  SideAnswer answer;
  const Discovery found = discoverTraceFiles(paths);
  std::vector<std::string> files = found.beside;
  for (const DiscoveredFile& file : found.files) files.push_back(file.path);
  const Progress progress;
  const SideReading read = readSideFiles(files, threadCount, progress);
  for (const SideNote& note : read.notes) {
    if (note.status == FileStatus::LeftOut) answer.problems.push_back(note.path + ": " + note.note);
  }
  const auto results = sideResults(read.files, threadCount);
  const bool hang = command == SideCommand::Hang;
  if (hang ? !results->hang : results->snapshots.empty()) {
    for (const DiscoveryProblem& problem : found.problems)
      answer.problems.push_back(problem.path + ": " + problem.reason);
    for (const SideNote& note : read.notes) {
      if (note.status == FileStatus::NotATrace) answer.problems.push_back(note.path + ": " + note.note);
    }
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
    answer.exitCode = 0;
  }
  return answer;
}

} // namespace rankscope
