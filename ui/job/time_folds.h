// SPDX-License-Identifier: GPL-3.0-or-later
// Long times of a job in which nothing was recorded, such as those between captures, folded: drawn with a
// short length, so that what was recorded fills the timeline. Maps times of the job to drawn times and back;
// both are monotonic. Immutable; any thread. A conversion costs O(log folds).
#pragma once

#include "core/base/time_range.h"
#include "core/model/trace_set.h"
#include "ui/job/timeline_choice.h"

#include <vector>

namespace rankscope::ui {

struct TimeFold {
  TimeRange gap;    // of the job's time: nothing was recorded in it
  TimeNs drawn = 0; // its length as drawn, shorter
  bool operator==(const TimeFold&) const = default;
};

class TimeFolds {
 public:
  TimeFolds() = default;
  // Ascending, without overlaps.
  explicit TimeFolds(std::vector<TimeFold> folds);

  [[nodiscard]] bool empty() const { return m_folds.empty(); }
  [[nodiscard]] const std::vector<TimeFold>& all() const { return m_folds; }
  [[nodiscard]] TimeNs toDrawn(TimeNs time) const;
  // Exact outside of folds.
  [[nodiscard]] TimeNs toJob(TimeNs drawn) const;
  // Where a fold is drawn.
  [[nodiscard]] TimeRange drawnOf(std::size_t fold) const;
  [[nodiscard]] bool operator==(const TimeFolds&) const = default;

 private:
  std::vector<TimeFold> m_folds;
  std::vector<TimeNs> m_removed; // by fold: what this one and those before it remove
};

// Folds of the recordings that the choice shows: gaps at least twice as long as anything recorded without a
// break. None if the choice does not fold.
[[nodiscard]] TimeFolds foldsOf(const TraceSet& traces, const TimelineChoice& choice);

} // namespace rankscope::ui
