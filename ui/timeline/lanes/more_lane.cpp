// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/more_lane.h"

#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"

#include <QStringList>

#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kHeight = 15;

class MoreLanes : public LaneKind {
 public:
  MoreLanes() : LaneKind({.id = "more", .shows = LaneShows::OtherTracks, .movable = false}) {}

  bool foldable(const TraceSet&, RankIndex, const LaneItem&) const override { return true; }

  // As high as its label, independent of the row height.
  void addLanes(const TraceSet&, RankIndex rank, const LaneItem&, bool, LaneStack& stack) const override {
    stack.add({.kind = this, .thin = true, .rank = rank, .track = {}, .row = {}}, scaledToText(kHeight));
  }
};

} // namespace

const LaneKind& moreLanes() {
  static const MoreLanes kind;
  return kind;
}

LaneItem moreItem(TrackKey key, std::span<const LaneItem> folded) {
  QStringList labels;
  for (const LaneItem& item : folded) labels += item.label.simplified();
  return {.kind = &moreLanes(),
          .place = LanePlace::More,
          .key = std::move(key),
          .label = folded.size() == 1 ? tr("1 more track") : tr("%1 more tracks").arg(folded.size()),
          .hint = labels.join('\n'),
          .track = {}};
}

} // namespace rankscope::ui
