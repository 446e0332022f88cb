// SPDX-License-Identifier: GPL-3.0-or-later
// Search, put under a timeline: its panel, the marks of its hits and its keys, around the field of the title
// row. It makes and connects them and keeps no state of its own. UI thread.
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

 private:
  void addActions(ActionRegistry& actions);

  EventFinder& m_finder;
  SearchField& m_field;
  SearchPanel* m_panel;
};

} // namespace rankscope::ui
