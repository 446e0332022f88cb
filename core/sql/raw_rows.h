// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of SQL with many rows, which are computed when looked at: names, links, memory records, and what
// takes part in collectives and gaps.
#pragma once

#include "core/sql/raw_table_spec.h"

#include <vector>

namespace rankscope {

[[nodiscard]] std::vector<RawTableSpec> rowSpecs();

} // namespace rankscope
