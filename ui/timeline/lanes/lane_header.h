// SPDX-License-Identifier: GPL-3.0-or-later
// What headers of lanes are painted with, and the looks that several kinds share. UI thread.
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/lanes/lane.h"
#include "ui/timeline/lanes/lane_facts.h"
#include "ui/timeline/picture/label_cache.h"

#include <QPainter>
#include <QRect>

namespace rankscope::ui {

// Logical pixels at the usual size of texts.
inline constexpr int kHeaderArrowLeft = 12;
inline constexpr int kHeaderTextLeft = 30;
inline constexpr int kHeaderRightPadding = 10;
inline constexpr int kHeaderLabelHeight = 16;

// What lasts for one picture of the headers.
struct HeaderPicture {
  QPainter& painter;
  const Theme& theme;
  const LaneFacts& facts;
  EventRef selection;
  TextCache& titles;
  TextCache& denseTitles; // of ranks that stand close
  TextCache& texts;
  bool hovered = false; // the section that is painted now
};

// A triangle that points down when open, right when closed.
void paintFoldMark(QPainter& painter, QColor color, QPointF middle, bool open);
// The label of a track, which stays in sight as long as any of its track does.
void paintTrackLabel(HeaderPicture& picture, const Section& section, const QRect& box, int labelTop);
// The same in the middle of its box.
void paintLabelLine(HeaderPicture& picture, const Section& section, const QRect& line);

} // namespace rankscope::ui
