// SPDX-License-Identifier: GPL-3.0-or-later
// Tools for painting lane headers, and looks that several kinds share. UI thread.
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/lanes/lane.h"
#include "ui/timeline/lanes/lane_facts.h"
#include "ui/timeline/picture/label_cache.h"

#include <QPainter>
#include <QRect>

namespace rankscope::ui {

// Logical pixels at the default text size.
inline constexpr int kHeaderArrowLeft = 12;
inline constexpr int kHeaderTextLeft = 30;
inline constexpr int kHeaderRightPadding = 10;
inline constexpr int kHeaderLabelHeight = 16;

// State of painting one picture of the headers.
struct HeaderPicture {
  QPainter& painter;
  const Theme& theme;
  const LaneFacts& facts;
  EventRef selection;
  TextCache& titles;
  TextCache& denseTitles; // of ranks that are close together
  TextCache& texts;
  bool hovered = false; // whether the current section is hovered
};

// A triangle that points down when open, right when closed.
void paintFoldMark(QPainter& painter, QColor color, QPointF middle, bool open);
// A track's label; it stays visible as long as any part of the track is.
void paintTrackLabel(HeaderPicture& picture, const Section& section, const QRect& box, int labelTop);
// The same, vertically centered.
void paintLabelLine(HeaderPicture& picture, const Section& section, const QRect& line);

} // namespace rankscope::ui
