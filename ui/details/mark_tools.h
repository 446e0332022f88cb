// SPDX-License-Identifier: GPL-3.0-or-later
// Creates and connects the panels and keys of ranges, regions and undo below a timeline. The state is in the
// session. UI thread.
#pragma once

#include "core/base/time_range.h"
#include "ui/job/choice_undo.h"

#include <QObject>

namespace rankscope::ui {

class ActionRegistry;
class BottomPanel;
class FindTools;
class RangePanel;
class RegionsPanel;
class TimelineView;
class TraceSession;

class MarkTools : public QObject {
  Q_OBJECT

 public:
  MarkTools(TraceSession& session, TimelineView& timeline, BottomPanel& bottom, FindTools& find,
            ActionRegistry& actions, QObject* parent = nullptr);

  [[nodiscard]] RangePanel& rangePanel() { return *m_range; }
  [[nodiscard]] RegionsPanel& regionsPanel() { return *m_regions; }

  // Adds a note at this time, or takes the existing one, and edits its text.
  void placeNote(TimeNs time);

 private:
  void addActions(ActionRegistry& actions);
  void addUndo(ActionRegistry& actions);
  void mark(bool keep);
  void addNotes(ActionRegistry& actions);
  [[nodiscard]] TimeNs timeOfInterest() const;
  void removeChosen();
  void showRegionMenu(std::size_t position, QPoint globalPosition);

  TraceSession& m_session;
  TimelineView& m_timeline;
  BottomPanel& m_bottom;
  ChoiceUndo m_choiceUndo;
  RangePanel* m_range;
  RegionsPanel* m_regions;
  int m_regionsAt = 0; // position in the bottom panel
};

} // namespace rankscope::ui
