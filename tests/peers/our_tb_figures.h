// SPDX-License-Identifier: GPL-3.0-or-later
// Our own figures under the names of the plugin's tables, from Analysis. Rows are named by the worker.
#pragma once

#include "core/analysis/job/analysis.h"
#include "tests/peers/figures.h"

#include <string>

namespace rankscope::peers {

// zero: wall time at which the plugin's profiler began.
void addOurSteps(const Analysis& analysis, RankIndex rank, TimeNs zero, const std::string& worker,
                 Figures& to);
void addOurGpu(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to);
void addOurKernels(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to);
void addOurOperators(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to);
void addOurMemory(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to);

// worker: without its span.
void addOurOverlap(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to);
// Synchronizing time only: what of a step the rank waited in collectives.
void addOurWaits(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to);
// Under the backend's names of the operations.
void addOurCollectives(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to);

} // namespace rankscope::peers
