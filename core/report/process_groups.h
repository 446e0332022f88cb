// SPDX-License-Identifier: GPL-3.0-or-later
// Process groups of a job with names and ranks, for the summary and its JSON, and as a table with their
// collectives within the analysis' scope.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/json.h"
#include "core/export/result_table.h"

#include <span>
#include <string>

namespace rankscope {

// One row per group with a collective in scope, over all captures; collectives without a recorded group are
// shown as "all ranks". collectives: number of instances. bytes: their sum. wait_us: mean over the ranks in
// scope. Longest waits first. O(participants).
[[nodiscard]] ResultTable processGroupsTable(const Analysis& analysis);

// The first groups, one per line, and the number of the remaining ones.
[[nodiscard]] std::string processGroupsText(std::span<const JobGroup> groups);
// Writes the member "process_groups" with all groups.
void writeProcessGroups(JsonWriter& json, std::span<const JobGroup> groups);

} // namespace rankscope
