// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the summary about all ranks: findings, matching of collectives, process groups, clock differences.
// Each text is empty if there is no data of its kind.
#pragma once

#include "core/export/json.h"
#include "core/report/accepted_findings.h"
#include "core/report/job_report.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope {

// "4.35 s recorded within 100 s": captures may be hours apart without any recording in between.
[[nodiscard]] std::string recordedText(const Analysis& analysis);
// The costliest findings, one per line, and the number of the others; or that there are none, and how many
// kinds could be checked. note: on their costs, in the first line; may be empty.
[[nodiscard]] std::string topFindingsText(std::span<const Finding> findings, std::size_t checked,
                                          std::string_view note = {});
[[nodiscard]] std::string collectivesText(const Analysis& analysis);
// A sentence for each group in whose collectives more ranks took part than it has members by the metadata:
// "ranks 2, 3 took part in default_pg as well, of which they are no members by the metadata".
[[nodiscard]] std::vector<std::string> contradictedGroups(const Analysis& analysis);
[[nodiscard]] std::string clocksText(const Analysis& analysis);

// The members "collectives", "process_groups", "clocks", "efficiency" and "findings" of an object.
void writeJobParts(JsonWriter& json, const JobReport& report, std::span<const AcceptedFinding> accepted = {});

} // namespace rankscope
