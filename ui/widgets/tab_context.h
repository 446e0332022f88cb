// SPDX-License-Identifier: GPL-3.0-or-later
// What a tab is made with: the job that it shows, and what of the window it takes part in. All of it outlives
// the tab.
#pragma once

class QSettings;

namespace rankscope::ui {

class ActionRegistry;
class EventFinder;
class SearchField;
class TraceSession;

struct TabContext {
  TraceSession& session;
  EventFinder& finder;
  SearchField& search; // of the title row
  QSettings& settings;
  ActionRegistry& actions;
};

} // namespace rankscope::ui
