// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/tracks/track_layout.h"

#include "ui/base/revision.h"
#include "ui/timeline/canvas/timeline_hit.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kRankGap = 4;    // above the first track of a rank, below its last one
constexpr int kTrackGap = 3;   // between tracks
constexpr int kThinHeight = 3; // of a row without text
constexpr int kBusyHeight = 22;
constexpr int kMemoryHeight = 24;
constexpr int kCounterHeight = 20;
constexpr int kGroupHeight = 22;
constexpr int kRank = 24;              // of a folded rank
constexpr int kDenseRank = 18;         // of a folded rank among many
constexpr int kSmallestRank = 14;      // of one whose title is still read
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

// To texts, and as the choice wants rows.
int scaled(int height, int percent) {
  return std::max(kThinHeight + 1, (scaledToText(height) * percent + 50) / 100);
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

struct TrackLayout::Item {
  LaneKind kind = LaneKind::Row;
  TrackKey key;
  QString label;
  QString hint;
  const PlannedTrack* planned = nullptr; // of a Row
  TrackIndex track;                      // of a Queue
  std::uint32_t counter = 0;             // of a File
  bool inMore = false;                   // shown with the others that few people ask for
};

void TrackLayout::update(std::shared_ptr<const TraceSet> trace, const TimelineChoice& choice,
                         std::span<const RankGroup> groups) {
  if (trace != m_trace) m_plans.clear();
  m_trace = std::move(trace);
  m_lanes.clear();
  m_sections.clear();
  m_blocks.clear();
  m_height = 0;
  m_hiddenCount = 0;
  m_inMore.clear();
  m_revision = nextRevision();
  const std::size_t rankCount = m_trace ? m_trace->ranks().size() : 0;
  m_blockOfRank.assign(rankCount, kNowhere);
  m_expanded.assign(rankCount, false);
  if (!m_trace) return;
  if (m_part == LayoutPart::Pinned) {
    for (const TrackKey& key : choice.pinned) addPinned(key, choice);
    return;
  }
  for (std::size_t i = 0; i < rankCount; ++i) {
    const RankIndex rank(i);
    const auto chosen = choice.open.find(ui::keyOf(*m_trace, rank));
    // A filter looks into every rank.
    m_expanded[i] = !choice.filter.isEmpty() ||
                    (chosen != choice.open.end() ? chosen->second : startsExpanded(*m_trace, rank));
  }
  if (groups.empty()) {
    for (std::size_t i = 0; i < rankCount; ++i) addRank(RankIndex(i), choice);
  } else {
    for (const RankGroup& group : groups) addGroup(group, choice);
  }
}

void TrackLayout::beginBlock(RankIndex rank) {
  if (rank.valid()) m_blockOfRank[rank.value] = m_blocks.size();
  m_blocks.push_back({m_height, rank, m_lanes.size()});
}

void TrackLayout::addGroup(const RankGroup& group, const TimelineChoice& choice) {
  bool open = true;
  if (!group.label.isEmpty()) {
    const TrackKey key{-1, 0, "group/" + group.label.toStdString()};
    const auto chosen = choice.open.find(key);
    open = chosen == choice.open.end() || chosen->second;
    beginBlock({});
    const int height = scaledToText(kGroupHeight);
    const QString label = group.ranks.size() == 1
                              ? tr("%1  ·  1 rank").arg(group.label)
                              : tr("%1  ·  %2 ranks").arg(group.label).arg(group.ranks.size());
    m_lanes.push_back({LaneKind::Group, false, {}, {}, {}, 0, m_height, height});
    m_sections.push_back({LaneKind::Group, {}, {}, m_height, height, true, !open, label, {}, key});
    m_height += height;
  }
  if (!open) return;
  for (const RankIndex rank : group.ranks) addRank(rank, choice);
}

void TrackLayout::addRank(RankIndex rank, const TimelineChoice& choice) {
  const TrackKey key = ui::keyOf(*m_trace, rank);
  if (choice.hidden.contains(key)) {
    ++m_hiddenCount;
    return;
  }
  const bool expanded = m_expanded[rank.value];
  std::vector<Item> items;
  if (expanded) {
    items = itemsOf(rank);
    arrange(items, rank, choice);
    // A rank without anything that passes the filter stands in the way.
    if (items.empty() && !choice.filter.isEmpty()) {
      ++m_hiddenCount;
      return;
    }
  }
  const bool dense = !expanded && m_trace->ranks().size() > kManyRanks;
  // A folded rank is a lane of its own; the header of an open one is text.
  const int height = expanded ? headerHeight()
                              : std::max(scaledToText(kSmallestRank),
                                         scaled(dense ? kDenseRank : kRank, choice.lanePercent));
  beginBlock(rank);
  m_lanes.push_back({LaneKind::Rank, false, rank, {}, {}, 0, m_height, height});
  const bool foldable = choice.filter.isEmpty();
  m_sections.push_back({LaneKind::Rank, rank, {}, m_height, height, foldable, !expanded, {}, {}, key});
  m_height += height;
  if (!expanded) return;
  m_height += kRankGap;
  for (const Item& item : items) addItem(rank, item, choice);
  m_height += kRankGap;
}

void TrackLayout::addPinned(const TrackKey& key, const TimelineChoice& choice) {
  const RankIndex rank = rankOf(*m_trace, key);
  if (!rank.valid()) return;
  if (key.isRank()) {
    beginBlock(rank);
    m_lanes.push_back({LaneKind::Rank, false, rank, {}, {}, 0, m_height, headerHeight()});
    m_sections.push_back({LaneKind::Rank, rank, {}, m_height, headerHeight(), false, true, {}, {}, key});
    m_height += headerHeight();
    return;
  }
  const std::vector<Item> items = itemsOf(rank);
  const auto item = std::ranges::find(items, key, &Item::key);
  if (item == items.end()) return;
  if (m_height == 0) m_height = kTrackGap;
  beginBlock(rank);
  Item named = *item;
  const QString owner =
      m_trace->severalCaptures() ? tr("R%1/%2").arg(key.rank).arg(key.capture) : tr("R%1").arg(key.rank);
  named.label = owner + QStringLiteral("  ") + named.label;
  addItem(rank, named, choice);
}

void TrackLayout::addCounters(std::vector<Item>& items, RankIndex rank) {
  const RankTrace& trace = *m_trace->rank(rank).trace;
  const auto add = [&](LaneKind kind, std::string_view id, const QString& label, const QString& hint) {
    items.push_back({kind, ui::keyOf(*m_trace, rank, id), label, hint, nullptr, {}, 0, false});
  };
  if (trace.deviceBegin != trace.deviceEnd)
    add(LaneKind::Busy, "busy", tr("GPU busy"),
        tr("Share of the time in which any stream of the rank was at work; darker within it: est. SM "
           "efficiency"));
  if (!trace.memory.empty())
    add(LaneKind::Memory, "memory", tr("memory"),
        tr("Memory that PyTorch's allocator handed out; the line above it: what it reserved"));
  const TrackIndex main = mainStreamOf(trace);
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.kind != TrackKind::Stream || trace.byLaunch.empty()) continue;
    Item item{LaneKind::Queue,
              ui::keyOf(*m_trace, rank, "queue/" + track.thread),
              {},
              {},
              nullptr,
              TrackIndex(i),
              0,
              TrackIndex(i) != main};
    item.label = tr("launches ahead");
    if (item.inMore) item.label += tr(" of stream %1").arg(QString::fromStdString(track.thread));
    item.hint = tr("Launches issued and not yet begun on stream %1: near 0 the GPU waits for the host")
                    .arg(QString::fromStdString(track.thread));
    items.push_back(std::move(item));
  }
  constexpr std::size_t kFileCountersShown = 3;
  for (std::size_t i = 0; i < trace.counters.size(); ++i) {
    const CounterSeries& series = trace.counters[i];
    const QString label = QString::fromStdString(series.name);
    items.push_back({LaneKind::File,
                     ui::keyOf(*m_trace, rank, "file/" + series.process + '/' + series.name),
                     label,
                     tr("Counter of the file: %1").arg(label),
                     nullptr,
                     {},
                     static_cast<std::uint32_t>(i),
                     i >= kFileCountersShown});
  }
}

std::vector<TrackLayout::Item> TrackLayout::itemsOf(RankIndex rank) {
  std::vector<Item> counters;
  addCounters(counters, rank);
  std::vector<Item> items;
  std::vector<Item> more;
  const auto placeCounters = [&] {
    for (Item& item : counters) (item.inMore ? more : items).push_back(std::move(item));
    counters.clear();
  };
  for (const PlannedTrack& planned : planOf(rank)) {
    if (planned.group != TrackGroup::AboveCounters) placeCounters();
    const bool inMore = planned.group == TrackGroup::More;
    Item item{LaneKind::Row,
              ui::keyOf(*m_trace, rank, planned.track),
              planned.label,
              {},
              &planned,
              planned.track,
              0,
              inMore};
    (inMore ? more : items).push_back(std::move(item));
  }
  placeCounters();
  if (more.empty()) return items;
  QStringList labels;
  for (const Item& item : more) labels += item.label.simplified();
  const QString label = more.size() == 1 ? tr("1 more track") : tr("%1 more tracks").arg(more.size());
  items.push_back(
      {LaneKind::More, ui::keyOf(*m_trace, rank, "more"), label, labels.join('\n'), nullptr, {}, 0, false});
  std::ranges::move(more, std::back_inserter(items));
  return items;
}

// Leaves out what the choice hides and sorts the rest as it was dragged.
void TrackLayout::arrange(std::vector<Item>& items, RankIndex rank, const TimelineChoice& choice) {
  const auto moreOpen = choice.open.find(ui::keyOf(*m_trace, rank, "more"));
  const bool filtered = !choice.filter.isEmpty();
  const bool showMore = filtered || (moreOpen != choice.open.end() && moreOpen->second);
  const std::size_t before = items.size();
  std::size_t folded = 0;
  std::erase_if(items, [&](const Item& item) {
    if (choice.hidden.contains(item.key)) return true;
    if (filtered) return item.kind == LaneKind::More || !passesFilter(choice.filter, item.label);
    if (item.inMore && !showMore) {
      if (item.kind == LaneKind::Row) m_inMore.emplace(rank, item.track);
      ++folded;
      return true;
    }
    return false;
  });
  m_hiddenCount += static_cast<int>(before - items.size() - folded);
  const bool sorted = std::ranges::any_of(
      choice.order, [&](const TrackKey& key) { return !key.isRank() && rankOf(*m_trace, key) == rank; });
  if (!sorted) return;
  std::ranges::stable_sort(items, {}, [&](const Item& item) {
    return std::ranges::find(choice.order, item.key) - choice.order.begin();
  });
}

void TrackLayout::addItem(RankIndex rank, const Item& item, const TimelineChoice& choice) {
  if (item.kind == LaneKind::Row) return addTrack(rank, item, choice);
  const auto open = choice.open.find(item.key);
  const bool more = item.kind == LaneKind::More;
  const bool folded = more && (open == choice.open.end() || !open->second);
  int height = more ? scaledToText(kLabelHeight) : kLabelHeight;
  if (item.kind == LaneKind::Busy) height = kBusyHeight;
  if (item.kind == LaneKind::Memory) height = kMemoryHeight;
  if (item.kind == LaneKind::Queue || item.kind == LaneKind::File) height = kCounterHeight;
  if (!more) height = scaled(height, choice.lanePercent);
  Section section{item.kind, rank, item.track, m_height, 0, more, folded, item.label, item.hint, item.key};
  m_lanes.push_back({item.kind, more, rank, item.track, {}, item.counter, m_height, height});
  m_height += height;
  endSection(std::move(section), kTrackGap);
}

void TrackLayout::addTrack(RankIndex rank, const Item& item, const TimelineChoice& choice) {
  const PlannedTrack& planned = *item.planned;
  const Track& track = m_trace->rank(rank).trace->tracks[planned.track.value];
  const RowStyle style = styleOf(track.kind, m_trace->ranks().size() > 1);
  const bool foldable = planned.stepsOnTop || track.rowCount > style.readableRows;
  const auto open = choice.open.find(item.key);
  const bool folded = foldable && (open == choice.open.end() || !open->second);
  Section section{LaneKind::Row, rank,   planned.track, m_height, 0,
                  foldable,      folded, item.label,    {},       item.key};
  for (std::uint32_t i = 0; i < track.rowCount; ++i) {
    const bool thin =
        folded && (planned.stepsOnTop ? i == 0 || i > style.readableRows : i >= style.readableRows);
    const int height = thin ? kThinHeight : scaled(style.height, choice.lanePercent);
    m_lanes.push_back(
        {LaneKind::Row, thin, rank, planned.track, RowIndex(track.firstRow.value + i), 0, m_height, height});
    m_height += height + (thin && i > 0 ? 0 : style.gap);
  }
  endSection(std::move(section), kTrackGap);
}

const std::vector<PlannedTrack>& TrackLayout::planOf(RankIndex rank) {
  const RankTrace& trace = *m_trace->rank(rank).trace;
  const auto [plan, fresh] = m_plans.try_emplace(&trace);
  if (fresh) plan->second = planTracks(trace, m_trace->names());
  return plan->second;
}

void TrackLayout::endSection(Section section, int gap) {
  m_height = std::max(m_height, section.top + scaledToText(kLabelHeight));
  section.height = m_height - section.top;
  m_sections.push_back(std::move(section));
  m_height += gap;
}

std::vector<TrackLayout::NamedTrack> TrackLayout::tracksOf(RankIndex rank) {
  std::vector<NamedTrack> tracks;
  for (const Item& item : itemsOf(rank))
    if (item.kind != LaneKind::More)
      tracks.push_back(
          {item.label.simplified(), item.key, item.kind == LaneKind::Row ? item.track : TrackIndex()});
  return tracks;
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

const Section* TrackLayout::sectionOf(const TrackKey& key) const {
  std::size_t first = 0;
  std::size_t last = m_sections.size();
  if (m_part == LayoutPart::All && key.rank >= 0 && m_trace) {
    const RankIndex rank = rankOf(*m_trace, key);
    if (!rank.valid() || m_blockOfRank[rank.value] == kNowhere) return nullptr;
    const auto within = sectionsWithin(rankLane(rank).top, rankBottom(rank));
    first = static_cast<std::size_t>(within.data() - m_sections.data());
    last = first + within.size();
  }
  for (std::size_t i = first; i < last; ++i)
    if (m_sections[i].key == key) return &m_sections[i];
  return nullptr;
}

const Lane& TrackLayout::rankLane(RankIndex rank) const {
  static const Lane nowhere{LaneKind::Rank, true, {}, {}, {}, 0, 0, 0};
  if (rank.value >= m_blockOfRank.size() || m_blockOfRank[rank.value] == kNowhere) return nowhere;
  return m_lanes[m_blocks[m_blockOfRank[rank.value]].lane];
}

int TrackLayout::rankBottom(RankIndex rank) const {
  if (rank.value >= m_blockOfRank.size() || m_blockOfRank[rank.value] == kNowhere) return 0;
  const std::size_t next = m_blockOfRank[rank.value] + 1;
  return next < m_blocks.size() ? m_blocks[next].top : m_height;
}

std::vector<RankIndex> TrackLayout::shownRanks() const {
  std::vector<RankIndex> ranks;
  for (const Block& block : m_blocks)
    if (block.rank.valid()) ranks.push_back(block.rank);
  return ranks;
}

RankIndex TrackLayout::rankAt(int y) const {
  if (y < 0 || y >= m_height) return {};
  const auto after = std::ranges::upper_bound(m_blocks, y, {}, &Block::top);
  return after == m_blocks.begin() ? RankIndex() : std::prev(after)->rank;
}

RankIndex TrackLayout::stickyRank(int scrollTop) const {
  const RankIndex rank = rankAt(scrollTop);
  if (!rank.valid() || !rankExpanded(rank) || rankLane(rank).top >= scrollTop) return {};
  return rankBottom(rank) - scrollTop > 2 * headerHeight() ? rank : RankIndex();
}

const Lane* TrackLayout::laneOf(EventRef event) const {
  if (!event.valid() || event.rank.value >= m_blockOfRank.size()) return nullptr;
  const std::size_t block = m_blockOfRank[event.rank.value];
  if (block == kNowhere) return nullptr;
  const RankTrace& trace = *m_trace->rank(event.rank).trace;
  const RowIndex row = trace.rowOf(event.event);
  const bool inMore = m_inMore.contains({event.rank, trace.trackOf(event.event)});
  // Of a rank several tracks may be pinned, in any order.
  const bool pinned = m_part == LayoutPart::Pinned;
  const std::size_t first = pinned ? 0 : m_blocks[block].lane;
  const std::size_t end = pinned || block + 1 == m_blocks.size() ? m_lanes.size() : m_blocks[block + 1].lane;
  const Lane* instead = nullptr;
  for (std::size_t i = first; i < end; ++i) {
    const Lane& lane = m_lanes[i];
    if (lane.rank != event.rank) continue;
    if (lane.kind == LaneKind::Row && lane.row == row) return &lane;
    if (inMore ? lane.kind == LaneKind::More : lane.kind == LaneKind::Rank && !rankExpanded(event.rank))
      instead = &lane;
  }
  return instead;
}

bool startsExpanded(const TraceSet& traces, RankIndex rank) {
  return rank.value == 0 && traces.ranks().size() <= kFewRanks;
}

bool passesFilter(const QString& filter, const QString& label) {
  if (filter.trimmed().isEmpty()) return true;
  for (const QString& term : filter.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    const QStringList words = term.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (!words.isEmpty() && std::ranges::all_of(words, [&](const QString& word) {
          return label.contains(word, Qt::CaseInsensitive);
        }))
      return true;
  }
  return false;
}

} // namespace rankscope::ui
