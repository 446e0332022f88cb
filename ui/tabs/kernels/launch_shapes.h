// SPDX-License-Identifier: GPL-3.0-or-later
// Grid and block of each kernel of a job. They are not in memory, so the files are read again: about a
// microsecond per kernel, several files in parallel. For a worker.
#pragma once

#include "core/base/progress.h"
#include "core/model/trace_set.h"
#include "core/report/kernels_table.h"

#include <memory>

namespace rankscope::ui {

// Of all ranks: "[264, 1, 1] · [128, 1, 1]". progress counts kernels as bytes; incomplete if canceled.
// Ranks with unreadable files have no details.
[[nodiscard]] KernelDetails launchShapes(const TraceSet& trace, Progress& progress);

} // namespace rankscope::ui
