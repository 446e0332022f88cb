// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/file_counter_lane.h"

#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/level_lane.h"

namespace rankscope::ui {
namespace {

constexpr std::size_t kShownAtFirst = 3; // further counters are among the less used lanes

class FileCounterLanes : public LevelLanes {
 public:
  FileCounterLanes() : LevelLanes({.id = "file counter"}, &Theme::annotation) {}

  void addItems(const TraceSet& traces, RankIndex rank, std::vector<LaneItem>& items) const override {
    if (!rank.valid()) return;
    const auto& counters = traces.rank(rank).trace->counters;
    for (std::size_t i = 0; i < counters.size(); ++i) {
      const QString label = QString::fromStdString(counters[i].name);
      items.push_back({.kind = this,
                       .place = i < kShownAtFirst ? LanePlace::Counters : LanePlace::More,
                       .key = keyOf(traces, rank, "file/" + counters[i].process + '/' + counters[i].name),
                       .label = label,
                       .hint = tr("Trace counter: %1").arg(label),
                       .track = {},
                       .number = static_cast<std::uint32_t>(i)});
    }
  }

 protected:
  const LevelCurve* curveOf(const RankCounters& counters, TrackIndex, std::uint32_t number) const override {
    return &counters.file[number];
  }
  QString nameOf(const RankTrace& trace, const Lane& lane) const override {
    return QString::fromStdString(trace.counters[lane.number].name);
  }
};

} // namespace

const LaneKind& fileCounterLanes() {
  static const FileCounterLanes kind;
  return kind;
}

} // namespace rankscope::ui
