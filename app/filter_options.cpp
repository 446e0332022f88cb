// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/filter_options.h"

#include "app/step_text.h"
#include "core/base/unit_text.h"
#include "core/io/load_estimate.h"
#include "core/io/trace_folder.h"

namespace rankscope {

namespace {

std::string sizeText(std::uint64_t bytes) {
  return bytesText(static_cast<std::int64_t>(bytes));
}

} // namespace

void addFilterOptions(CLI::App& command, FilterOptions& options) {
  command.add_flag("--skip-python", options.skipPython, "do not load the Python stack");
  command.add_flag("--skip-cpu-ops", options.skipCpuOps,
                   "do not load the host's operators; those that communicate and all launches stay");
  command.add_option("--load-steps", options.steps,
                     "load only what belongs to the marked steps A..B (or one step A)");
}

std::string filterComplaint(const FilterOptions& options) {
  if (options.steps.empty() || stepsFromText(options.steps)) return {};
  return "--load-steps wants A..B or A, not '" + options.steps + "'";
}

LoadFilter filterFrom(const FilterOptions& options) {
  LoadFilter filter{options.skipPython, options.skipCpuOps, {}};
  if (const auto steps = stepsFromText(options.steps)) filter.steps = {steps->first, steps->second};
  return filter;
}

std::string memoryWarning(const std::vector<std::string>& paths, const LoadFilter& filter,
                          unsigned threadCount) {
  const auto available = availableMemory();
  // The share that steps leave is not known before they are looked for.
  if (!available || filter.steps) return {};
  std::vector<std::string> files;
  std::uint64_t bytes = 0;
  for (const DiscoveredFile& file : discoverTraceFiles(paths).files) {
    files.push_back(file.path);
    bytes += file.bytes;
  }
  // Text takes more room than what is made of it, and packs to a thirtieth at best.
  constexpr std::uint64_t kBestPacking = 30;
  if (bytes < *available / kBestPacking) return {};
  const auto needed = [&](LoadFilter with) { return estimateLoad(files, with, threadCount).peakBytes; };
  const std::uint64_t whole = needed(filter);
  if (whole <= *available) return {};
  std::string text = "about " + sizeText(whole) + " of memory are needed, " + sizeText(*available) +
                     " are free; --load-steps A..B loads some steps";
  LoadFilter less = filter;
  if (!less.skipPython) {
    less.skipPython = true;
    text += ", --skip-python needs " + sizeText(needed(less));
  }
  if (!less.skipCpuOps) {
    less.skipCpuOps = true;
    text += ", with --skip-cpu-ops " + sizeText(needed(less));
  }
  return text;
}

} // namespace rankscope
