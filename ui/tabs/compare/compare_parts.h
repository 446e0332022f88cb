// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a job that can be sides of a comparison: ranks, hosts, captures, steps, ranges of steps. Pure.
#pragma once

#include "core/report/job_report.h"
#include "ui/job/compared_parts.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct PartOption {
  QString title;
  JobPart part;
};

// The parts that a job may be divided into, the whole first. Of many ranks or steps the first ones.
[[nodiscard]] std::vector<PartOption> partsOf(const Analysis& analysis);

// With what was chosen elsewhere, where it is not among them.
void addChosenPart(std::vector<PartOption>& options, const JobPart& part);

// The part alone; the whole job's analysis for all of it; null if the job has no such part.
[[nodiscard]] std::shared_ptr<const Analysis> analysisOfPart(const JobReport& report, const JobPart& part);

// The steps that begin in a range of the timeline; nothing if there are none with a number.
[[nodiscard]] std::optional<JobPart> stepsInRange(const Analysis& analysis, JobRange range);

} // namespace rankscope::ui
