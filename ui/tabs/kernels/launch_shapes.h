// SPDX-License-Identifier: GPL-3.0-or-later
// The grid and block that each kernel of a job was launched with. Only the files know them, so they are read
// again: about a microsecond a kernel, several files at once. For a worker.
#pragma once

#include "core/base/progress.h"
#include "core/model/trace_set.h"
#include "core/report/kernels_table.h"

#include <memory>

namespace rankscope::ui {

// Of all ranks: "[264, 1, 1] · [128, 1, 1]". progress counts kernels as bytes; incomplete when it was
// cancelled. Ranks whose file cannot be read are as if nothing was recorded.
[[nodiscard]] KernelDetails launchShapes(const TraceSet& trace, Progress& progress);

} // namespace rankscope::ui
