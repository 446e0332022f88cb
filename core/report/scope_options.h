// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a job that somebody asks for in words: steps, time range, ranks; and how much of it there is.
// Pure.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/job/scope.h"
#include "core/io/reader/load_filter.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct ScopeOptions {
  std::string steps; // "A..B"
  std::string from;  // "12ms"
  std::string to;
  std::string ranks;              // "0,3-5"
  std::string_view prefix = "--"; // of "steps" and so on in messages
};

// Error of the options as given; empty if valid. Call it before reading files.
[[nodiscard]] std::string scopeError(const ScopeOptions& options);

// The chosen ranks; empty if none are. REQUIRES: scopeError(options).empty().
[[nodiscard]] std::optional<std::set<int>> ranksAsked(const ScopeOptions& options);

// How much of the requested part is in the job. Each line names the option and the available range.
struct ScopeMatch {
  std::vector<std::string> nothing;  // options that match nothing: no answer is possible
  std::vector<std::string> onlyPart; // options that match only in part

  [[nodiscard]] bool matches() const { return nothing.empty(); }
};

// REQUIRES: scopeError(options).empty().
[[nodiscard]] ScopeMatch scopeMatch(const Analysis& whole, const ScopeOptions& options);

// How much of the steps that a load was limited to is in the job. Where none is marked in a recording,
// everything of it was loaded.
[[nodiscard]] ScopeMatch loadedStepsMatch(const Analysis& whole, LoadFilter::Steps asked);

// No recording marks the steps that a load was limited to, so that everything was loaded.
[[nodiscard]] bool stepsWereUnmarked(const TraceSet& trace);

// The analysis of the selected part; null for the whole job. REQUIRES: scopeError(options).empty().
[[nodiscard]] std::unique_ptr<const Analysis> scopedAnalysis(const Analysis& whole,
                                                             const ScopeOptions& options);

} // namespace rankscope
