// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/lane_kind.h"

#include "ui/base/text_scale.h"
#include "ui/timeline/lanes/lane_header.h"

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr int kAroundRowText = 4; // above and below the text of a row

} // namespace

int LaneStack::scaled(int height) const {
  // Large texts leave less to see, so that what is around them does not grow.
  const int text = std::max(1, height - kAroundRowText);
  return std::max(kThinLaneHeight + 1, ((scaledToText(text) + height - text) * m_percent + 50) / 100);
}

void LaneStack::add(Lane lane, int height, int gap) {
  lane.top = m_bottom;
  lane.height = height;
  m_lanes.push_back(lane);
  m_bottom += height + gap;
}

void LaneKind::addItems(const TraceSet&, RankIndex, std::vector<LaneItem>&) const {}

bool LaneKind::foldable(const TraceSet&, RankIndex, const LaneItem&) const {
  return false;
}

void LaneKind::addLanes(const TraceSet&, RankIndex rank, const LaneItem& item, bool, LaneStack& stack) const {
  stack.add({.kind = this, .rank = rank, .track = item.track, .row = {}, .number = item.number},
            stack.scaled(height()));
}

void LaneKind::prepare(const RankSummaries&, const Lane&) const {}

void LaneKind::paint(LanePicture&, const Lane&) const {}

void LaneKind::paintHits(LanePicture&, const Lane&) const {}

LaneHit LaneKind::hitAt(const LaneFacts&, const Lane& lane, const PixelScale&, std::int32_t, int) const {
  return {&lane, {}, 0, std::nullopt};
}

QString LaneKind::textAt(const LaneFacts&, const Lane&, TimeRange) const {
  return {};
}

void LaneKind::paintHeader(HeaderPicture& picture, const Section& section, const QRect& box,
                           int labelTop) const {
  paintTrackLabel(picture, section, box, labelTop);
}

QString LaneKind::title(const TraceSet&, const Section& section) const {
  return section.label.simplified();
}

QString LaneKind::inWords(const LaneFacts& facts, const Section& section) const {
  return title(facts.traces, section);
}

QString LaneKind::describe(const LaneFacts&, const Section& section) const {
  return section.hint.isEmpty() ? section.label : section.label.simplified() + '\n' + section.hint;
}

LaneNote LaneKind::note(const LaneFacts&, const Section&) const {
  return {};
}

} // namespace rankscope::ui
