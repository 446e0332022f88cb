// SPDX-License-Identifier: GPL-3.0-or-later
// Search hits as a table, in the given order, with exact times relative to the job's first event. Linear,
// plus a few binary searches per row; thread-safe.
#pragma once

#include "core/export/result_table.h"
#include "core/model/trace_set.h"

#include <span>

namespace rankscope {

[[nodiscard]] ResultTable hitsTable(const TraceSet& traces, std::span<const EventRef> hits);

} // namespace rankscope
