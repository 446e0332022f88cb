// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/excerpt_command.h"

#include "app/job_run.h"
#include "core/base/unit_text.h"
#include "core/report/excerpt_files.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <vector>

namespace rankscope {

namespace {

ExitCode writeExcerpts(const JobReport& report, const std::string& out) {
  std::vector<ExcerptFile> files = excerptFiles(report.analysis(), out);
  if (files.empty()) {
    printError("nothing was recorded in this part: there is no trace to write an excerpt of");
    return kWrongUsage;
  }
  {
    const std::filesystem::path folder = std::filesystem::path(files.front().path).parent_path();
    std::error_code failed;
    if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  }
  std::string text;
  bool complete = true;
  for (ExcerptFile& file : files) {
    if (const auto error = writeExcerpt(report.analysis(), file)) {
      printLines(*error);
      complete = false;
      continue;
    }
    if (file.events == 0) {
      printError(file.path + ": not written, as no event was recorded in this part");
      continue;
    }
    text += fmt::format("{}: {} event{}\n", file.path, groupedText(static_cast<std::int64_t>(file.events)),
                        file.events == 1 ? "" : "s");
    if (file.damaged > 0)
      printError(fmt::format("{}: {} unreadable event{} left out", file.path,
                             groupedText(static_cast<std::int64_t>(file.damaged)),
                             file.damaged == 1 ? " was" : "s were"));
  }
  // Or the numbers would seem to differ from those of the summary.
  if (!text.empty())
    text += "Metadata events, which name processes and threads, are written as well; summary and files count "
            "them, too.\n";
  const ExitCode printed = print(text);
  return complete && !text.empty() ? printed : kWrongUsage;
}

} // namespace

Command addExcerptCommand(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "excerpt", "write the selected time range, steps and ranks as trace files of their own");
  const auto job = std::make_shared<JobOptions>();
  const auto out = std::make_shared<std::string>();
  addJobOptions(*command, *job);
  job->events = EventUse::Chosen;
  job->arguments = true;
  job->purpose = "excerpt";
  command
      ->add_option("--out", *out,
                   "file to write (.json or .json.gz; several ranks add their number), or a folder")
      ->required();
  return {command, job, [=]() -> int {
            return withJob(
                *job, [&](const JobReport& report) { return writeExcerpts(report, *out); }, &kNoTable);
          }};
}

} // namespace rankscope
