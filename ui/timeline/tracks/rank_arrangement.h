// SPDX-License-Identifier: GPL-3.0-or-later
// Order and grouping of ranks: by number, step time, lateness at collectives, exposed communication or with
// outliers first; grouped by host, by process group or by likeness. The figures are computed from the
// analysis on a worker; arranging is cheap.
#pragma once

#include "core/analysis/job/analysis.h"
#include "ui/timeline/tracks/similar_ranks.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QString>

#include <memory>
#include <vector>

namespace rankscope::ui {

// By RankIndex; ranks without a value are last.
struct RankFiguresForOrder {
  std::vector<std::optional<TimeNs>> stepTime; // mean
  std::vector<std::optional<TimeNs>> lateness; // delay after the first rank, summed over matched collectives
  std::vector<std::optional<TimeNs>> exposed;  // communication
  struct Division {                            // process groups that partition the ranks
    QString name;                              // "tp"
    std::vector<std::vector<RankIndex>> groups;
  };
  std::vector<Division> divisions;
  SimilarRanks similar;
};

// Computes the missing parts of the analysis.
[[nodiscard]] RankFiguresForOrder figuresForOrder(const Analysis& analysis);

// Empty if the ranks are in recorded order. Unless they are sorted or grouped, the captures of a rank are a
// group. figures may be null; then only orders that need none are applied.
[[nodiscard]] std::vector<RankGroup> arrangeRanks(const TraceSet& traces, const RankFiguresForOrder* figures,
                                                  const TimelineChoice& choice);
[[nodiscard]] bool needsFigures(const TimelineChoice& choice);

inline const QString kHostGrouping = QStringLiteral("host");
// The grouping of ranks that behave alike, which many ranks have at first.
inline const QString kSimilarGrouping = QStringLiteral("similar");
inline constexpr std::size_t kRanksToArrange = 100;

// "slowest steps first", "by process group tp".
[[nodiscard]] QString sortTitle(RankSort sort);
[[nodiscard]] QString groupingTitle(const QString& grouping);

} // namespace rankscope::ui
