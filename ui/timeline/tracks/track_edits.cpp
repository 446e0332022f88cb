// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/tracks/track_edits.h"

#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/lanes/track_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

#include <algorithm>
#include <map>
#include <utility>

namespace rankscope::ui {
namespace {

void moveBefore(std::vector<TrackKey>& keys, const TrackKey& key, const std::optional<TrackKey>& before) {
  std::erase(keys, key);
  const auto place = before ? std::ranges::find(keys, *before) : keys.end();
  keys.insert(place, key);
}

// What a track is called on every rank: numbers of threads differ between ranks, numbers of streams do not.
struct TrackName {
  TrackKind kind;
  QString label;
  int number; // among those with the same label

  bool operator==(const TrackName&) const = default;
};

// By track.
std::vector<TrackName> namesOf(const TraceSet& traces, RankIndex rank) {
  const RankTrace& trace = *traces.rank(rank).trace;
  std::vector<TrackName> names;
  names.reserve(trace.tracks.size());
  std::map<std::pair<TrackKind, QString>, int> counts;
  for (const Track& track : trace.tracks) {
    QString label = trackLabel(trace, traces.names(), track, true);
    if (track.kind != TrackKind::Stream && track.kind != TrackKind::GpuAnnotations &&
        track.kind != TrackKind::Sync)
      label = label.remove(QString::fromStdString(track.thread)).simplified();
    const int number = counts[{track.kind, label}]++;
    names.push_back({track.kind, std::move(label), number});
  }
  return names;
}

} // namespace

void togglePinned(TraceSession& session, const TrackKey& key) {
  session.editChoice([&](TimelineChoice& choice) { choice.setPinned(key, !choice.isPinned(key)); });
}

void hideTrack(TraceSession& session, const TrackKey& key) {
  session.editChoice([&](TimelineChoice& choice) { choice.setHidden(key, true); });
}

void hideOnAllRanks(TraceSession& session, RankIndex rank, TrackIndex track) {
  const TraceSet& traces = *session.trace();
  const TrackName wanted = namesOf(traces, rank)[track.value];
  std::vector<TrackKey> keys;
  for (std::size_t i = 0; i < traces.ranks().size(); ++i) {
    const std::vector<TrackName> names = namesOf(traces, RankIndex(i));
    const auto same = std::ranges::find(names, wanted);
    if (same != names.end())
      keys.push_back(keyOf(traces, RankIndex(i), TrackIndex(static_cast<std::size_t>(same - names.begin()))));
  }
  session.editChoice([&](TimelineChoice& choice) {
    for (const TrackKey& key : keys) choice.setHidden(key, true);
  });
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
  openGroupOf(session, layout, rank);
}

void openGroupOf(TraceSession& session, const TrackLayout& layout, RankIndex rank) {
  const auto group = layout.groupOf(rank);
  if (!group || layout.sectionOf(keyOf(*session.trace(), rank))) return;
  session.editChoice([&](TimelineChoice& choice) { choice.open[*group] = true; });
}

void fillTrackMenu(QMenu& menu, TraceSession& session, const Section& section) {
  const TrackKey key = section.key;
  const LaneTraits& traits = section.kind->traits();
  const QString label = section.kind->title(*session.trace(), section);
  menu.addAction(QString(label).replace(QLatin1Char('&'), QStringLiteral("&&")))
      ->setEnabled(false); // style sheets hide the text of sections
  menu.addSeparator();
  if (traits.movable) {
    const bool pinned = session.choice().isPinned(key);
    QObject::connect(menu.addAction((pinned ? tr("Unpin") : tr("Pin to the top")) + QStringLiteral("\tP")),
                     &QAction::triggered, &session, [&session, key] { togglePinned(session, key); });
    QObject::connect(menu.addAction(tr("Hide") + QStringLiteral("\tH")), &QAction::triggered, &session,
                     [&session, key] { hideTrack(session, key); });
    if (section.track.valid() && session.trace()->ranks().size() > 1)
      QObject::connect(
          menu.addAction(tr("Hide on all ranks")), &QAction::triggered, &session,
          [&session, rank = section.rank, track = section.track] { hideOnAllRanks(session, rank, track); });
  }
  if (traits.hasNamesakes) {
    QObject::connect(
        menu.addAction(tr("Show only tracks with this name")), &QAction::triggered, &session,
        [&session, label] { session.editChoice([&](TimelineChoice& choice) { choice.filter = label; }); });
  }
  QObject::connect(menu.addAction(tr("Copy name")), &QAction::triggered, &session,
                   [label] { QGuiApplication::clipboard()->setText(label); });
}

} // namespace rankscope::ui
