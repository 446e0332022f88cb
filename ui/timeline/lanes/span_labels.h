// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of a picture, drawn over the painted lanes: a label on every span that is wide enough, then waiting
// and exposed times of collectives, and notes. Laid out once and cached; create a new object for another job
// or scale. O(labeled spans).
#pragma once

#include "ui/timeline/lanes/lane_picture.h"
#include "ui/timeline/picture/label_cache.h"

#include <QPainter>

namespace rankscope::ui {

class SpanLabels {
 public:
  // scale: device pixels per logical pixel.
  SpanLabels(const StringTable& names, qreal scale);

  void paint(QPainter& painter, const LanePicture& picture);

 private:
  void paintLane(QPainter& painter, const LanePicture& picture, const LaneSpans& laneSpans);
  void paintCollectiveFacts(QPainter& painter, const LanePicture& picture, EventRef event, QRgb ground,
                            const QRect& room);
  static void paintNotes(QPainter& painter, const LanePicture& picture);

  LabelCache m_labels;     // of operators and kernels
  LabelCache m_tallLabels; // of the taller rows
  TextCache m_facts;       // texts that follow a label
};

} // namespace rankscope::ui
