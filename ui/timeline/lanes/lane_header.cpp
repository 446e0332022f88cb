// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/lane_header.h"

#include "ui/base/text_scale.h"

#include <QPainterPath>

#include <algorithm>

namespace rankscope::ui {

void paintFoldMark(QPainter& painter, QColor color, QPointF middle, bool open) {
  QPainterPath path;
  const double r = 0.036 * std::min(scaledToText(100), 160); // more has no room
  if (open) {
    path.moveTo(middle + QPointF(-r, -r * 0.6));
    path.lineTo(middle + QPointF(r, -r * 0.6));
    path.lineTo(middle + QPointF(0, r * 0.8));
  } else {
    path.moveTo(middle + QPointF(-r * 0.6, -r));
    path.lineTo(middle + QPointF(-r * 0.6, r));
    path.lineTo(middle + QPointF(r * 0.8, 0));
  }
  path.closeSubpath();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillPath(path, color);
  painter.restore();
}

void paintTrackLabel(HeaderPicture& picture, const Section& section, const QRect& box, int labelTop) {
  if (picture.hovered) picture.painter.fillRect(box, picture.theme.panel);
  // On tall tracks the label is at the first row, where the labeled content begins.
  paintLabelLine(picture, section,
                 {kHeaderTextLeft, labelTop + 1, box.width() - kHeaderTextLeft - kHeaderRightPadding,
                  std::min(box.height(), scaledToText(kHeaderLabelHeight))});
}

void paintLabelLine(HeaderPicture& picture, const Section& section, const QRect& line) {
  const Theme& theme = picture.theme;
  picture.painter.setPen(picture.hovered ? theme.text : theme.muted);
  if (section.foldable)
    paintFoldMark(picture.painter, picture.hovered ? theme.text : theme.faint,
                  {kHeaderTextLeft - 9.0, line.center().y() + 0.5}, !section.folded);
  picture.texts.draw(picture.painter, line, picture.texts.elided(section.label, line.width()));
}

} // namespace rankscope::ui
