// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a report's summary.json: the job, its files, world size, steps and totals, which tables lie
// beside it, and how every figure is defined, so that a report found a year later can still be read.
#pragma once

#include "core/report/job_report.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

// What each figure of the tables means, in a sentence: column or table, and its definition.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> definitions();

// tableFiles: names of the files written beside it.
[[nodiscard]] std::string summaryJson(const JobReport& report, std::span<const std::string> tableFiles);

} // namespace rankscope
