// SPDX-License-Identifier: GPL-3.0-or-later
// The options of rankscope-cli stacks, and the text that they ask for.
#pragma once

#include "core/analysis/stacks/job_stacks.h"
#include "core/report/job_report.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace rankscope {

struct StacksOptions {
  std::string weight = "host";
  std::string format = "folded";
  std::vector<std::string> by; // rank, thread, step
  std::string python = "all";
  std::string backward = "joined";
  bool verbatim = false;
  bool likeTorch = false;
  std::string out;
};

void addStacksOptions(CLI::App& command, StacksOptions& options);

// What is wrong with the options together; empty when nothing is.
[[nodiscard]] std::string stacksError(const StacksOptions& options);

// The output as bytes.
[[nodiscard]] std::string stacksOutput(const JobReport& report, const StacksOptions& options,
                                       unsigned threadCount);

} // namespace rankscope
