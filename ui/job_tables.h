// SPDX-License-Identifier: GPL-3.0-or-later
// All that the window wants of a finished TraceSet before it can show more than events, computed in one go on
// a worker: the analysis, and what is drawn of it.
#pragma once

#include "core/analysis/analysis.h"
#include "ui/job_highlights.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

namespace rankscope::ui {

struct JobTables {
  std::shared_ptr<const Analysis> analysis; // of the recording: what figures are taken from
  // The same ranks and events on the job's clock, for drawing, and what is drawn over them. The recording and
  // its analysis when no clock was corrected.
  std::shared_ptr<const TraceSet> drawn;
  std::shared_ptr<const Analysis> drawnAnalysis;
  std::shared_ptr<const JobHighlights> highlights;
  std::int64_t steps = 0; // different ProfilerStep names over all ranks
};

// previous may be null: the analysis of an earlier state of the same job.
[[nodiscard]] JobTables jobTables(std::shared_ptr<const TraceSet> trace,
                                  const std::shared_ptr<const Analysis>& previous, bool alignClocks = true);

// "8 ranks · 2 nodes · 5 steps · 4.2 M events · 812.0 MB · opened in 410 ms"; what is not known (negative)
// stays away.
[[nodiscard]] QString jobSummary(const TraceSet& trace, std::int64_t steps, TimeNs openedIn);

enum class TroubleKind : std::uint8_t {
  Unreadable, // nothing of the file is shown
  OtherJob,   // it is fine, and belongs to another job
  Damaged,    // it is shown, and events of it are missing
};

// A file that is not shown whole: "name: byte 123: reason".
struct FileTrouble {
  TroubleKind kind = TroubleKind::Unreadable;
  QString path;
  QString name;
  QString line;
};
// By kind, worst first.
[[nodiscard]] std::vector<FileTrouble> fileTroubles(const TraceSet& trace);
// A few lines that name them: one for each file that something is wrong with, one for those of other jobs.
[[nodiscard]] QStringList troubleLines(const std::vector<FileTrouble>& troubles);

} // namespace rankscope::ui
