// SPDX-License-Identifier: GPL-3.0-or-later
// Creates and connects the search panel, its keys and the marks of hits below a timeline, for the field of
// the title bar. No state of its own. UI thread.
#pragma once

#include <QObject>

namespace rankscope::ui {

class ActionRegistry;
class BottomPanel;
class EventFinder;
class SearchField;
class SearchPanel;
class TimelineView;
class TraceSession;

class FindTools : public QObject {
  Q_OBJECT

 public:
  FindTools(TraceSession& session, EventFinder& finder, SearchField& field, TimelineView& timeline,
            BottomPanel& bottom, ActionRegistry& actions, QObject* parent = nullptr);

  [[nodiscard]] EventFinder& finder() { return m_finder; }
  [[nodiscard]] SearchPanel& panel() { return *m_panel; }
  // Shows the hits in the bottom panel.
  void showPanel();

 private:
  void addActions(ActionRegistry& actions);

  EventFinder& m_finder;
  SearchField& m_field;
  BottomPanel& m_bottom;
  SearchPanel* m_panel;
  int m_position;
};

} // namespace rankscope::ui
