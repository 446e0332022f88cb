// SPDX-License-Identifier: GPL-3.0-or-later
// Makes every pinning, hiding and moving of tracks a step of the session's undo stack. It watches the
// session's choice, whoever changes it; what is a matter of looking (folding, colors, filter) is no step. UI
// thread.
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
  std::weak_ptr<const TraceSet> m_trace; // of the job that m_known is about
  bool m_undoing = false;

  friend class ChoiceCommand;
};

} // namespace rankscope::ui
