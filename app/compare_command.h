// SPDX-License-Identifier: GPL-3.0-or-later
// The command compare of rankscope-cli: its options, and what it writes. How jobs are loaded and where
// messages go is the caller's.
#pragma once

#include "app/scope_options.h"
#include "core/analysis/job/analysis.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct CompareArguments {
  std::vector<std::string> with;
  std::vector<std::string> moreA;
  std::vector<std::string> moreB;
  std::string aSteps;
  std::string bSteps;
  std::string aRanks;
  std::string bRanks;
  std::string align = "number";
  std::string by = "class";
  bool total = false;
  std::string format = "text";
  std::string outFolder;
  std::string gate;
  std::string baseline;
  std::string saveBaseline;
  std::string failOn; // "regression", "regression:3%"
  std::string undecided = "fail";
};

void addCompareOptions(CLI::App& command, CompareArguments& arguments);

struct CompareProgram {
  // The job at the paths, whole; null where nothing could be read, which was reported.
  std::function<std::shared_ptr<const Analysis>(const std::vector<std::string>& paths)> load;
  std::function<bool(std::string_view text)> print; // false: it could not be written, which was reported
  std::function<void(const std::string& line)> printError;
  unsigned threadCount = 1;
};

// The exit status. scope: of both sides.
[[nodiscard]] int runCompare(const CompareArguments& arguments, const std::vector<std::string>& paths,
                             const ScopeOptions& scope, const CompareProgram& program);

} // namespace rankscope
