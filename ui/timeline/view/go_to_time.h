// SPDX-License-Identifier: GPL-3.0-or-later
// Going to a time entered as text: "1.234s", "12 ms", "350us", counted from the job's first event. The
// window keeps its length and stands with that time in its middle.
#pragma once

#include "core/base/time_range.h"

#include <QString>

#include <optional>

class QWidget;

namespace rankscope::ui {

class TraceSession;

// Asks for it in the window of this widget.
void askForTime(QWidget& widget, TraceSession& session);

// The window that a text asks for; nothing when it is no time or lies outside the job.
[[nodiscard]] std::optional<TimeRange> windowAtText(const TraceSession& session, const QString& text);

} // namespace rankscope::ui
