// SPDX-License-Identifier: GPL-3.0-or-later
// The summary.json of a report: job, files, world size, steps, totals, list of the written tables, and the
// definition of every value, so that the report is self-explanatory.
#pragma once

#include "core/report/accepted_findings.h"
#include "core/report/job_part.h"
#include "core/report/job_report.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

// Definitions of the values in tables: column or table, and one sentence.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> definitions();

// tableFiles: names of the files written with it. part: what the report is of.
[[nodiscard]] std::string summaryJson(const JobReport& report, std::span<const std::string> tableFiles,
                                      std::span<const AcceptedFinding> accepted = {},
                                      const JobPart& part = {});

} // namespace rankscope
