// SPDX-License-Identifier: GPL-3.0-or-later
// Findings as a table and as text. id counts from 1 in display order: severity, then lower gain. Times are
// relative to the job's first event.
#pragma once

#include "core/export/result_table.h"
#include "core/report/accepted_findings.h"
#include "core/report/job_report.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// The last column, accepted, has the note of an accepted finding, or "yes" without one.
[[nodiscard]] ResultTable findingsTable(const JobReport& report,
                                        std::span<const AcceptedFinding> accepted = {});

// "rank 3 · step 12", "all ranks".
[[nodiscard]] std::string findingPlaceText(const Analysis& analysis, const Finding& finding,
                                           std::string_view between = " · ");
// The title, with " on ranks 3-5, 7" where its figures are means over these ranks alone.
[[nodiscard]] std::string titleWithRanks(const Analysis& analysis, const Finding& finding);
// "3.0 to 3.3 ms/step (27 to 30 %)", "1.2 GB"; empty if there is no cost.
[[nodiscard]] std::string findingCostText(const JobReport& report, const Finding& finding);
// The lower gain as a percentage of the step time; empty without a gain.
[[nodiscard]] std::optional<double> findingSharePct(const JobReport& report, const Finding& finding);
// The title without its cost: "Launch-bound: GPU idle time" for "Launch-bound: 11.9 ms/step of GPU idle
// time". Unchanged if the title does not contain this cost, in total or per step.
[[nodiscard]] std::string titleWithoutCost(std::string_view title, std::string_view cost);
// A paragraph: severity, title, place, evidence, fix; as plain text and as an item of a Markdown list.
[[nodiscard]] std::string findingText(const JobReport& report, const Finding& finding);
[[nodiscard]] std::string findingMarkdown(const JobReport& report, const Finding& finding);

// What costs per step are of, in a range: "Costs per step are of the whole steps that begin in the range."
// Empty without a range.
[[nodiscard]] std::string costsNote(const Analysis& analysis);

// A paragraph per finding, after the note on costs: severity, title, place, evidence, fix; accepted ones have
// their note. Without findings: the list of checks.
[[nodiscard]] std::string findingsText(const JobReport& report,
                                       std::span<const AcceptedFinding> accepted = {});

// Kinds of findings that could be checked with what was recorded, by id: all but the `uncheckedKinds`.
[[nodiscard]] std::vector<FindingKind> checkedKinds(const JobReport& report);

} // namespace rankscope
