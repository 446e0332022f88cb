// SPDX-License-Identifier: GPL-3.0-or-later
// The options of rankscope-cli excerpt, and writing its files.
#pragma once

#include "core/report/job_report.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace rankscope {

struct ExcerptOptions {
  std::string out;
};

void addExcerptOptions(CLI::App& command, ExcerptOptions& options);

struct ExcerptOutput {
  std::string text;     // a line for each file written
  std::string problems; // a line for each that could not be written, and for events left out
  bool complete = true; // whether every file was written
};

[[nodiscard]] ExcerptOutput writeExcerpts(const JobReport& report, const ExcerptOptions& options);

} // namespace rankscope
