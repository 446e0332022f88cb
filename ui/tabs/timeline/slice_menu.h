// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of a slice: what can be done with it in the timeline, and where else it is shown. UI
// thread.
#pragma once

#include "core/model/trace_set.h"

#include <QString>

#include <functional>

class QMenu;

namespace rankscope::ui {

class ActionRegistry;
class EventFinder;
class TimelineView;
class TraceSession;

struct SliceMenu {
  TraceSession& session;
  TimelineView& view;
  EventFinder& finder;
  ActionRegistry& actions;
  std::function<void()> showHits;                                         // after a search was started
  std::function<void(const QString& tab, const QString& words)> showRows; // in the table of a tab
};

// REQUIRES: event is selected in the session.
void fillSliceMenu(QMenu& menu, const SliceMenu& parts, EventRef event);

// The tab whose table has a row for this event; empty: none.
[[nodiscard]] QString tabOfEvent(const TraceSet& traces, EventRef event);

} // namespace rankscope::ui
