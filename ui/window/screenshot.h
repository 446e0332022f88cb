// SPDX-License-Identifier: GPL-3.0-or-later
// Screenshots of the window in any size, and the command line syntax for their content.
#pragma once

#include "core/base/result.h"
#include "core/model/trace_set.h"

#include <QImage>
#include <QSize>
#include <QString>

#include <optional>

class QWidget;

namespace rankscope::ui {

// Renders the widget in that size, one image pixel per logical pixel; an empty size means its own at screen
// resolution. The widget keeps its size.
[[nodiscard]] QImage picture(QWidget& content, QSize size = {});

inline constexpr int kMinPictureSize = 200;
inline constexpr int kMaxPictureSize = 16384;

// "1920x1080"; each side kMinPictureSize to kMaxPictureSize.
[[nodiscard]] std::optional<QSize> sizeFromText(const QString& text);

// "1.234s", "12ms", "350us", "10ns" (decimals allowed, exact to the nanosecond), not negative.
[[nodiscard]] std::optional<TimeNs> timeFromText(const QString& text);

// "rank=3,name=ncclAllReduce": an event to select.
struct EventQuery {
  std::optional<int> rank;
  QString name;
};
[[nodiscard]] std::optional<EventQuery> eventQueryFromText(const QString& text);

// The first event by (rank, begin) within the range whose name equals the query, or else contains it;
// device events are preferred. Invalid if there is none.
[[nodiscard]] EventRef findEvent(const TraceSet& traces, const EventQuery& query, TimeRange within);

} // namespace rankscope::ui
