// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/track_layout.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kRankGap = 4;    // above the first track of a rank, below its last one
constexpr int kTrackGap = 3;   // between tracks
constexpr int kThinHeight = 3; // of a row without text
constexpr int kBusyHeight = 22;
constexpr int kMemoryHeight = 24;
constexpr int kLabelHeight = 15;       // a label needs this much even beside thin rows
constexpr std::size_t kManyRanks = 16; // from here on collapsed ranks stand closer
constexpr std::size_t kFewRanks = 8;   // up to here the first one starts expanded

// How the rows of a kind of track are drawn, and how many of them stay readable while it is folded.
struct RowStyle {
  int height;
  int gap;
  std::uint32_t readableRows;
};

// Beside other ranks a rank keeps to what tells ranks apart.
RowStyle styleOf(TrackKind kind, bool oneOfSeveral) {
  switch (kind) {
  case TrackKind::Annotations:
    return {17, 1, 3};
  case TrackKind::Thread:
    return {14, 1, oneOfSeveral ? 3u : 4u};
  case TrackKind::Python:
    return {14, 1, oneOfSeveral ? 0u : 3u};
  case TrackKind::Stream:
    return {17, 1, 4};
  case TrackKind::GpuAnnotations:
  case TrackKind::Sync:
  case TrackKind::Instants:
  case TrackKind::Overhead:
  case TrackKind::Other:
    break;
  }
  return {14, 1, 0};
}

QString tr(const char* text) {
  return QCoreApplication::translate("TrackLayout", text);
}

template <class Item> std::span<const Item> itemsWithin(const std::vector<Item>& items, int top, int bottom) {
  const auto first = std::ranges::upper_bound(items, top, {}, &Item::bottom);
  const auto last = std::ranges::lower_bound(first, items.end(), bottom, {}, &Item::top);
  return {first, last};
}

template <class Item> const Item* itemAt(const std::vector<Item>& items, int y) {
  const auto found = itemsWithin(items, y, y + 1);
  return found.empty() ? nullptr : &found.front();
}

} // namespace

void TrackLayout::setTrace(std::shared_ptr<const TraceSet> trace) {
  m_trace = std::move(trace);
  m_plans.clear();
  if (!m_trace) {
    m_rankExpanded.clear();
    m_trackFolded.clear();
    m_moreShown.clear();
  }
  rebuild();
}

void TrackLayout::rebuild() {
  m_lanes.clear();
  m_sections.clear();
  m_rankLanes.clear();
  m_height = 0;
  ++m_revision;
  if (!m_trace) return;
  for (std::size_t i = 0; i < m_trace->ranks().size(); ++i) addRank(RankIndex(i));
}

void TrackLayout::addRank(RankIndex rank) {
  const RankTrace& trace = *m_trace->rank(rank).trace;
  const bool expanded = rankExpanded(rank);
  const bool dense = !expanded && m_trace->ranks().size() > kManyRanks;
  const int headerHeight = dense ? 18 : kHeaderHeight;
  m_rankLanes.push_back(m_lanes.size());
  m_lanes.push_back({LaneKind::Rank, false, rank, {}, {}, m_height, headerHeight});
  m_sections.push_back({LaneKind::Rank, rank, {}, m_height, headerHeight, true, !expanded, {}, {}});
  m_height += headerHeight;
  if (!expanded) return;

  m_height += kRankGap;
  bool countersAdded = false;
  const auto addCounters = [&] {
    if (std::exchange(countersAdded, true)) return;
    if (trace.deviceBegin != trace.deviceEnd)
      addCounter(LaneKind::Busy, rank, kBusyHeight, tr("GPU busy"),
                 tr("Share of the time in which any stream of the rank was at work"));
    if (!trace.memory.empty())
      addCounter(LaneKind::Memory, rank, kMemoryHeight, tr("memory"),
                 tr("Memory that PyTorch's allocator handed out"));
  };
  const std::vector<PlannedTrack>& plan = planOf(rank);
  const auto more = std::ranges::find(plan, TrackGroup::More, &PlannedTrack::group);
  for (auto planned = plan.begin(); planned != more; ++planned) {
    if (planned->group != TrackGroup::AboveCounters) addCounters();
    addTrack(rank, *planned);
  }
  addCounters();
  if (more != plan.end()) addMore(rank, std::span(more, plan.end()));
  m_height += kRankGap;
}

const std::vector<PlannedTrack>& TrackLayout::planOf(RankIndex rank) {
  const RankTrace& trace = *m_trace->rank(rank).trace;
  const auto [plan, fresh] = m_plans.try_emplace(&trace);
  if (fresh) plan->second = planTracks(trace, m_trace->names());
  return plan->second;
}

void TrackLayout::addMore(RankIndex rank, std::span<const PlannedTrack> tracks) {
  const bool shown = m_moreShown.contains(keyOf(rank));
  QStringList labels;
  for (const PlannedTrack& planned : tracks) labels += planned.label.simplified();
  const QString label = tracks.size() == 1 ? tr("1 more track") : tr("%1 more tracks").arg(tracks.size());
  Section section{LaneKind::More, rank, {}, m_height, 0, true, !shown, label, labels.join('\n')};
  m_lanes.push_back({LaneKind::More, true, rank, {}, {}, m_height, kLabelHeight});
  m_height += kLabelHeight;
  endSection(std::move(section), kTrackGap);
  if (!shown) return;
  for (const PlannedTrack& planned : tracks) addTrack(rank, planned);
}

void TrackLayout::addTrack(RankIndex rank, const PlannedTrack& planned) {
  const Track& track = m_trace->rank(rank).trace->tracks[planned.track.value];
  const RowStyle style = styleOf(track.kind, m_trace->ranks().size() > 1);
  const bool foldable = planned.stepsOnTop || track.rowCount > style.readableRows;
  const bool folded = foldable && trackFolded(rank, planned.track);
  Section section{LaneKind::Row, rank, planned.track, m_height, 0, foldable, folded, planned.label, {}};
  for (std::uint32_t i = 0; i < track.rowCount; ++i) {
    const bool thin =
        folded && (planned.stepsOnTop ? i == 0 || i > style.readableRows : i >= style.readableRows);
    const int height = thin ? kThinHeight : style.height;
    m_lanes.push_back(
        {LaneKind::Row, thin, rank, planned.track, RowIndex(track.firstRow.value + i), m_height, height});
    m_height += height + (thin && i > 0 ? 0 : style.gap);
  }
  endSection(std::move(section), kTrackGap);
}

void TrackLayout::addCounter(LaneKind kind, RankIndex rank, int height, const QString& label,
                             const QString& hint) {
  Section section{kind, rank, {}, m_height, 0, false, false, label, hint};
  m_lanes.push_back({kind, false, rank, {}, {}, m_height, height});
  m_height += height;
  endSection(std::move(section), kTrackGap);
}

void TrackLayout::endSection(Section section, int gap) {
  m_height = std::max(m_height, section.top + kLabelHeight);
  section.height = m_height - section.top;
  m_sections.push_back(std::move(section));
  m_height += gap;
}

std::span<const Lane> TrackLayout::lanesWithin(int top, int bottom) const {
  return itemsWithin(m_lanes, top, bottom);
}

std::span<const Section> TrackLayout::sectionsWithin(int top, int bottom) const {
  return itemsWithin(m_sections, top, bottom);
}

const Lane* TrackLayout::laneAt(int y) const {
  return itemAt(m_lanes, y);
}

const Section* TrackLayout::sectionAt(int y) const {
  return itemAt(m_sections, y);
}

const Lane& TrackLayout::rankLane(RankIndex rank) const {
  return m_lanes[m_rankLanes[rank.value]];
}

int TrackLayout::rankBottom(RankIndex rank) const {
  return rank.value + 1 < m_rankLanes.size() ? m_lanes[m_rankLanes[rank.value + 1]].top : m_height;
}

RankIndex TrackLayout::rankAt(int y) const {
  if (y < 0 || y >= m_height) return {};
  const auto after =
      std::ranges::upper_bound(m_rankLanes, y, {}, [&](std::size_t lane) { return m_lanes[lane].top; });
  if (after == m_rankLanes.begin()) return {};
  return RankIndex(static_cast<std::size_t>(after - m_rankLanes.begin()) - 1);
}

RankIndex TrackLayout::stickyRank(int scrollTop) const {
  const RankIndex rank = rankAt(scrollTop);
  if (!rank.valid() || !rankExpanded(rank) || rankLane(rank).top >= scrollTop) return {};
  return rankBottom(rank) - scrollTop > 2 * kHeaderHeight ? rank : RankIndex();
}

const Lane* TrackLayout::laneOf(EventRef event) const {
  if (!event.valid() || event.rank.value >= m_rankLanes.size()) return nullptr;
  const std::size_t first = m_rankLanes[event.rank.value];
  if (!rankExpanded(event.rank)) return &m_lanes[first];
  const RowIndex row = m_trace->rank(event.rank).trace->rowOf(event.event);
  const std::size_t end =
      event.rank.value + 1 < m_rankLanes.size() ? m_rankLanes[event.rank.value + 1] : m_lanes.size();
  const Lane* more = nullptr;
  for (std::size_t i = first; i < end; ++i) {
    if (m_lanes[i].kind == LaneKind::Row && m_lanes[i].row == row) return &m_lanes[i];
    if (m_lanes[i].kind == LaneKind::More) more = &m_lanes[i];
  }
  return more;
}

TrackLayout::RankKey TrackLayout::keyOf(RankIndex rank) const {
  const RankEntry& entry = m_trace->rank(rank);
  return {entry.rank, entry.capture};
}

TrackLayout::TrackKey TrackLayout::keyOf(RankIndex rank, TrackIndex index) const {
  const RankEntry& entry = m_trace->rank(rank);
  const Track& track = entry.trace->tracks[index.value];
  return {entry.rank, entry.capture, track.kind, track.process, track.thread};
}

bool TrackLayout::startsExpanded(RankIndex rank) const {
  return rank.value == 0 && m_trace->ranks().size() <= kFewRanks;
}

bool TrackLayout::rankExpanded(RankIndex rank) const {
  const auto chosen = m_rankExpanded.find(keyOf(rank));
  return chosen != m_rankExpanded.end() ? chosen->second : startsExpanded(rank);
}

void TrackLayout::setRankExpanded(RankIndex rank, bool expanded) {
  if (rankExpanded(rank) == expanded) return;
  m_rankExpanded[keyOf(rank)] = expanded;
  rebuild();
}

void TrackLayout::setAllRanksExpanded(bool expanded) {
  if (!m_trace) return;
  for (std::size_t i = 0; i < m_trace->ranks().size(); ++i) m_rankExpanded[keyOf(RankIndex(i))] = expanded;
  rebuild();
}

bool TrackLayout::trackFolded(RankIndex rank, TrackIndex track) const {
  const auto chosen = m_trackFolded.find(keyOf(rank, track));
  return chosen == m_trackFolded.end() || chosen->second;
}

void TrackLayout::toggleMore(RankIndex rank) {
  const RankKey key = keyOf(rank);
  if (m_moreShown.erase(key) == 0) m_moreShown.insert(key);
  rebuild();
}

void TrackLayout::toggleTrack(RankIndex rank, TrackIndex track) {
  m_trackFolded[keyOf(rank, track)] = !trackFolded(rank, track);
  rebuild();
}

} // namespace rankscope::ui
