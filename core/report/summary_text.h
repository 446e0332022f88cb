// SPDX-License-Identifier: GPL-3.0-or-later
// Summary of a job for a terminal: files read and not read with reasons, ranks, device time. Up to 16
// recordings have one line each; for more, minimum, median and maximum values and outlying recordings are
// shown. Plain UTF-8, deterministic.
#pragma once

#include "core/report/job_part.h"
#include "core/report/job_report.h"

#include <string>

namespace rankscope {

// part: what the report is of.
[[nodiscard]] std::string summaryText(const JobReport& report, const JobPart& part = {});

} // namespace rankscope
