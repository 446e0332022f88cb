// SPDX-License-Identifier: GPL-3.0-or-later
// The smaller tables of SQL in nanoseconds: job, ranks, tracks, names, steps, collectives, gaps, links and
// memory. Result tables in microseconds come from core/report.
#pragma once

#include "core/sql/raw_table_spec.h"

#include <vector>

namespace rankscope {

[[nodiscard]] const std::vector<RawTableSpec>& rawTableSpecs();

} // namespace rankscope
