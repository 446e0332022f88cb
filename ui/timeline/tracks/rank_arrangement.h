// SPDX-License-Identifier: GPL-3.0-or-later
// In which order ranks stand and with whom: by number, by how long their steps take, by how late they come to
// collectives, by the communication that nothing hides; in groups of one node or of one process group. The
// figures come from the analysis and are asked for off the UI's thread; arranging is cheap.
#pragma once

#include "core/analysis/job/analysis.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QString>

#include <memory>
#include <vector>

namespace rankscope::ui {

// By RankIndex; what is not known of a rank puts it last.
struct RankFiguresForOrder {
  std::vector<std::optional<TimeNs>> stepTime; // mean
  std::vector<std::optional<TimeNs>> lateness; // how much later than the first it began, summed over matches
  std::vector<std::optional<TimeNs>> exposed;  // communication
  struct Division {                            // process groups that share the ranks out among them
    QString name;                              // "tp"
    std::vector<std::vector<RankIndex>> groups;
  };
  std::vector<Division> divisions;
};

// Costs what of the analysis was not computed yet.
[[nodiscard]] RankFiguresForOrder figuresForOrder(const Analysis& analysis);

// Empty where the ranks stand as recorded. figures may be null: then only what needs none is done.
[[nodiscard]] std::vector<RankGroup> arrangeRanks(const TraceSet& traces, const RankFiguresForOrder* figures,
                                                  const TimelineChoice& choice);
[[nodiscard]] bool needsFigures(const TimelineChoice& choice);

// "slowest steps first", "by process group tp".
[[nodiscard]] QString sortTitle(RankSort sort);
[[nodiscard]] QString groupingTitle(const QString& grouping);

} // namespace rankscope::ui
