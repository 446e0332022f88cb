// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/choice_undo.h"

#include "ui/job/trace_session.h"

#include <QUndoStack>

#include <tuple>
#include <utility>

namespace rankscope::ui {
namespace {

auto arrangement(const TimelineChoice& choice) {
  return std::tie(choice.pinned, choice.hidden, choice.order, choice.sort, choice.grouping);
}

} // namespace

// Restores only the arrangement: later collapsing and coloring stays.
class ChoiceCommand : public QUndoCommand {
 public:
  ChoiceCommand(ChoiceUndo& owner, const QString& what, TimelineChoice before, TimelineChoice after)
      : QUndoCommand(what), m_owner(owner), m_before(std::move(before)), m_after(std::move(after)) {}

  void undo() override { arrange(m_before); }
  void redo() override { arrange(m_after); }

 private:
  void arrange(const TimelineChoice& like) {
    if (arrangement(m_owner.m_session.choice()) == arrangement(like)) return;
    m_owner.m_undoing = true;
    m_owner.m_session.editChoice([&](TimelineChoice& choice) {
      choice.pinned = like.pinned;
      choice.hidden = like.hidden;
      choice.order = like.order;
      choice.sort = like.sort;
      choice.grouping = like.grouping;
    });
    m_owner.m_undoing = false;
  }

  ChoiceUndo& m_owner;
  TimelineChoice m_before;
  TimelineChoice m_after;
};

ChoiceUndo::ChoiceUndo(TraceSession& session, QObject* parent) : QObject(parent), m_session(session) {
  connect(&session, &TraceSession::choiceChanged, this, &ChoiceUndo::choiceChanged);
  connect(&session, &TraceSession::traceChanged, this, &ChoiceUndo::follow);
  follow();
}

void ChoiceUndo::follow() {
  m_known = m_session.choice();
  m_trace = m_session.trace();
}

void ChoiceUndo::choiceChanged() {
  const TimelineChoice before = std::exchange(m_known, m_session.choice());
  // A newly opened job brings its own choice.
  if (m_undoing || !m_session.trace() || m_trace.lock() != m_session.trace()) return;
  if (arrangement(before) == arrangement(m_known)) return;
  const QString what = before.pinned != m_known.pinned   ? tr("pinned tracks")
                       : before.hidden != m_known.hidden ? tr("hidden tracks")
                                                         : tr("track order");
  m_session.undoStack().push(new ChoiceCommand(*this, what, before, m_known));
}

} // namespace rankscope::ui
