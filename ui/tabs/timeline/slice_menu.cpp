// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/timeline/slice_menu.h"

#include "core/analysis/operators/operator_tree.h"
#include "core/model/step_names.h"
#include "ui/actions/actions.h"
#include "ui/base/short_name.h"
#include "ui/base/ui_text.h"
#include "ui/details/event_facts.h"
#include "ui/job/event_finder.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/tracks/track_edits.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/widgets/compare_menu.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr qsizetype kTitleLength = 60;

// A menu takes & for a mnemonic.
QString plain(QString text) {
  return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QString shortened(const QString& name) {
  return name.size() > kTitleLength ? name.left(kTitleLength - 1) + QStringLiteral("…") : name;
}

// A search for exactly this name.
QString queryFor(const QString& name) {
  QString quoted = name;
  quoted.replace(QLatin1Char('\\'), QStringLiteral("\\\\")).replace(QLatin1Char('"'), QStringLiteral("\\\""));
  return QStringLiteral("name:=\"%1\"").arg(quoted);
}

void addLinks(QMenu& menu, const SliceMenu& parts, EventRef event) {
  const EventFacts facts = eventFacts(*parts.session.trace(), event);
  auto* links = menu.addMenu(tr("Links"));
  for (const EventLink& link : facts.links) {
    links->addAction(tr("%1: %2").arg(link.key, plain(shortened(link.name))), &parts.session,
                     [&session = parts.session, target = link.target] { session.reveal(target); });
  }
  if (facts.links.empty()) links->setEnabled(false);
}

// Of a step: itself as a side, with the steps around it.
void addStepEntries(QMenu& menu, TraceSession& session, std::string_view name) {
  const auto step = name.starts_with("ProfilerStep") ? stepNameOf(name) : std::nullopt;
  if (!step || step->number < 0) return;
  std::vector<JobPart> others;
  for (const std::int64_t away : {-1, 1, -2, 2, -3, 3}) {
    if (step->number + away >= 0) others.push_back({JobPart::Kind::Step, step->number + away, 0, {}});
  }
  menu.addSeparator();
  addCompareEntries(menu, session, {JobPart::Kind::Step, step->number, 0, {}}, others);
}

} // namespace

QString tabOfEvent(const TraceSet& traces, EventRef event) {
  const RankTrace& trace = *traces.rank(event.rank).trace;
  if (trace.isDeviceEvent(event.event))
    return isDeviceActivity(trace.events.kind[event.event]) ? QStringLiteral("kernels") : QString();
  return isOperator(trace, traces.names(), event.event) ? QStringLiteral("operators") : QString();
}

void fillSliceMenu(QMenu& menu, const SliceMenu& parts, EventRef event) {
  TraceSession& session = parts.session;
  const TraceSet& traces = *session.trace();
  const RankTrace& trace = *traces.rank(event.rank).trace;
  const std::string_view recorded = traces.names()[trace.events.name[event.event]];
  const QString name = QString::fromUtf8(recorded.data(), static_cast<qsizetype>(recorded.size()));
  const TrackIndex track = trace.trackOf(event.event);
  const TrackKey key = keyOf(traces, event.rank, track);
  const auto add = [&](const QString& title, std::function<void()> run) {
    return menu.addAction(title, &session, std::move(run));
  };
  const auto addKnown = [&](const QString& title, const char* id) {
    return add(title, [&actions = parts.actions, id = QString::fromLatin1(id)] { actions.run(id); });
  };
  // Style sheets hide the text of sections.
  menu.addAction(
          plain(shortened(QString::fromStdString(shortName(trace.events.kind[event.event], recorded)))))
      ->setEnabled(false);
  menu.addSeparator();
  add(tr("Fit") + QStringLiteral("\tF"), [&session] {
    session.focusSelection();
    session.focusSelection();
  });
  addLinks(menu, parts, event);
  menu.addSeparator();
  add(tr("Find all calls of this name"), [finder = &parts.finder, showHits = parts.showHits, name] {
    finder->setText(queryFor(name));
    showHits();
  });
  addKnown(tr("Next call of this name") + QStringLiteral("\tShift+]"), "select.nextOfName");
  if (const QString tab = tabOfEvent(traces, event); !tab.isEmpty())
    add(tab == QLatin1String("kernels") ? tr("Show in Kernels") : tr("Show in Operators"),
        [showRows = parts.showRows, tab, name] { showRows(tab, name); });
  menu.addSeparator();
  add(tr("Copy name"), [name] { QGuiApplication::clipboard()->setText(name); });
  addKnown(tr("Copy all details") + QStringLiteral("\tCtrl+C"), "details.copy");
  menu.addSeparator();
  addKnown(tr("Select as range") + QStringLiteral("\tR"), "select.range");
  add(tr("Mark as region") + QStringLiteral("\tM"), [&session, actions = &parts.actions] {
    session.setRange({}); // the slice is meant, not the range
    actions->run(QStringLiteral("regions.mark"));
  });
  menu.addSeparator();
  add((session.choice().isPinned(key) ? tr("Unpin track") : tr("Pin track")) + QStringLiteral("\tP"),
      [&session, key] { togglePinned(session, key); });
  add(tr("Hide track"), [&session, key] { hideTrack(session, key); });
  if (traces.ranks().size() > 1)
    add(tr("Hide this track on all ranks"),
        [&session, rank = event.rank, track] { hideOnAllRanks(session, rank, track); });
  addStepEntries(menu, session, recorded);
}

} // namespace rankscope::ui
