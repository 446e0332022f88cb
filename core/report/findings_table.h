// SPDX-License-Identifier: GPL-3.0-or-later
// The findings as a table and as text for people. id counts from 1 in the order in which they are shown:
// severity, then cost. Points of time count from the job's first event.
#pragma once

#include "core/analysis/analysis.h"
#include "core/export/result_table.h"

#include <string>

namespace rankscope {

[[nodiscard]] ResultTable findingsTable(const Analysis& analysis);

// A paragraph a finding: severity, title, where, evidence, fix; or a sentence that says what was checked.
[[nodiscard]] std::string findingsText(const Analysis& analysis);

} // namespace rankscope
