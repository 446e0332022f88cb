// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/highlight_actions.h"

#include "ui/actions/actions.h"
#include "ui/base/ui_text.h"
#include "ui/job/job_highlights.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/view/timeline_control.h"

namespace rankscope::ui {

void addHighlightActions(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session) {
  const QString group = tr("Highlights");
  const auto any = [&session] { return session.highlights() && !session.highlights()->places().empty(); };
  actions.add({.id = QStringLiteral("highlights.next"),
               .group = group,
               .title = tr("Next hotspot"),
               .keys = {Qt::Key_N},
               .run = [&timeline] { timeline.showPlace(true); },
               .enabled = any});
  actions.add({.id = QStringLiteral("highlights.previous"),
               .group = group,
               .title = tr("Previous hotspot"),
               .keys = {Qt::SHIFT | Qt::Key_N},
               .run = [&timeline] { timeline.showPlace(false); },
               .enabled = any});
  const auto collective = [&session] {
    return session.highlights() && session.highlights()->instanceOf(session.selection());
  };
  const auto addWalk = [&](const char* id, const QString& title, QKeyCombination key, auto&& where) {
    actions.add({.id = QString::fromLatin1(id),
                 .group = tr("Select"),
                 .title = title,
                 .keys = {key},
                 .run = [&timeline, &session,
                         where] { timeline.goTo(where(*session.highlights(), session.selection())); },
                 .enabled = collective});
  };
  using Highlights = const JobHighlights&;
  addWalk("collective.nextRank", tr("Same collective on the next rank"), Qt::Key_Tab,
          [](Highlights known, EventRef event) { return known.onOtherRank(event, true); });
  addWalk("collective.previousRank", tr("Same collective on the previous rank"), Qt::SHIFT | Qt::Key_Tab,
          [](Highlights known, EventRef event) { return known.onOtherRank(event, false); });
  addWalk("collective.next", tr("Next collective of the same group"), Qt::Key_I,
          [](Highlights known, EventRef event) { return known.ofSameGroup(event, true); });
  addWalk("collective.previous", tr("Previous collective of the same group"), Qt::SHIFT | Qt::Key_I,
          [](Highlights known, EventRef event) { return known.ofSameGroup(event, false); });
  const auto addSwitch = [&](const char* id, const QString& title, bool HighlightOptions::*option) {
    actions.add({.id = QString::fromLatin1(id),
                 .group = group,
                 .title = title,
                 .run =
                     [&session, option] {
                       HighlightOptions options = session.highlightOptions();
                       options.*option = !(options.*option);
                       session.setHighlightOptions(options);
                     },
                 .checked = [&session, option] { return session.highlightOptions().*option; }});
  };
  actions.add({.id = QStringLiteral("highlights.figures"),
               .group = group,
               .title = tr("Rank metrics column"),
               .run = [&timeline] { timeline.setFiguresShown(!timeline.figuresShown()); },
               .checked = [&timeline] { return timeline.figuresShown(); }});
  actions.add({.id = QStringLiteral("highlights.allOn"),
               .group = group,
               .title = tr("All highlights on"),
               .run = [&session] { session.setHighlightOptions(HighlightOptions()); },
               .enabled = [&session] { return session.highlightOptions() != HighlightOptions(); }});
  addSwitch("highlights.idle", tr("Idle gaps"), &HighlightOptions::idle);
  addSwitch("highlights.exposed", tr("Exposed communication"), &HighlightOptions::exposed);
  addSwitch("highlights.waits", tr("Waiting in collectives"), &HighlightOptions::waits);
  addSwitch("highlights.stragglers", tr("Stragglers"), &HighlightOptions::stragglers);
  addSwitch("highlights.links", tr("Links of the selection"), &HighlightOptions::links);
}

} // namespace rankscope::ui
