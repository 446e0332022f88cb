// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/track_questions.h"

#include "ui/actions/quick_pick.h"
#include "ui/base/capitalized.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/lanes/track_label.h"
#include "ui/timeline/tracks/rank_arrangement.h"
#include "ui/timeline/view/timeline_control.h"

#include <algorithm>
#include <memory>

namespace rankscope::ui {

void askForTrack(TimelineControl& timeline, TraceSession& session) {
  const TraceSet& trace = *session.trace();
  auto items = std::make_shared<std::vector<PickItem>>();
  for (std::size_t i = 0; i < trace.ranks().size(); ++i) {
    const RankIndex rank(i);
    const RankEntry& entry = trace.rank(rank);
    const QString title = rankTitle(trace, rank);
    const auto reveal = [&timeline](const TrackKey& key) {
      return [&timeline, key] { timeline.revealTrack(key); };
    };
    items->push_back({title, QString::fromStdString(entry.host), {}, reveal(keyOf(trace, rank))});
    for (const auto& track : timeline.tracksOf(rank))
      items->push_back({title + QStringLiteral("  ·  ") + track.label,
                        QString::fromStdString(entry.host),
                        {},
                        reveal(track.key)});
  }
  QuickPick::of(timeline.widget())
      .ask(tr("Find a track: rank, thread, stream, counter"),
           [items](const QString& text) { return fittingItems(*items, text); });
}

void askForFilter(TimelineControl& timeline, TraceSession& session) {
  const QString before = session.choice().filter;
  QuickPick::of(timeline.widget())
      .ask(
          tr("Show only tracks with these words, comma-separated"),
          [&timeline, &session](const QString& text) {
            const auto set = [&session](const QString& filter) {
              return [&session, filter] {
                session.editChoice([&](TimelineChoice& choice) { choice.filter = filter; });
              };
            };
            std::vector<PickItem> items;
            if (text.isEmpty()) {
              items.push_back({tr("Show all tracks"), {}, {}, set({})});
              for (const char* words :
                   {"NCCL", "stream", "compute", "GPU busy, memory", "main thread", "launch queue depth"})
                items.push_back({tr("Only tracks with “%1”").arg(QLatin1String(words)),
                                 {},
                                 {},
                                 set(QLatin1String(words))});
              return items;
            }
            std::size_t tracks = 0;
            std::size_t ranks = 0;
            for (std::size_t i = 0; i < session.trace()->ranks().size(); ++i) {
              const auto all = timeline.tracksOf(RankIndex(i));
              const auto fitting = std::ranges::count_if(
                  all, [&](const TrackLayout::NamedTrack& track) { return passesFilter(text, track.label); });
              tracks += static_cast<std::size_t>(fitting);
              ranks += fitting > 0 ? 1 : 0;
            }
            if (tracks == 0)
              return std::vector<PickItem>{{tr("No track name contains “%1”").arg(text), {}, {}, {}}};
            items.push_back({tr("Only tracks with “%1”").arg(text),
                             tr("%1 of %2")
                                 .arg(counted(static_cast<qint64>(tracks), tr("1 track"), tr("%1 tracks")),
                                      counted(static_cast<qint64>(ranks), tr("1 rank"), tr("%1 ranks"))),
                             {},
                             set(text)});
            return items;
          },
          before);
}

void askForGrouping(TimelineControl& timeline, TraceSession& session) {
  const auto set = [&session](const QString& grouping) {
    return [&session, grouping] {
      session.editChoice([&](TimelineChoice& choice) { choice.grouping = grouping; });
    };
  };
  QuickPick::of(timeline.widget()).ask(tr("Group ranks by"), [&timeline, set](const QString& text) {
    std::vector<PickItem> items{{tr("No grouping"), {}, {}, set({})}};
    for (const QString& grouping : timeline.groupings())
      items.push_back({capitalized(groupingTitle(grouping)), {}, {}, set(grouping)});
    return fittingItems(items, text);
  });
}

} // namespace rankscope::ui
