// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/queue_lane.h"

#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/level_lane.h"
#include "ui/timeline/lanes/track_plan.h"

namespace rankscope::ui {
namespace {

class QueueLanes : public LevelLanes {
 public:
  QueueLanes() : LevelLanes({.id = "queue", .hasNamesakes = true}, &Theme::runtime) {}

  // The main stream's lane is next to the other counters; those of other streams are among the less used
  // lanes.
  void addItems(const TraceSet& traces, RankIndex rank, std::vector<LaneItem>& items) const override {
    if (!rank.valid()) return;
    const RankTrace& trace = *traces.rank(rank).trace;
    if (trace.byLaunch.empty()) return;
    const TrackIndex main = mainStreamOf(trace);
    for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
      const Track& track = trace.tracks[i];
      if (track.kind != TrackKind::Stream) continue;
      const bool isMain = TrackIndex(i) == main;
      const QString stream = QString::fromStdString(track.thread);
      items.push_back(
          {.kind = this,
           .place = isMain ? LanePlace::Counters : LanePlace::More,
           .key = keyOf(traces, rank, "queue/" + track.thread),
           .label =
               isMain ? tr("launch queue depth") : tr("launch queue depth") + tr(" of stream %1").arg(stream),
           .hint = tr("Launches issued but not yet started on stream %1; near 0 the GPU waits for the host")
                       .arg(stream),
           .track = TrackIndex(i)});
    }
  }

  LaneNote note(const LaneFacts& facts, const Section& section) const override {
    const RankCounters* const counters = facts.summaries.countersOf(section.rank);
    const LevelCurve* const queue = counters ? counters->queueOf(section.track) : nullptr;
    return queue && !queue->empty() ? LaneNote{tr("max %1").arg(levelText(queue->highest()))} : LaneNote();
  }

 protected:
  const LevelCurve* curveOf(const RankCounters& counters, TrackIndex track, std::uint32_t) const override {
    return counters.queueOf(track);
  }
  QString nameOf(const RankTrace& trace, const Lane& lane) const override {
    return tr("launch queue depth of stream %1")
        .arg(QString::fromStdString(trace.tracks[lane.track.value].thread));
  }
};

} // namespace

const LaneKind& queueLanes() {
  static const QueueLanes kind;
  return kind;
}

} // namespace rankscope::ui
