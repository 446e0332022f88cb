// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/excerpt_command.h"

#include "core/report/excerpt_files.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <vector>

namespace rankscope {

void addExcerptOptions(CLI::App& command, ExcerptOptions& options) {
  command
      .add_option("--out", options.out,
                  "file to write (.json or .json.gz; several ranks add their number), or a folder")
      ->required();
}

ExcerptOutput writeExcerpts(const JobReport& report, const ExcerptOptions& options) {
  ExcerptOutput output;
  std::vector<ExcerptFile> files = excerptFiles(report.analysis(), options.out);
  if (!files.empty()) {
    const std::filesystem::path folder = std::filesystem::path(files.front().path).parent_path();
    std::error_code failed;
    if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  }
  for (ExcerptFile& file : files) {
    if (const auto error = writeExcerpt(report.analysis(), file)) {
      output.problems += error->text() + "\n";
      output.complete = false;
      continue;
    }
    output.text += fmt::format("{}: {} events\n", file.path, file.events);
    if (file.damaged > 0)
      output.problems += fmt::format("{}: {} unreadable events were left out\n", file.path, file.damaged);
  }
  return output;
}

} // namespace rankscope
