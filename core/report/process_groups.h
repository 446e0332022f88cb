// SPDX-License-Identifier: GPL-3.0-or-later
// The process groups of a job as they are told: what they are called and which ranks are in them, in the
// summary and its JSON, and as a table that says as well what went through them within the analysis' scope.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/json.h"
#include "core/export/result_table.h"

#include <span>
#include <string>

namespace rankscope {

// One row a group that has a collective in scope; groups of collectives whose group was not recorded are left
// out of names and stand as "all ranks". collectives are instances, bytes the sum of theirs, wait_us the mean
// over the ranks in scope. The longest waits first. O(participants).
[[nodiscard]] ResultTable processGroupsTable(const Analysis& analysis);

// The first ones, a line each, and how many more there are.
[[nodiscard]] std::string processGroupsText(std::span<const JobGroup> groups);
// The member "process_groups" of an object: all of them.
void writeProcessGroups(JsonWriter& json, std::span<const JobGroup> groups);

} // namespace rankscope
