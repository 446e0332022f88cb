// SPDX-License-Identifier: GPL-3.0-or-later
// The window without anybody before it: draws a picture of it, or measures its frames, and returns the exit
// status of the command line (0 fine, 2 nothing could be read, 1 anything else). Errors go to standard error,
// one line each.
#pragma once

#include "ui/window/main_window.h"
#include "ui/window/screenshot.h"

namespace rankscope::ui {

// What is to be seen.
struct ViewTarget {
  QString tab;                // its id; empty: as it is
  std::optional<TimeNs> from; // after the job's first event
  std::optional<TimeNs> to;
  std::optional<EventQuery> select;
  QStringList actions; // ids of the window's actions, done in this order when all else stands
};

struct OffscreenRun {
  QStringList paths;
  LoadOptions load;
  ViewTarget target;
  QSize size{1920, 1080};
  ThemeChoice theme = ThemeChoice::Dark;
};

// Brings the window to what is to be seen once its traces are open; the reason when it cannot be seen.
[[nodiscard]] std::optional<QString> showTarget(MainWindow& window, const ViewTarget& target);

[[nodiscard]] int savePicture(const OffscreenRun& run, const QString& file);

// Scripted zooms and pans over the timeline, each frame drawn in full; percentiles as JSON on standard
// output.
[[nodiscard]] int benchFrames(const OffscreenRun& run);

// Each tab looked at for the first time: how long that holds the UI thread, as JSON on standard output.
[[nodiscard]] int benchTabs(const OffscreenRun& run);

} // namespace rankscope::ui
