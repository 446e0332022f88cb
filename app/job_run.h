// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and analyzes the job that a command of rankscope-cli is asked about. Shows progress, and reports what
// could not be read, on standard error.
#pragma once

#include "app/command.h"
#include "app/console.h"

#include <functional>
#include <memory>

namespace rankscope {

// For commands that compute what they need themselves.
inline constexpr TableSpec kNoTable{"", nullptr, nullptr};

// Reads the job, computes what the table needs (null: everything), lets the command answer, then writes the
// job to the cache. Returns the exit code of the command, or kWrongUsage or kNothingRead without calling it.
// REQUIRES: jobOptionsError(options).empty().
[[nodiscard]] ExitCode withJob(const JobOptions& options,
                               const std::function<ExitCode(const JobReport& report)>& command,
                               const TableSpec* table = nullptr);

struct WholeJob {
  std::shared_ptr<const Analysis> analysis; // null if there is none
  ExitCode code = kNothingRead;             // then: why, already reported
};

// A whole job with the options of another, kept in the cache too.
[[nodiscard]] WholeJob loadedJob(const JobOptions& options, const std::vector<std::string>& paths);

} // namespace rankscope
