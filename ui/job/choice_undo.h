// SPDX-License-Identifier: GPL-3.0-or-later
// Makes pinning, hiding and moving of tracks undoable. Watches all changes of the session's choice; view
// changes (collapsing, colors, filter) are not undo steps. UI thread.
#pragma once

#include "ui/job/timeline_choice.h"

#include <QObject>

#include <memory>

namespace rankscope::ui {

class TraceSession;

class ChoiceUndo : public QObject {
  Q_OBJECT

 public:
  explicit ChoiceUndo(TraceSession& session, QObject* parent = nullptr);

 private:
  void choiceChanged();
  void follow();

  TraceSession& m_session;
  TimelineChoice m_known;
  std::weak_ptr<const TraceSet> m_trace; // of the job that m_known belongs to
  bool m_undoing = false;

  friend class ChoiceCommand;
};

} // namespace rankscope::ui
