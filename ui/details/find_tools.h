// SPDX-License-Identifier: GPL-3.0-or-later
// Search as a whole, put into a window: field, panel, marks and keys around one EventFinder. It makes and
// connects them and keeps no state of its own. UI thread.
#pragma once

#include "ui/job/event_finder.h"

#include <QObject>

namespace rankscope::ui {

class ActionRegistry;
class BottomPanel;
class SearchField;
class SearchPanel;
class TimelineView;
class TraceSession;

class FindTools : public QObject {
  Q_OBJECT

 public:
  FindTools(TraceSession& session, TimelineView& timeline, BottomPanel& bottom, ActionRegistry& actions,
            QObject* parent = nullptr);

  [[nodiscard]] EventFinder& finder() { return m_finder; }
  // Belongs to whoever places it: the window puts it into the title row.
  [[nodiscard]] SearchField& field() { return *m_field; }
  [[nodiscard]] SearchPanel& panel() { return *m_panel; }

 signals:
  // The timeline should be in sight.
  void timelineWanted();

 private:
  void addActions(ActionRegistry& actions);

  EventFinder m_finder;
  SearchField* m_field;
  SearchPanel* m_panel;
};

} // namespace rankscope::ui
