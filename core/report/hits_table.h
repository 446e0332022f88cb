// SPDX-License-Identifier: GPL-3.0-or-later
// Events that a search found as a table, in the order in which they are given, with exact times from the
// job's first event on. Linear, and a few binary searches a row; any thread.
#pragma once

#include "core/export/result_table.h"
#include "core/model/trace_set.h"

#include <span>

namespace rankscope {

[[nodiscard]] ResultTable hitsTable(const TraceSet& traces, std::span<const EventRef> hits);

} // namespace rankscope
