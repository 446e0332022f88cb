// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of rankscope-cli that ask the graph of a job: critical-path, what-if, slowdown. Their options
// and their output; loading and exit codes are the program's.
#pragma once

#include "core/report/job_report.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class GraphCommand : std::uint8_t { CriticalPath, WhatIf, Slowdown };

struct GraphOptions {
  std::string pathKey;
  std::vector<std::string> scenarios;
  bool asPublished = false;
};

// With the options that no other command has. options must outlive the app.
[[nodiscard]] CLI::App* addGraphCommand(CLI::App& app, GraphCommand kind, GraphOptions& options);
// Empty when they can be understood.
[[nodiscard]] std::string graphOptionsError(const GraphOptions& options);

struct GraphAnswer {
  std::string text;     // what to print; empty: the options were wrong after all
  std::string problem;  // for standard error
  bool answered = true; // false: everything that was asked was refused
};

// format: text, csv or json.
[[nodiscard]] GraphAnswer graphAnswer(const JobReport& report, GraphCommand kind, const GraphOptions& options,
                                      std::string_view format, unsigned threadCount);

} // namespace rankscope
