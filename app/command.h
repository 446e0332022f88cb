// SPDX-License-Identifier: GPL-3.0-or-later
// A command of rankscope-cli. Each command is a unit of its own that adds its name and options to the program
// and says how it runs; cli.cpp lists them.
#pragma once

#include "app/filter_options.h"
#include "core/io/cache/trace_cache.h"
#include "core/report/job_report.h"
#include "core/report/report_files.h"
#include "core/report/scope_options.h"
#include "core/report/tables.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Which ranks of a digest have to be loaded with their events, where they can be reached.
enum class EventUse : std::uint8_t {
  None,   // the digest is enough
  Chosen, // those of --ranks, else all
  All,
};

// Which part of which job is asked, and how it is read and analyzed.
struct JobOptions {
  std::vector<std::string> paths;
  unsigned threads = 0; // 0: all cores
  std::optional<int> capture;
  bool recordedClocks = false;
  bool allSteps = false;
  ScopeOptions scope;
  FilterOptions filter;
  bool noCache = false;
  bool quiet = false;
  double maxFetchGb = 2;
  GainMethod gains = GainMethod::Replay;
  EfficiencySettings efficiency;
  LayoutSettings layout;
  std::vector<std::string> fabrics;
  EventUse events = EventUse::None;
  bool arguments = false;   // of events too, which traces have and kept events have not
  bool gainsGiven = false;  // --gains, not its default
  std::string_view purpose; // who asks for events, in messages: "stacks"

  [[nodiscard]] unsigned threadCount() const;
  // Empty: no cache is used.
  [[nodiscard]] std::optional<TraceCacheSettings> cache() const;
};

struct Command {
  CLI::App* app = nullptr;               // parsed() if it was asked for
  std::shared_ptr<const JobOptions> job; // as parsed; checked by jobOptionsError() before run()
  std::function<int()> run;              // the exit code; owns the options
};

// Adds PATH and the options that all commands of a job share.
void addJobOptions(CLI::App& command, JobOptions& options, bool needsPath = true);
void addThreads(CLI::App& command, unsigned& threads);
// Of numbers that have to be from least to most; the help of the option says so where it matters.
[[nodiscard]] CLI::Validator numberIn(double least, double most);
void addGains(CLI::App& command, JobOptions& options);
void addLayout(CLI::App& command, JobOptions& options);
void addFabrics(CLI::App& command, JobOptions& options);
// csv or json.
void addTableFormat(CLI::App& command, std::string& format);
// text, csv or json: of commands that people read.
void addTextFormat(CLI::App& command, std::string& format);

// Of the formats above; csv for text.
[[nodiscard]] TableFormat tableFormatNamed(std::string_view format);

// Error of the options as given; empty if valid. Reads nothing.
[[nodiscard]] std::string jobOptionsError(const JobOptions& options);

} // namespace rankscope
