// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of the timeline for actions. Implemented by the view, which can therefore own the actions. UI
// thread.
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

  // Parent of prompts.
  [[nodiscard]] virtual QWidget& widget() = 0;
  [[nodiscard]] virtual const TrackLayout& trackLayout() const = 0;

  [[nodiscard]] virtual ViewMotion& motion() = 0;
  // In shares of the visible height, downwards.
  virtual void scrollPages(double pages) = 0;
  // Selects it and scrolls it into view without expanding ranks.
  virtual void goTo(EventRef event) = 0;
  // The next or the previous hotspot.
  virtual void showPlace(bool next) = 0;
  // Fits the next (1) or previous (-1) step of the rank whose steps are shown; false without steps.
  virtual bool showStep(int direction) = 0;
  // The step at the middle of the window, or the next one; nothing without numbered steps.
  [[nodiscard]] virtual std::optional<std::int64_t> stepShown() const = 0;

  virtual void setRankExpanded(RankIndex rank, bool expanded) = 0;
  virtual void setAllRanksExpanded(bool expanded) = 0;
  // The column of rank figures.
  virtual void setFiguresShown(bool shown) = 0;
  [[nodiscard]] virtual bool figuresShown() const = 0;

  // Of the hovered or focused header, else of the selection, else of the lane under the mouse; nothing
  // without any.
  [[nodiscard]] virtual std::optional<TrackKey> currentTrack() const = 0;
  // Tracks of a rank in display order, including hidden ones.
  [[nodiscard]] virtual std::vector<TrackLayout::NamedTrack> tracksOf(RankIndex rank) = 0;
  // Unhides and expands it, and scrolls it into view.
  virtual void revealTrack(const TrackKey& key) = 0;
  // Possible values of TimelineChoice::grouping for this job.
  [[nodiscard]] virtual std::vector<QString> groupings() const = 0;
  // Computes the process groups if needed.
  virtual void prepareGroupings() = 0;
};

} // namespace rankscope::ui
