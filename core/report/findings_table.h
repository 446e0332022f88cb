// SPDX-License-Identifier: GPL-3.0-or-later
// The findings as a table and as text for people. id counts from 1 in the order in which they are shown:
// severity, then cost. Points of time count from the job's first event.
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"

#include <string>
#include <string_view>

namespace rankscope {

[[nodiscard]] ResultTable findingsTable(const JobReport& report);

// "rank 3 · step 12", "all ranks".
[[nodiscard]] std::string findingPlaceText(const Analysis& analysis, const Finding& finding,
                                           std::string_view between = " · ");
// "12.3 ms", "1.2 GB"; empty without a cost.
[[nodiscard]] std::string findingCostText(const Finding& finding);
// "Launch-bound: GPU idle time" of "Launch-bound: 11.9 ms/step of GPU idle time", to show beside that cost.
// The title is unchanged if it does not name this cost, in total or per step.
[[nodiscard]] std::string titleWithoutCost(std::string_view title, std::string_view cost);
// A paragraph: severity, title, where, evidence, fix. The same as an item of a Markdown list.
[[nodiscard]] std::string findingText(const Analysis& analysis, const Finding& finding);
[[nodiscard]] std::string findingMarkdown(const Analysis& analysis, const Finding& finding);

// A paragraph a finding: severity, title, where, evidence, fix; or the list of checks.
[[nodiscard]] std::string findingsText(const JobReport& report);

} // namespace rankscope
