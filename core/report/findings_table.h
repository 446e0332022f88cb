// SPDX-License-Identifier: GPL-3.0-or-later
// The findings as a table and as text for people. id counts from 1 in the order in which they are shown:
// severity, then lower gain. Points of time count from the job's first event.
#pragma once

#include "core/export/result_table.h"
#include "core/report/accepted_findings.h"
#include "core/report/job_report.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

[[nodiscard]] ResultTable findingsTable(const JobReport& report);

// "rank 3 · step 12", "all ranks".
[[nodiscard]] std::string findingPlaceText(const Analysis& analysis, const Finding& finding,
                                           std::string_view between = " · ");
// "3.0 to 3.3 ms/step (27 to 30 %)", "1.2 GB"; empty without either.
[[nodiscard]] std::string findingCostText(const JobReport& report, const Finding& finding);
// The lower gain as a share of the step time, 0 to 100; empty without a gain.
[[nodiscard]] std::optional<double> findingSharePct(const JobReport& report, const Finding& finding);
// "Launch-bound: GPU idle time" of "Launch-bound: 11.9 ms/step of GPU idle time", to show beside that cost.
// The title is unchanged if it does not name this cost, in total or per step.
[[nodiscard]] std::string titleWithoutCost(std::string_view title, std::string_view cost);
// A paragraph: severity, title, where, evidence, fix. The same as an item of a Markdown list.
[[nodiscard]] std::string findingText(const JobReport& report, const Finding& finding);
[[nodiscard]] std::string findingMarkdown(const JobReport& report, const Finding& finding);

// A paragraph a finding: severity, title, where, evidence, fix; or the list of checks.
// Those that are accepted are marked with their note.
[[nodiscard]] std::string findingsText(const JobReport& report,
                                       std::span<const AcceptedFinding> accepted = {});

} // namespace rankscope
