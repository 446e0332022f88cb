// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of the timeline for a report: the place of a finding with some space around it, on the ranks that
// it is about and some others to compare with, whatever a window shows. Times count from the job's first
// event. Pure; O(pixels log n) a row.
#pragma once

#include "core/report/job_report.h"

#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct TimelineDrawing {
  std::string svg;    // SvgDrawing::markup
  std::string narrow; // the same for a narrow page
  std::string title;
  std::string caption;
};

// What of the job a picture of the finding shows; null: of the job as such, a kept step.
struct TimelinePlace {
  JobRange range;               // drawn
  JobRange marked;              // what the finding is about; empty: nothing in particular
  std::vector<RankIndex> ranks; // ascending
  RankIndex main;               // with its host threads; one of `ranks`
};

// Nothing of a job without events.
[[nodiscard]] std::optional<TimelinePlace> timelinePlace(const Analysis& analysis, const Finding* finding);
[[nodiscard]] std::optional<TimelineDrawing> timelineDrawing(const JobReport& report, const Finding* finding);

} // namespace rankscope
