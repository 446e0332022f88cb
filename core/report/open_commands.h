// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that open what a report speaks of: a finding, a tab, a table of the job. Paths are quoted for
// a POSIX shell. Pure.
#pragma once

#include "core/report/job_report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct OpenCommands {
  // What both programs are given to open the job: paths and options. Empty: the paths of its files.
  std::vector<std::string> arguments = {};
  // Of a part of that: the options that choose it.
  std::vector<std::string> tablePart = {};  // of rankscope-cli
  std::vector<std::string> windowPart = {}; // of rankscope
  // Where the times of these arguments count from, if not from the begin of the report's job.
  std::optional<JobTime> origin = {};
  // The report is of all that these arguments open: positions in its findings are those of the window.
  bool whole = true;

  // "rankscope /data/job --finding 1"; of a part of the job the finding's place, and nothing without one.
  [[nodiscard]] std::string ofFinding(const JobReport& report, std::size_t position) const;
  [[nodiscard]] std::string ofTab(const JobReport& report, std::string_view tab) const;
  [[nodiscard]] std::string ofRange(const JobReport& report, JobRange range) const;
  [[nodiscard]] std::string ofTable(const JobReport& report, std::string_view table) const;
};

// As one word of a POSIX shell.
[[nodiscard]] std::string shellWord(std::string_view text);

} // namespace rankscope
