// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the flame graph of an open window: how long a frame takes while it is zoomed and panned, of the
// job's stacks and of a made tree of a million nodes, and how long a selected range takes until it is weighed
// and shown. UI thread.
#pragma once

#include <QJsonObject>

namespace rankscope::ui {

class MainWindow;

// REQUIRES: a job is open and settled.
[[nodiscard]] QJsonObject stacksBench(MainWindow& window);

} // namespace rankscope::ui
