// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/filter_options.h"

#include "core/base/unit_text.h"
#include "core/io/load/load_forecast.h"
#include "core/report/step_text.h"

namespace rankscope {

namespace {

std::string sizeText(std::uint64_t bytes) {
  return bytesText(static_cast<std::int64_t>(bytes));
}

} // namespace

void addFilterOptions(CLI::App& command, FilterOptions& options) {
  command.add_flag("--skip-python", options.skipPython, "do not load the Python stack");
  command.add_flag("--skip-cpu-ops", options.skipCpuOps,
                   "do not load CPU operators; communication and launches stay");
  command.add_option("--load-steps", options.steps, "load only the marked steps A..B (or one step A)");
}

std::string filterError(const FilterOptions& options) {
  if (options.steps.empty() || stepsFromText(options.steps)) return {};
  return "--load-steps wants A..B or A, not '" + options.steps + "'";
}

LoadFilter filterFrom(const FilterOptions& options) {
  LoadFilter filter{options.skipPython, options.skipCpuOps, {}};
  if (const auto steps = stepsFromText(options.steps)) filter.steps = {steps->first, steps->second};
  return filter;
}

std::string memoryWarning(std::span<const DiscoveredFile> files, const LoadFilter& filter,
                          unsigned threadCount) {
  const auto available = availableMemory();
  if (!available) return {};
  const auto shortage = forecastShortage(files, filter, threadCount, *available);
  if (!shortage) return {};
  const auto needed = [&](const LoadFilter& with) { return sizeText(shortage->of(with).peakBytes); };
  std::string text = "about " + needed(filter) + " of memory are needed, " + sizeText(*available) +
                     " are free; --load-steps A..B loads some steps";
  LoadFilter less = filter;
  if (!less.skipPython) {
    less.skipPython = true;
    text += ", --skip-python needs " + needed(less);
  }
  if (!less.skipCpuOps) {
    less.skipCpuOps = true;
    text += ", with --skip-cpu-ops " + needed(less);
  }
  return text;
}

} // namespace rankscope
