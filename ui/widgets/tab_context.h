// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments for creating a tab: the job, and the parts of the window that it uses. All outlive the tab.
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
