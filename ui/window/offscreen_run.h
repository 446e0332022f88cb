// SPDX-License-Identifier: GPL-3.0-or-later
// Offscreen use of the window: writes a screenshot or measures frames, and returns the exit status of the
// command line (0 success, 2 nothing could be read, 1 other errors). Errors go to standard error, one line
// each.
#pragma once

#include "ui/window/main_window.h"
#include "ui/window/screenshot.h"

#include <optional>
#include <vector>

namespace rankscope::ui {

struct RankPlace {
  int rank = 0;
  TimeNs time = 0; // after the job's first event
};

// What the screenshot shows.
struct ViewTarget {
  QString tab;                // its id; empty: the default
  std::optional<TimeNs> from; // after the job's first event
  std::optional<TimeNs> to;
  std::optional<TimeRange> range; // to select, after the job's first event
  std::vector<int> ranks;         // of the range; empty: all
  std::optional<EventQuery> select;
  std::optional<RankPlace> at;
  std::optional<int> finding; // its id in the table of findings: 1, 2, ...
  QStringList actions;        // ids of actions, run in this order at the end
};

struct OffscreenRun {
  QStringList paths;
  std::function<void(MainWindow&)> whenOpen; // once the job is open; may start more work
  LoadOptions load;
  ViewTarget target;
  QSize size{1920, 1080};
  std::optional<ThemeChoice> theme; // else that of the session, else dark
};

// "rank=3,ts=1.2s"; nothing if it is none.
[[nodiscard]] std::optional<RankPlace> rankPlaceFromText(const QString& text);

// Whether showTarget has more to show than a tab.
[[nodiscard]] bool showsPlace(const ViewTarget& target);

// Applies the target to a window with open traces; returns an error if that is not possible.
[[nodiscard]] std::optional<QString> showTarget(MainWindow& window, const ViewTarget& target);

// Opens a finding of the whole job as a click on its card does. REQUIRES: the tables are known.
[[nodiscard]] std::optional<QString> showFinding(MainWindow& window, int id);

[[nodiscard]] int savePicture(const OffscreenRun& run, const QString& file);

// Scripted zooms and pans over the timeline, each frame drawn in full; percentiles as JSON on standard
// output.
[[nodiscard]] int benchFrames(const OffscreenRun& run);

// Time on the UI thread for showing each tab for the first time, as JSON on standard output.
[[nodiscard]] int benchTabs(const OffscreenRun& run);

} // namespace rankscope::ui
