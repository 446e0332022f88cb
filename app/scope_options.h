// SPDX-License-Identifier: GPL-3.0-or-later
// The options by which a command asks about a part of a job: steps, a range of time, some ranks.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/job/scope.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace rankscope {

struct ScopeOptions {
  std::string steps; // "A..B"
  std::string from;  // "12ms"
  std::string to;
  std::string ranks; // "0,3-5"
};

void addScopeOptions(CLI::App& command, ScopeOptions& options);

// What is wrong with the options as written; empty when nothing is. Asked before anything is read.
[[nodiscard]] std::string scopeError(const ScopeOptions& options);

// How much of what was asked for is in the job. Every line names the option and what the job has.
struct ScopeMatch {
  std::vector<std::string> nothing;  // options that match nothing: there is no answer
  std::vector<std::string> onlyPart; // options of which a part matches nothing

  [[nodiscard]] bool matches() const { return nothing.empty(); }
};

// REQUIRES: scopeError(options).empty().
[[nodiscard]] ScopeMatch scopeMatch(const Analysis& whole, const ScopeOptions& options);

// The part that they ask about: null for the whole job. REQUIRES: scopeError(options).empty().
[[nodiscard]] std::unique_ptr<const Analysis> scopedAnalysis(const Analysis& whole,
                                                             const ScopeOptions& options);

} // namespace rankscope
