// SPDX-License-Identifier: GPL-3.0-or-later
// Analysis results of a loaded TraceSet for the window, computed together on a worker.
#pragma once

#include "core/report/job_report.h"
#include "ui/job/job_highlights.h"

#include <QString>

#include <memory>

namespace rankscope::ui {

struct JobTables {
  std::shared_ptr<const JobReport> report; // of the recording: the source of all metrics
  // The same ranks and events on the job's clock, for drawing, with their analysis and highlights. Equal to
  // the recording and its analysis if no clock was corrected.
  std::shared_ptr<const TraceSet> drawn;
  std::shared_ptr<const Analysis> drawnAnalysis;
  std::shared_ptr<const JobHighlights> highlights;
  std::int64_t steps = 0; // different ProfilerStep names over all ranks
};

// previous may be null: the analysis of an earlier state of the same job. network: where logs of NCCL are
// read from.
[[nodiscard]] JobTables jobTables(std::shared_ptr<const TraceSet> trace,
                                  const std::shared_ptr<const Analysis>& previous, bool alignClocks = true,
                                  NetworkInput network = {});

// "8 ranks · 2 nodes · 5 steps · 4.2 M events · 812.0 MB · opened in 410 ms"; unknown (negative) parts are
// omitted.
[[nodiscard]] QString jobSummary(const TraceSet& trace, std::int64_t steps, TimeNs openedIn);

} // namespace rankscope::ui
