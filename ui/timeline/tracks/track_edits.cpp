// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/tracks/track_edits.h"

#include "ui/actions/quick_pick.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/headers/track_headers.h"
#include "ui/timeline/tracks/rank_arrangement.h"
#include "ui/timeline/view/timeline_view.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMenu>

#include <algorithm>

namespace rankscope::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Tracks", text);
}

void moveBefore(std::vector<TrackKey>& keys, const TrackKey& key, const std::optional<TrackKey>& before) {
  std::erase(keys, key);
  const auto place = before ? std::ranges::find(keys, *before) : keys.end();
  keys.insert(place, key);
}

} // namespace

void togglePinned(TraceSession& session, const TrackKey& key) {
  session.editChoice([&](TimelineChoice& choice) { choice.setPinned(key, !choice.isPinned(key)); });
}

void hideTrack(TraceSession& session, const TrackKey& key) {
  session.editChoice([&](TimelineChoice& choice) { choice.setHidden(key, true); });
}

void movePinned(TraceSession& session, const TrackKey& key, const std::optional<TrackKey>& before) {
  session.editChoice([&](TimelineChoice& choice) { moveBefore(choice.pinned, key, before); });
}

void moveRank(TraceSession& session, std::vector<TrackKey> ranks, const TrackKey& key,
              const std::optional<TrackKey>& before) {
  moveBefore(ranks, key, before);
  session.editChoice([&](TimelineChoice& choice) {
    std::erase_if(choice.order, [](const TrackKey& other) { return other.isRank(); });
    choice.order.insert(choice.order.end(), ranks.begin(), ranks.end());
    choice.sort = RankSort::ByHand;
  });
}

void moveTrack(TraceSession& session, std::vector<TrackKey> tracks, const TrackKey& key,
               const std::optional<TrackKey>& before) {
  moveBefore(tracks, key, before);
  session.editChoice([&](TimelineChoice& choice) {
    std::erase_if(choice.order, [&](const TrackKey& other) {
      return !other.isRank() && other.rank == key.rank && other.capture == key.capture;
    });
    choice.order.insert(choice.order.end(), tracks.begin(), tracks.end());
  });
}

void showTrack(TraceSession& session, TrackLayout& layout, const TrackKey& key) {
  const RankIndex rank = session.trace() ? rankOf(*session.trace(), key) : RankIndex();
  if (!rank.valid()) return;
  session.editChoice([&](TimelineChoice& choice) {
    choice.setHidden(key, false);
    choice.setHidden(keyOf(*session.trace(), rank), false);
    if (key.isRank()) return;
    choice.open[keyOf(*session.trace(), rank)] = true;
  });
  if (!layout.sectionOf(key))
    session.editChoice([&](TimelineChoice& choice) {
      choice.filter.clear();
      choice.open[keyOf(*session.trace(), rank, "more")] = true;
    });
  // Its rank may stand in a group that is folded.
  if (!layout.sectionOf(key))
    session.editChoice([&](TimelineChoice& choice) {
      std::erase_if(choice.open, [](const auto& entry) { return entry.first.rank < 0; });
    });
}

void fillTrackMenu(QMenu& menu, TraceSession& session, const Section& section) {
  const TrackKey key = section.key;
  const TraceSet& trace = *session.trace();
  const bool rank = section.kind == LaneKind::Rank;
  const QString label = rank ? rankTitle(trace, section.rank) : section.label.simplified();
  menu.addSection(label);
  if (section.kind != LaneKind::Group && section.kind != LaneKind::More) {
    const bool pinned = session.choice().isPinned(key);
    QObject::connect(menu.addAction((pinned ? tr("Unpin") : tr("Pin to the top")) + QStringLiteral("\tP")),
                     &QAction::triggered, &session, [&session, key] { togglePinned(session, key); });
    QObject::connect(menu.addAction(tr("Hide") + QStringLiteral("\tH")), &QAction::triggered, &session,
                     [&session, key] { hideTrack(session, key); });
  }
  if (section.kind == LaneKind::Row || section.kind == LaneKind::Queue) {
    QObject::connect(
        menu.addAction(tr("Show only tracks named like this")), &QAction::triggered, &session,
        [&session, label] { session.editChoice([&](TimelineChoice& choice) { choice.filter = label; }); });
  }
  QObject::connect(menu.addAction(tr("Copy its name")), &QAction::triggered, &session,
                   [label] { QGuiApplication::clipboard()->setText(label); });
}

void askForTrack(TimelineView& view, TraceSession& session) {
  const TraceSet& trace = *session.trace();
  auto items = std::make_shared<std::vector<PickItem>>();
  for (std::size_t i = 0; i < trace.ranks().size(); ++i) {
    const RankIndex rank(i);
    const RankEntry& entry = trace.rank(rank);
    const QString title = rankTitle(trace, rank);
    const auto reveal = [&view](const TrackKey& key) { return [&view, key] { view.revealTrack(key); }; };
    items->push_back({title, QString::fromStdString(entry.host), {}, reveal(keyOf(trace, rank))});
    for (const auto& track : view.tracksOf(rank))
      items->push_back({title + QStringLiteral("  ·  ") + track.label,
                        QString::fromStdString(entry.host),
                        {},
                        reveal(track.key)});
  }
  QuickPick::of(view).ask(tr("Find a track: rank, thread, stream, counter"),
                          [items](const QString& text) { return fittingItems(*items, text); });
}

void askForFilter(TimelineView& view, TraceSession& session) {
  const QString before = session.choice().filter;
  QuickPick::of(view).ask(
      tr("Show only tracks with these words; commas between several"),
      [&view, &session](const QString& text) {
        const auto set = [&session](const QString& filter) {
          return [&session, filter] {
            session.editChoice([&](TimelineChoice& choice) { choice.filter = filter; });
          };
        };
        std::vector<PickItem> items;
        if (text.isEmpty()) {
          items.push_back({tr("Show all tracks"), {}, {}, set({})});
          for (const char* words :
               {"NCCL", "stream", "compute", "GPU busy, memory", "main thread", "launches ahead"})
            items.push_back(
                {tr("Only tracks with “%1”").arg(QLatin1String(words)), {}, {}, set(QLatin1String(words))});
          return items;
        }
        std::size_t tracks = 0;
        std::size_t ranks = 0;
        for (std::size_t i = 0; i < session.trace()->ranks().size(); ++i) {
          const auto all = view.tracksOf(RankIndex(i));
          const auto fitting = std::ranges::count_if(
              all, [&](const TrackLayout::NamedTrack& track) { return passesFilter(text, track.label); });
          tracks += static_cast<std::size_t>(fitting);
          ranks += fitting > 0 ? 1 : 0;
        }
        if (tracks == 0)
          return std::vector<PickItem>{{tr("No track has “%1” in its name").arg(text), {}, {}, {}}};
        items.push_back({tr("Only tracks with “%1”").arg(text),
                         tr("%1 tracks of %2 ranks").arg(tracks).arg(ranks),
                         {},
                         set(text)});
        return items;
      },
      before);
}

void askForGrouping(TimelineView& view, TraceSession& session) {
  const auto set = [&session](const QString& grouping) {
    return [&session, grouping] {
      session.editChoice([&](TimelineChoice& choice) { choice.grouping = grouping; });
    };
  };
  QuickPick::of(view).ask(tr("How should ranks stand together?"), [&view, set](const QString& text) {
    std::vector<PickItem> items{{tr("Not grouped"), {}, {}, set({})}};
    for (const QString& grouping : view.groupings())
      items.push_back({tr("Ranks %1").arg(groupingTitle(grouping)), {}, {}, set(grouping)});
    return fittingItems(items, text);
  });
}

} // namespace rankscope::ui
