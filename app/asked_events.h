// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the events of those ranks of a digest that a command of rankscope-cli reads, from where they can be
// reached.
#pragma once

#include "app/command.h"
#include "core/base/progress.h"
#include "core/model/trace_set.h"

#include <memory>

namespace rankscope {

// The job itself if it is no digest, or the digest is enough. Null if some events cannot be reached or do not
// fit into memory: what is missing, where it lies and what to do was printed.
[[nodiscard]] std::shared_ptr<const TraceSet> withAskedEvents(std::shared_ptr<const TraceSet> job,
                                                              const JobOptions& options, Progress& progress);

} // namespace rankscope
