// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/path_actions.h"

#include "ui/actions/actions.h"
#include "ui/base/ui_text.h"
#include "ui/job/path_choice.h"
#include "ui/job/trace_session.h"

#include <algorithm>
#include <vector>

namespace rankscope::ui {
namespace {

constexpr std::size_t kMostOpened = 3;

// Ranks by their time on the path in the visible range, the first ones expanded; the others follow as
// recorded.
void arrangeByPath(TraceSession& session, const TimelinePath& path) {
  struct OnPath {
    RankIndex rank;
    TimeNs time;
  };
  const TraceSet& trace = *session.trace();
  std::vector<OnPath> ranks;
  ranks.reserve(trace.ranks().size());
  for (std::size_t i = 0; i < trace.ranks().size(); ++i)
    ranks.push_back(
        {RankIndex(i), path.onPath(RankIndex(i), session.placeOf(RankIndex(i), session.window()))});
  std::ranges::stable_sort(ranks, std::greater<>(), &OnPath::time);
  session.editChoice([&](TimelineChoice& choice) {
    choice.sort = RankSort::ByHand;
    choice.grouping.clear();
    choice.order.clear();
    choice.order.reserve(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      choice.order.push_back(keyOf(trace, ranks[i].rank));
      choice.open[choice.order.back()] = i < kMostOpened && ranks[i].time > 0;
    }
  });
}

} // namespace

void addPathActions(ActionRegistry& actions, TraceSession& session) {
  PathChoice& path = PathChoice::of(session);
  const auto open = [&session] { return session.trace() != nullptr; };
  actions.add({.id = QStringLiteral("path.show"),
               .group = tr("Highlights"),
               .title = tr("Critical path"),
               .keys = {Qt::Key_C},
               .run = [&path] { path.setShown(!path.shown()); },
               .enabled = open,
               .checked = [&path] { return path.shown(); }});
  actions.add({.id = QStringLiteral("path.only"),
               .group = tr("Highlights"),
               .title = tr("Only the critical path"),
               .keys = {Qt::SHIFT | Qt::Key_C},
               .run = [&path] { path.setOnlyCritical(!path.onlyCritical()); },
               .enabled = open,
               .checked = [&path] { return path.onlyCritical(); }});
  actions.add({.id = QStringLiteral("path.ranks"),
               .group = tr("Highlights"),
               .title = tr("Ranks of the critical path first"),
               .run = [&path, &session] { arrangeByPath(session, *path.path()); },
               .enabled = [&path] { return path.path() && !path.path()->segments().empty(); }});
  const auto addStep = [&](const char* id, const QString& title, Qt::Key key, bool forward) {
    actions.add({.id = QString::fromLatin1(id),
                 .group = tr("Select"),
                 .title = title,
                 .keys = {QKeyCombination(key)},
                 .run = [&path, forward] { path.step(forward); },
                 .enabled = [&path, forward] { return path.canStep(forward); }});
  };
  addStep("path.previous", tr("Segment before on the critical path"), Qt::Key_BracketLeft, false);
  addStep("path.next", tr("Next segment of the critical path"), Qt::Key_BracketRight, true);
}

} // namespace rankscope::ui
