// SPDX-License-Identifier: GPL-3.0-or-later
// What actions want of the timeline. The view is it; actions know no more of the view, so that it can own
// them. UI thread.
#pragma once

#include "ui/timeline/tracks/track_layout.h"
#include "ui/timeline/view/view_motion.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

class QWidget;

namespace rankscope::ui {

class TimelineControl {
 public:
  virtual ~TimelineControl() = default;

  // Over which questions are asked.
  [[nodiscard]] virtual QWidget& widget() = 0;
  [[nodiscard]] virtual const TrackLayout& trackLayout() const = 0;

  [[nodiscard]] virtual ViewMotion& motion() = 0;
  // A share of the visible height, downwards.
  virtual void scrollPages(double pages) = 0;
  // Selects it and brings it into view, folded ranks staying folded.
  virtual void goTo(EventRef event) = 0;
  // The next of the job's costliest places, or the one before.
  virtual void showPlace(bool next) = 0;
  // Fits the next (1) or previous (-1) step of the rank whose steps are shown; false without steps.
  virtual bool showStep(int direction) = 0;
  // The step that the middle of the window lies in or before; nothing without numbered steps.
  [[nodiscard]] virtual std::optional<std::int64_t> stepShown() const = 0;

  virtual void setRankExpanded(RankIndex rank, bool expanded) = 0;
  virtual void setAllRanksExpanded(bool expanded) = 0;
  // The figures of the ranks beside their lanes.
  virtual void setFiguresShown(bool shown) = 0;
  [[nodiscard]] virtual bool figuresShown() const = 0;

  // Of the header that is hovered or has the keyboard's focus, else of the selection, else of the lane under
  // the mouse; nothing without any.
  [[nodiscard]] virtual std::optional<TrackKey> currentTrack() const = 0;
  // Of a rank, in the order of display, hidden ones too.
  [[nodiscard]] virtual std::vector<TrackLayout::NamedTrack> tracksOf(RankIndex rank) = 0;
  // Unhides and unfolds it, and scrolls it into sight.
  virtual void revealTrack(const TrackKey& key) = 0;
  // As TimelineChoice::grouping, those that divide the job.
  [[nodiscard]] virtual std::vector<QString> groupings() const = 0;
  // Finds the process groups if that has not been done.
  virtual void prepareGroupings() = 0;
};

} // namespace rankscope::ui
