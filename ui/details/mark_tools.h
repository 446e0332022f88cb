// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges, regions, undo and sessions, put into a window: their panels, keys and files. It makes and connects
// them; what is marked lives in the session. UI thread.
#pragma once

#include "ui/job/choice_undo.h"
#include "ui/job/session_keeper.h"

#include <QObject>

#include <optional>

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
  [[nodiscard]] SessionKeeper& keeper() { return m_keeper; }

  // What is to be opened when this is: a session file stands for its traces, and is shown once they are open.
  // Everything else stands for itself.
  [[nodiscard]] Result<QStringList> tracesOf(const QStringList& paths);
  // A job of these traces was read; what was kept of it is shown once it is on its clock.
  void jobOpened(const QStringList& traces) { m_traces = traces; }
  // Puts a note at this time, or takes the one that is there, and asks for its text.
  void placeNote(TimeNs time);
  // The open job is on its clock; also when it is put on another one.
  void jobReady();

 signals:
  // Of a session file that was opened: "dark" or "light".
  void themeWanted(const QString& theme);
  void failed(const QString& title, const QString& reason);

 private:
  void addActions(ActionRegistry& actions);
  void addUndo(ActionRegistry& actions);
  void mark(bool keep);
  void addNotes(ActionRegistry& actions);
  [[nodiscard]] TimeNs timeOfInterest() const;
  void removeChosen();
  void showRegionMenu(std::size_t position, QPoint globalPosition);
  void saveAs();

  TraceSession& m_session;
  TimelineView& m_timeline;
  BottomPanel& m_bottom;
  SessionKeeper m_keeper;
  ChoiceUndo m_choiceUndo;
  RangePanel* m_range;
  RegionsPanel* m_regions;
  int m_regionsAt = 0;                  // position in the bottom panel
  QStringList m_traces;                 // of a job that was read and is not on its clock yet
  std::optional<SessionState> m_opened; // a session file whose traces are being opened
};

} // namespace rankscope::ui
