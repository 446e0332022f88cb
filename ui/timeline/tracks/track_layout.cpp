// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/tracks/track_layout.h"

#include "core/model/rank_digest.h"
#include "ui/base/revision.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/group_lane.h"
#include "ui/timeline/lanes/more_lane.h"
#include "ui/timeline/lanes/rank_lane.h"

#include <QStringList>

#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kRankGap = 4;            // above the first track of a rank and below its last one
constexpr int kTrackGap = 3;           // between tracks
constexpr int kRank = 24;              // height of a collapsed rank
constexpr int kDenseRank = 18;         // height of a collapsed rank if there are many
constexpr int kMinRankHeight = 14;     // minimum height at which a rank's title is readable
constexpr int kLabelHeight = 15;       // minimum height of a label, also next to thin rows
constexpr std::size_t kManyRanks = 16; // from this number on, collapsed ranks are closer together

TrackKey keyOf(const RankGroup& group) {
  return {-1, 0, "group/" + (group.id.empty() ? group.label.toStdString() : group.id)};
}

bool isOpen(const TimelineChoice& choice, const TrackKey& key, bool otherwise) {
  const auto chosen = choice.open.find(key);
  return chosen == choice.open.end() ? otherwise : chosen->second;
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

int TrackLayout::headerHeight() {
  return rankHeaderHeight();
}

void TrackLayout::update(std::shared_ptr<const TraceSet> trace, const TimelineChoice& choice,
                         std::span<const RankGroup> groups) {
  const std::size_t rankCount = trace ? trace->ranks().size() : 0;
  // The current trace is still alive, so a different one has a different address.
  if (trace != m_trace) m_items.assign(rankCount + 1, std::nullopt);
  m_trace = std::move(trace);
  m_lanes.clear();
  m_sections.clear();
  m_blocks.clear();
  m_height = 0;
  m_hiddenCount = 0;
  m_inMore.clear();
  m_groups.clear();
  m_revision = nextRevision();
  m_blockOfRank.assign(rankCount, kNowhere);
  m_capturesLane.assign(rankCount, kNowhere);
  m_expanded.assign(rankCount, false);
  if (!m_trace) return;
  if (m_part == LayoutPart::Pinned) {
    for (const TrackKey& key : choice.pinned) addPinned(key, choice);
    return;
  }
  addJob(choice);
  for (std::size_t i = 0; i < rankCount; ++i) {
    const RankIndex rank(i);
    // A filter searches collapsed ranks too. A digest has no tracks until its events are loaded.
    m_expanded[i] = digestOf(*m_trace, rank) == nullptr &&
                    (!choice.filter.isEmpty() || isOpen(choice, ui::keyOf(*m_trace, rank), startsOpen(rank)));
  }
  if (groups.empty()) {
    for (std::size_t i = 0; i < rankCount; ++i) addRank(RankIndex(i), choice);
  } else {
    m_groups.assign(groups.begin(), groups.end());
    for (const RankGroup& group : m_groups) addGroup(group, choice);
  }
}

int TrackLayout::rowPercent(const TimelineChoice& choice, LanePlace place) const {
  const int counters = place == LanePlace::Counters ? m_counterGrowth : 100;
  return choice.lanePercent * m_growth / 100 * counters / 100;
}

void TrackLayout::beginBlock(RankIndex rank) {
  if (rank.valid()) m_blockOfRank[rank.value] = m_blocks.size();
  m_blocks.push_back({m_height, rank, m_lanes.size()});
}

void TrackLayout::addJob(const TimelineChoice& choice) {
  const std::vector<const LaneItem*> items = arranged({}, choice);
  if (items.empty()) return;
  beginBlock({});
  for (const LaneItem* const item : items) addItem({}, *item, choice);
}

void TrackLayout::addGroup(const RankGroup& group, const TimelineChoice& choice) {
  bool open = true;
  if (group.hasHeader()) {
    const TrackKey key = keyOf(group);
    open = isOpen(choice, key, group.startsOpen || startsOpen(key));
    beginBlock({});
    const int height = scaledToText(groupLanes().height());
    m_lanes.push_back({.kind = &groupLanes(),
                       .rank = {},
                       .track = {},
                       .row = {},
                       .group = &group,
                       .top = m_height,
                       .height = height});
    m_sections.push_back(
        {&groupLanes(), {}, {}, m_height, height, true, !open, group.title(*m_trace), {}, key, &group});
    m_height += height;
  }
  if (open) {
    for (const RankIndex rank : group.ranks) addRank(rank, choice, group.captures);
  } else if (group.captures) {
    for (const RankIndex rank : group.ranks) m_capturesLane[rank.value] = m_lanes.size() - 1;
  }
}

void TrackLayout::addRank(RankIndex rank, const TimelineChoice& choice, bool capture) {
  if (!choice.shows(m_trace->rank(rank))) return;
  if (choice.hidden.contains(ui::keyOf(*m_trace, rank))) {
    ++m_hiddenCount;
    return;
  }
  const bool filtered = !choice.filter.isEmpty();
  const bool expanded = m_expanded[rank.value];
  std::vector<const LaneItem*> items;
  if (expanded) {
    items = arranged(rank, choice);
    // Hides ranks in which nothing passes the filter.
    if (items.empty() && filtered) {
      ++m_hiddenCount;
      return;
    }
  }
  // A collapsed rank is a lane of its own; an expanded one has a header with text.
  int height = headerHeight();
  if (!expanded) {
    const LaneStack stack(m_lanes, m_height, rowPercent(choice, LanePlace::AboveCounters));
    const bool dense = m_trace->ranks().size() > kManyRanks;
    height = std::max(scaledToText(kMinRankHeight), stack.scaled(dense ? kDenseRank : kRank));
  }
  addRankHeader(rank, height, !filtered, !expanded, capture);
  if (!expanded) return;
  m_height += kRankGap;
  for (const LaneItem* const item : items) addItem(rank, *item, choice);
  m_height += kRankGap;
}

void TrackLayout::addRankHeader(RankIndex rank, int height, bool foldable, bool folded, bool capture) {
  const LaneKind& kind = folded ? foldedRankLanes() : openRankLanes();
  beginBlock(rank);
  m_lanes.push_back({.kind = &kind, .rank = rank, .track = {}, .row = {}, .top = m_height, .height = height});
  m_sections.push_back({&kind,
                        rank,
                        {},
                        m_height,
                        height,
                        foldable,
                        folded,
                        {},
                        {},
                        ui::keyOf(*m_trace, rank),
                        nullptr,
                        capture});
  m_height += height;
}

void TrackLayout::addPinned(const TrackKey& key, const TimelineChoice& choice) {
  const RankIndex rank = rankOf(*m_trace, key);
  if (key.isRank()) {
    if (rank.valid()) addRankHeader(rank, headerHeight(), false, true);
    return;
  }
  if (!rank.valid() && key.rank >= 0) return;
  const std::vector<LaneItem>& items = itemsOf(rank);
  const auto item = std::ranges::find(items, key, &LaneItem::key);
  if (item == items.end()) return;
  if (m_height == 0) m_height = kTrackGap;
  beginBlock(rank);
  LaneItem named = *item;
  if (rank.valid()) {
    const QString owner =
        m_trace->severalCaptures() ? tr("R%1/%2").arg(key.rank).arg(key.capture) : tr("R%1").arg(key.rank);
    named.label = owner + QStringLiteral("  ") + named.label;
  }
  addItem(rank, named, choice);
}

const std::vector<LaneItem>& TrackLayout::itemsOf(RankIndex rank) {
  auto& known = m_items[rank.valid() ? rank.value : m_items.size() - 1];
  if (known) return *known;
  std::vector<LaneItem>& items = known.emplace();
  for (const LaneKind* const kind : m_kinds) kind->addItems(*m_trace, rank, items);
  std::ranges::stable_sort(items, {}, &LaneItem::place);
  const auto more = std::ranges::find(items, LanePlace::More, &LaneItem::place);
  if (more != items.end() && rank.valid())
    items.insert(more, moreItem(ui::keyOf(*m_trace, rank, "more"), {more, items.end()}));
  return items;
}

std::vector<const LaneItem*> TrackLayout::arranged(RankIndex rank, const TimelineChoice& choice) {
  const bool filtered = !choice.filter.isEmpty();
  const TrackKey more = rank.valid() ? ui::keyOf(*m_trace, rank, "more") : TrackKey();
  const bool moreOpen = rank.valid() && isOpen(choice, more, startsOpen(more));
  const std::vector<LaneItem>& all = itemsOf(rank);
  std::vector<const LaneItem*> items;
  for (const LaneItem& item : all) {
    const bool standsForMore = item.kind == &moreLanes();
    const bool folded = item.place == LanePlace::More && !standsForMore && !filtered && !moreOpen;
    const bool unwanted = choice.hidden.contains(item.key) ||
                          (filtered && (standsForMore || !passesFilter(choice.filter, item.label)));
    if (unwanted) {
      ++m_hiddenCount;
    } else if (folded) {
      if (item.kind->traits().shows == LaneShows::Row) m_inMore.emplace(rank, item.track);
    } else {
      items.push_back(&item);
    }
  }
  const bool sorted = std::ranges::any_of(
      choice.order, [&](const TrackKey& key) { return !key.isRank() && rankOf(*m_trace, key) == rank; });
  if (sorted)
    std::ranges::stable_sort(items, {}, [&](const LaneItem* item) {
      return std::ranges::find(choice.order, item->key) - choice.order.begin();
    });
  return items;
}

void TrackLayout::addItem(RankIndex rank, const LaneItem& item, const TimelineChoice& choice) {
  const bool foldable = item.kind->foldable(*m_trace, rank, item);
  const bool folded = foldable && !isOpen(choice, item.key, startsOpen(item.key));
  Section section{item.kind, rank,   item.track, m_height,  0,
                  foldable,  folded, item.label, item.hint, item.key};
  LaneStack stack(m_lanes, m_height, rowPercent(choice, item.place));
  item.kind->addLanes(*m_trace, rank, item, folded, stack);
  m_height = std::max(stack.bottom(), section.top + scaledToText(kLabelHeight));
  section.height = m_height - section.top;
  m_sections.push_back(std::move(section));
  m_height += kTrackGap;
}

std::vector<TrackLayout::NamedTrack> TrackLayout::tracksOf(RankIndex rank) {
  std::vector<NamedTrack> tracks;
  for (const LaneItem& item : itemsOf(rank))
    if (item.kind != &moreLanes()) tracks.push_back({item.label.simplified(), item.key});
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
  static const Lane nowhere{.kind = &foldedRankLanes(), .thin = true, .rank = {}, .track = {}, .row = {}};
  if (rank.value >= m_blockOfRank.size() || m_blockOfRank[rank.value] == kNowhere) return nowhere;
  return m_lanes[m_blocks[m_blockOfRank[rank.value]].lane];
}

int TrackLayout::rankBottom(RankIndex rank) const {
  if (rank.value >= m_blockOfRank.size() || m_blockOfRank[rank.value] == kNowhere) return 0;
  const std::size_t next = m_blockOfRank[rank.value] + 1;
  return next < m_blocks.size() ? m_blocks[next].top : m_height;
}

std::optional<TrackKey> TrackLayout::groupOf(RankIndex rank) const {
  for (const RankGroup& group : m_groups)
    if (group.hasHeader() && std::ranges::find(group.ranks, rank) != group.ranks.end()) return keyOf(group);
  return std::nullopt;
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
  if (block == kNowhere) {
    const std::size_t closed = m_capturesLane[event.rank.value];
    return closed == kNowhere ? nullptr : &m_lanes[closed];
  }
  const RankTrace& trace = *m_trace->rank(event.rank).trace;
  const RowIndex row = trace.rowOf(event.event);
  const bool inMore = m_inMore.contains({event.rank, trace.trackOf(event.event)});
  // Several tracks of a rank may be pinned, in any order.
  const bool pinned = m_part == LayoutPart::Pinned;
  const std::size_t first = pinned ? 0 : m_blocks[block].lane;
  const std::size_t end = pinned || block + 1 == m_blocks.size() ? m_lanes.size() : m_blocks[block + 1].lane;
  const Lane* instead = nullptr;
  for (std::size_t i = first; i < end; ++i) {
    const Lane& lane = m_lanes[i];
    if (lane.rank != event.rank) continue;
    if (lane.row == row) return &lane;
    if (lane.kind->traits().shows == (inMore ? LaneShows::OtherTracks : LaneShows::WholeRank))
      instead = &lane;
  }
  return instead;
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
