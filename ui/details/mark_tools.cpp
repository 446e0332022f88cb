// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/mark_tools.h"

#include "ui/actions/actions.h"
#include "ui/base/short_name.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/find_tools.h"
#include "ui/details/range_panel.h"
#include "ui/details/regions_panel.h"
#include "ui/details/search_panel.h"
#include "ui/job/event_finder.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/tracks/range_tracks.h"
#include "ui/timeline/view/timeline_view.h"

#include <QMenu>
#include <QPixmap>
#include <QUndoStack>

#include <utility>

namespace rankscope::ui {

MarkTools::MarkTools(TraceSession& session, TimelineView& timeline, BottomPanel& bottom, FindTools& find,
                     ActionRegistry& actions, QObject* parent)
    : QObject(parent), m_session(session), m_timeline(timeline), m_bottom(bottom), m_choiceUndo(session),
      m_range(new RangePanel(session)), m_regions(new RegionsPanel(session)) {
  const int rangeAt = bottom.addPanel(tr("Range"), m_range);
  m_regionsAt = bottom.addPanel(tr("Regions"), m_regions);
  connect(&session, &TraceSession::rangeChanged, this, [this, rangeAt] {
    if (m_session.range() && m_bottom.current() != m_regionsAt) m_bottom.followTo(rangeAt);
  });
  connect(&find.panel(), &SearchPanel::statisticsWanted, this, [this, &find, rangeAt] {
    m_range->showHits(find.finder().hits(), find.finder().text());
    m_bottom.showPanel(rangeAt);
  });
  connect(&timeline.ruler(), &TimeRuler::noteWanted, this, &MarkTools::placeNote);
  connect(&timeline.ruler(), &TimeRuler::regionMenuWanted, this, &MarkTools::showRegionMenu);
  addActions(actions);
  addNotes(actions);
  addUndo(actions);
}

// Marks the range, or else the selected slice, as a region; a temporary one becomes permanent.
void MarkTools::mark(bool keep) {
  const EventRef selection = m_session.selection();
  const TraceSet& traces = *m_session.trace();
  Marks& marks = m_session.marks();
  Region region;
  region.saved = keep;
  region.name = marks.freeName();
  if (const auto range = m_session.range()) {
    region.range = m_session.recorded(*range);
    region.tracks = markedTracks(traces, m_session.rangeTracks());
  } else {
    region.range = m_session.recorded(m_session.rangeOf(selection));
    if (region.range.empty()) ++region.range.end;
    region.tracks = markedTracks(traces, trackOfEvent(traces, selection));
    const EventColumns& events = traces.rank(selection.rank).trace->events;
    region.name = QString::fromStdString(
        shortName(events.kind[selection.event], traces.names()[events.name[selection.event]]));
  }
  if (const auto known = marks.find(region.range)) {
    Region saved = marks.regions()[*known];
    saved.saved = saved.saved || keep;
    marks.change(*known, saved);
  } else {
    marks.add(region);
  }
  if (!keep) return;
  m_bottom.showPanel(m_regionsAt);
  if (const auto position = marks.find(region.range)) m_regions->editNote(*position);
}

void MarkTools::addActions(ActionRegistry& actions) {
  const QString group = tr("Regions");
  const auto markable = [this] {
    return m_session.trace() && (m_session.range() || m_session.selection().valid());
  };
  const auto known = [this] {
    const Marks& marks = m_session.marks();
    return marks.chosenNote() || (m_session.range() && marks.find(m_session.recorded(*m_session.range())));
  };
  actions.add({.id = QStringLiteral("regions.mark"),
               .group = group,
               .title = tr("Mark the range or slice as a temporary region"),
               .keys = {Qt::Key_M},
               .run = [this] { mark(false); },
               .enabled = markable});
  actions.add({.id = QStringLiteral("regions.keep"),
               .group = group,
               .title = tr("Mark the range or slice as a saved region with a note"),
               .keys = {Qt::SHIFT | Qt::Key_M},
               .run = [this] { mark(true); },
               .enabled = markable});
  actions.add({.id = QStringLiteral("regions.remove"),
               .group = group,
               .title = tr("Remove the region of this range, or the note"),
               .keys = {Qt::Key_Delete},
               .run = [this] { removeChosen(); },
               .enabled = known,
               .pointer = tr("click its name in the ruler first")});
}

void MarkTools::addNotes(ActionRegistry& actions) {
  actions.add({.id = QStringLiteral("regions.note"),
               .group = tr("Regions"),
               .title = tr("Add a note at the mouse position or to the slice"),
               .keys = {Qt::Key_T},
               .run = [this] { placeNote(timeOfInterest()); },
               .enabled = [this] { return m_session.trace() && !m_session.window().empty(); },
               .pointer = tr("click the lower edge of the time ruler")});
}

TimeNs MarkTools::timeOfInterest() const {
  if (const auto time = m_timeline.ruler().cursorTime()) return *time;
  if (m_session.selection().valid()) return m_session.rangeOf(m_session.selection()).begin;
  return m_session.window().begin + m_session.window().length() / 2;
}

void MarkTools::placeNote(TimeNs time) {
  Marks& marks = m_session.marks();
  Region note;
  time = m_session.recorded(time);
  note.range = {time, time};
  note.saved = true;
  if (!marks.find(note.range)) {
    note.name = marks.freeName(true);
    marks.add(note);
  }
  const auto position = marks.find(note.range);
  if (!position) return;
  m_session.setRange({});
  marks.chooseNote(*position);
  m_bottom.showPanel(m_regionsAt);
  m_regions->editName(*position);
}

void MarkTools::removeChosen() {
  Marks& marks = m_session.marks();
  if (const auto note = marks.chosenNote())
    marks.remove(*note);
  else if (const auto region = marks.find(m_session.recorded(*m_session.range())))
    marks.remove(*region);
}

void MarkTools::showRegionMenu(std::size_t position, QPoint globalPosition) {
  Marks& marks = m_session.marks();
  auto* const menu = new QMenu(&m_bottom);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setObjectName(QStringLiteral("regionMenu"));
  menu->addAction(tr("Rename …"), this, [this, position] {
    m_bottom.showPanel(m_regionsAt);
    m_regions->editName(position);
  });
  QMenu* const colors = menu->addMenu(tr("Color"));
  for (int i = 0; i < kMarkColors; ++i) {
    QPixmap swatch(12, 12);
    swatch.fill(markColor(m_session.theme(), i));
    colors->addAction(QIcon(swatch), markColorName(i), this, [&marks, position, i] {
      if (position >= marks.regions().size()) return;
      Region region = marks.regions()[position];
      region.color = i;
      marks.change(position, region);
    });
  }
  menu->addAction(tr("Remove"), this, [&marks, position] { marks.remove(position); });
  menu->popup(globalPosition);
}

void MarkTools::addUndo(ActionRegistry& actions) {
  const QString group = tr("Regions");
  actions.add({.id = QStringLiteral("edit.undo"),
               .group = group,
               .title = tr("Undo"),
               .keys = {Qt::CTRL | Qt::Key_Z},
               .scope = KeyScope::Window,
               .run = [this] { m_session.undoStack().undo(); },
               .enabled = [this] { return m_session.undoStack().canUndo(); }});
  actions.add({.id = QStringLiteral("edit.redo"),
               .group = group,
               .title = tr("Redo"),
               .keys = {Qt::CTRL | Qt::SHIFT | Qt::Key_Z, Qt::CTRL | Qt::Key_Y},
               .scope = KeyScope::Window,
               .run = [this] { m_session.undoStack().redo(); },
               .enabled = [this] { return m_session.undoStack().canRedo(); }});
}

} // namespace rankscope::ui
