// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of a picture, laid over lanes that are painted: a label on every span that is wide enough, what
// of a collective waits or is exposed behind it, notes. Texts are laid out once and kept; whoever paints
// another job or at another scale makes new ones. Cost: the spans that are wide enough for a label.
#pragma once

#include "ui/timeline/lanes/lane_picture.h"
#include "ui/timeline/picture/label_cache.h"

#include <QPainter>

namespace rankscope::ui {

class SpanLabels {
 public:
  // scale: device pixels of a logical one.
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
