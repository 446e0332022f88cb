// SPDX-License-Identifier: GPL-3.0-or-later
// Base of lanes that show a counter whose values hold until the next one: in each pixel a band from the
// smallest to the largest value, on top of the area below. Subclasses provide the curve. Painting takes a
// binary search per column.
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

class LevelLanes : public LaneKind {
 public:
  LevelLanes(LaneTraits traits, QColor Theme::*color) : LaneKind(traits), m_color(color) {}

  void prepare(const RankSummaries& summaries, const Lane& lane) const override;
  void paint(LanePicture& picture, const Lane& lane) const override;
  [[nodiscard]] QString textAt(const LaneFacts& facts, const Lane& lane, TimeRange column) const override;

 protected:
  // Null without one. track, number: of the lane or its section.
  [[nodiscard]] virtual const LevelCurve* curveOf(const RankCounters& counters, TrackIndex track,
                                                  std::uint32_t number) const = 0;
  [[nodiscard]] virtual QString nameOf(const RankTrace& trace, const Lane& lane) const = 0;

 private:
  QColor Theme::*m_color;
};

// Formats a counter value: integers exactly, others with six digits.
[[nodiscard]] QString levelText(double value);

} // namespace rankscope::ui
