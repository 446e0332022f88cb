// SPDX-License-Identifier: GPL-3.0-or-later
// Regions and notes along the time axis: plates with names in a band under the ruler and edges over the
// lanes; a note has a flag with its text and a line over the lanes. Shorter ones are drawn over longer ones.
// O(regions). UI thread.
#pragma once

#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/job/marks.h"

#include <QPainter>
#include <QRectF>

#include <functional>
#include <optional>

namespace rankscope::ui {

[[nodiscard]] inline int regionBandHeight() {
  return scaledToText(18);
}

// Logical pixel of a time.
using TimeToX = std::function<double(TimeNs)>;

// selected: the session's range, if any.
void paintRegionBand(QPainter& painter, const Theme& theme, const Marks& marks, TimeRange window,
                     std::optional<TimeRange> selected, const TimeToX& xOf, const QRectF& band);
void paintRegionEdges(QPainter& painter, const Theme& theme, const Marks& marks, TimeRange window,
                      const TimeToX& xOf, const QRectF& lanes);
// The region whose plate is at this position.
[[nodiscard]] std::optional<std::size_t> regionAt(const Marks& marks, TimeRange window, const TimeToX& xOf,
                                                  const QRectF& band, QPointF position);
// Name, duration and note.
[[nodiscard]] QString describeRegion(const Region& region);

} // namespace rankscope::ui
