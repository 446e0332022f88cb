// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the summary about the ranks together: what was found, how collectives were matched, which process
// groups there are, and how far clocks were apart. Each is empty when there is nothing of its kind.
#pragma once

#include "core/export/json.h"
#include "core/report/job_report.h"

#include <span>
#include <string>

namespace rankscope {

// The costliest findings, one line each, and how many more there are; or that there are none.
[[nodiscard]] std::string topFindingsText(std::span<const Finding> findings);
[[nodiscard]] std::string collectivesText(const Analysis& analysis);
[[nodiscard]] std::string clocksText(const Analysis& analysis);

// The members "collectives", "process_groups", "clocks" and "findings" of an object.
void writeJobParts(JsonWriter& json, const JobReport& report);

} // namespace rankscope
