// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/timeline_actions.h"

#include "ui/actions/actions.h"
#include "ui/base/ui_text.h"
#include "ui/job/link_choice.h"
#include "ui/job/path_choice.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/view/go_to_time.h"
#include "ui/timeline/view/selection_walk.h"
#include "ui/timeline/view/timeline_control.h"

#include <utility>

namespace rankscope::ui {
namespace {

void addMoves(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session) {
  const QString group = tr("Move");
  const auto open = [&session] { return session.trace() != nullptr; };
  using Direction = ViewMotion::Direction;
  const auto held = [&](const char* id, const QString& title, Direction direction,
                        std::vector<QKeyCombination> keys, const QString& pointer) {
    actions.add({.id = QString::fromLatin1(id),
                 .group = group,
                 .title = title,
                 .keys = std::move(keys),
                 .run = [&timeline, direction] { timeline.motion().press(direction); },
                 .release = [&timeline, direction] { timeline.motion().release(direction); },
                 .pointer = pointer});
  };
  held("move.zoomIn", tr("Zoom in at the mouse"), Direction::ZoomIn, {Qt::Key_W, Qt::Key_Plus, Qt::Key_Equal},
       tr("wheel up, pinch"));
  held("move.zoomOut", tr("Zoom out at the mouse"), Direction::ZoomOut, {Qt::Key_S, Qt::Key_Minus},
       tr("wheel down, pinch"));
  held("move.left", tr("Move left"), Direction::Left, {Qt::Key_A}, tr("drag, Shift+wheel"));
  held("move.right", tr("Move right"), Direction::Right, {Qt::Key_D}, tr("drag, Shift+wheel"));
  const auto add = [&](const char* id, const QString& title, std::vector<QKeyCombination> keys,
                       std::function<void()> run, std::function<bool()> enabled,
                       const QString& pointer = {}) {
    actions.add({.id = QString::fromLatin1(id),
                 .group = group,
                 .title = title,
                 .keys = std::move(keys),
                 .run = std::move(run),
                 .enabled = std::move(enabled),
                 .pointer = pointer});
  };
  add(
      "move.pageUp", tr("Scroll the tracks up"), {Qt::Key_PageUp},
      [&timeline] { timeline.scrollPages(-0.8); }, open, tr("wheel over the headers"));
  add(
      "move.pageDown", tr("Scroll the tracks down"), {Qt::Key_PageDown},
      [&timeline] { timeline.scrollPages(0.8); }, open, tr("wheel over the headers"));
  add(
      "move.focus", tr("Center the selection, then fit it"), {Qt::Key_F},
      [&session] { session.focusSelection(); }, open, tr("double-click"));
  add(
      "move.fitAll", tr("Fit the whole trace"), {Qt::Key_Home, Qt::Key_0}, [&session] { session.fitAll(); },
      open, tr("double-click the overview"));
  add(
      "move.back", tr("Previous view"), {Qt::Key_Backspace, Qt::ALT | Qt::Key_Left},
      [&session] { session.back(); }, [&session] { return session.canGoBack(); });
  add(
      "move.forward", tr("Next view"), {Qt::ALT | Qt::Key_Right}, [&session] { session.forward(); },
      [&session] { return session.canGoForward(); });
  add(
      "move.goToTime", tr("Go to time …"), {Qt::CTRL | Qt::Key_G},
      [&timeline, &session] { askForTime(timeline.widget(), session); }, open);
}

void addLinks(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session) {
  const auto add = [&](const char* id, const QString& title, QKeyCombination key, std::function<void()> run,
                       std::size_t least, bool forward) {
    actions.add({.id = QString::fromLatin1(id),
                 .group = tr("Select"),
                 .title = title,
                 .keys = {key},
                 .run = std::move(run),
                 .enabled = [&session, least, forward] { return session.links().count(forward) >= least; }});
  };
  // While a segment of the critical path is selected, the same keys walk along the path: see addPathActions.
  const auto follow = [&timeline, &session](bool forward) {
    return [&timeline, &session, forward] { timeline.goTo(session.links().target(forward)); };
  };
  const auto choose = [&session](bool forward) {
    return [&session, forward] { session.links().chooseNext(forward); };
  };
  add("select.linkBackward", tr("Follow link to the cause"), Qt::Key_BracketLeft, follow(false), 1, false);
  add("select.linkForward", tr("Follow link to the effect"), Qt::Key_BracketRight, follow(true), 1, true);
  add("select.chooseLinkBackward", tr("Choose another link to the cause"), Qt::CTRL | Qt::Key_BracketLeft,
      choose(false), 2, false);
  add("select.chooseLinkForward", tr("Choose another link to the effect"), Qt::CTRL | Qt::Key_BracketRight,
      choose(true), 2, true);
}

void addSelecting(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session) {
  const QString group = tr("Select");
  const auto selected = [&session] { return session.selection().valid(); };
  const auto walk = [&](const char* id, const QString& title, Walk way, std::vector<QKeyCombination> keys) {
    actions.add({.id = QString::fromLatin1(id),
                 .group = group,
                 .title = title,
                 .keys = std::move(keys),
                 .run = [&timeline, &session,
                         way] { timeline.goTo(walked(*session.trace(), session.selection(), way)); },
                 .enabled = selected});
  };
  walk("select.next", tr("Next slice in the row"), Walk::Next, {Qt::Key_Period, Qt::Key_Right});
  walk("select.previous", tr("Previous slice in the row"), Walk::Previous, {Qt::Key_Comma, Qt::Key_Left});
  walk("select.parent", tr("Parent slice"), Walk::Parent, {Qt::Key_Up});
  walk("select.child", tr("First child slice"), Walk::Child, {Qt::Key_Down});
  addLinks(actions, timeline, session);
  walk("select.previousOfName", tr("Previous slice of the same name"), Walk::PreviousOfName,
       {Qt::SHIFT | Qt::Key_BracketLeft});
  walk("select.nextOfName", tr("Next slice of the same name"), Walk::NextOfName,
       {Qt::SHIFT | Qt::Key_BracketRight});
  actions.add({.id = QStringLiteral("select.range"),
               .group = group,
               .title = tr("Range of the selected slice"),
               .keys = {Qt::Key_R},
               .run = [&session] { session.setRange(session.rangeOf(session.selection())); },
               .enabled = selected,
               .pointer = tr("Shift+drag")});
  actions.add({.id = QStringLiteral("select.all"),
               .group = group,
               .title = tr("Range of the whole trace"),
               .keys = {Qt::CTRL | Qt::Key_A},
               .run = [&session] { session.setRange(session.extentShown()); },
               .enabled = [&session] { return session.trace() != nullptr; }});
  actions.add({.id = QStringLiteral("select.none"),
               .group = group,
               .title = tr("Deselect"),
               .keys = {Qt::Key_Escape},
               .run =
                   [&session] {
                     session.select({});
                     PathChoice::of(session).select({});
                     session.selectGap({});
                     session.setRange({});
                   },
               .enabled =
                   [&session] {
                     return session.selection().valid() || session.gap() || session.range() ||
                            session.marks().chosenNote() || PathChoice::of(session).selected();
                   },
               .pointer = tr("click outside slices")});
}

void addTracks(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session) {
  const QString group = tr("Tracks");
  const auto& layout = timeline.trackLayout();
  actions.add({.id = QStringLiteral("tracks.foldRank"),
               .group = group,
               .title = tr("Collapse or expand the selected rank"),
               .keys = {Qt::Key_Space},
               .run =
                   [&timeline, &session, &layout] {
                     const RankIndex rank = session.selection().rank;
                     timeline.setRankExpanded(rank, !layout.rankExpanded(rank));
                   },
               .enabled = [&session] { return session.selection().valid(); },
               .pointer = tr("click on its header")});
  actions.add(
      {.id = QStringLiteral("tracks.foldAll"),
       .group = group,
       .title = tr("Collapse or expand all ranks"),
       .keys = {Qt::SHIFT | Qt::Key_Space},
       .run = [&timeline, &layout] { timeline.setAllRanksExpanded(!layout.rankExpanded(RankIndex(0))); },
       .enabled = [&session] { return session.trace() && !session.trace()->ranks().empty(); }});
}

} // namespace

void addTimelineActions(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session) {
  addMoves(actions, timeline, session);
  addSelecting(actions, timeline, session);
  addTracks(actions, timeline, session);
}

} // namespace rankscope::ui
