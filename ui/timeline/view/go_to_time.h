// SPDX-License-Identifier: GPL-3.0-or-later
// Goes to a time entered as text: "1.234s", "12 ms", "350us" after the job's first event. The window keeps
// its length and is centered at that time.
#pragma once

#include "core/base/time_range.h"

#include <QString>

#include <optional>

class QWidget;

namespace rankscope::ui {

class TraceSession;

// Asks for the time in the window of this widget.
void askForTime(QWidget& widget, TraceSession& session);

// The window for a text; nothing if it is not a time or outside of the job.
[[nodiscard]] std::optional<TimeRange> windowAtText(const TraceSession& session, const QString& text);

} // namespace rankscope::ui
