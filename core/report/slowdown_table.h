// SPDX-License-Identifier: GPL-3.0-or-later
// The table `slowdown`: how much longer steps take than if everything took its typical time, and which ranks,
// steps and kinds of work that is due to. Of a job of which that cannot be said, it has no rows.
#pragma once

#include "core/analysis/graph/slowdown.h"
#include "core/export/result_table.h"

namespace rankscope {

class JobReport;

[[nodiscard]] ResultTable slowdownTable(const JobSlowdown& slowdown);
[[nodiscard]] ResultTable slowdownTable(const JobReport& report);
// Of a report, with the layout of its job.
[[nodiscard]] JobSlowdown slowdownOfReport(const JobReport& report, bool asPublished, unsigned threadCount);
// The same for people.
[[nodiscard]] std::string slowdownText(const JobSlowdown& slowdown);

} // namespace rankscope
