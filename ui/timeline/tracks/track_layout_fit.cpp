// SPDX-License-Identifier: GPL-3.0-or-later
// What TrackLayout expands by default, and how it fills the height of the view.
#include "core/model/rank_digest.h"
#include "ui/timeline/tracks/track_layout.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::ui {
namespace {

constexpr int kTallView = 1000;      // from this height on, more ranks start expanded
constexpr std::size_t kFewRanks = 8; // up to this number, the first rank starts expanded
constexpr int kMaxGrowth = 300;      // row height in a tall view, percent
constexpr int kGrowthStep = 25;
constexpr int kMaxCounterGrowth = 400; // of counters beyond that of rows, percent
constexpr std::size_t kMaxTried = 64;  // tracks that a tall view tries to expand
constexpr int kMostOfIt = 65;          // percent of the height of a rank

} // namespace

void TrackLayout::updateFor(int lines, std::shared_ptr<const TraceSet> trace, const TimelineChoice& choice,
                            std::span<const RankGroup> groups, std::span<const RankIndex> first) {
  m_startOpen.reset();
  m_openSections.clear();
  m_growth = m_counterGrowth = 100;
  update(trace, choice, groups);
  const Fits fits = [&] {
    update(trace, choice, groups);
    return m_height <= lines;
  };
  if (m_height == 0) return;
  if (m_height <= lines) fill(lines >= kTallView, first, fits);
  expandFirst(first, lines, fits);
}

void TrackLayout::fill(bool tall, std::span<const RankIndex> first, const Fits& fits) {
  if (tall) expandSections(true, fits);
  if (tall || !first.empty()) expandRanks(first, tall, fits);
  if (!tall) return;
  expandSections(false, fits);
  const auto grow = [&](int& growth, int most) {
    while (growth < most) {
      growth += kGrowthStep;
      if (fits()) continue;
      growth -= kGrowthStep;
      break;
    }
  };
  grow(m_growth, kMaxGrowth);
  grow(m_counterGrowth, kMaxCounterGrowth);
  static_cast<void>(fits());
}

// A straggler above all other ranks is expanded if most of it is seen, even if other ranks are not.
void TrackLayout::expandFirst(std::span<const RankIndex> stragglers, int lines, const Fits& fits) {
  const std::vector<RankIndex> shown = shownRanks();
  if (shown.empty() || std::ranges::find(stragglers, shown.front()) == stragglers.end()) return;
  const RankIndex rank = shown.front();
  if (m_expanded[rank.value] || digestOf(*m_trace, rank) != nullptr) return;
  const std::optional<std::vector<bool>> before = m_startOpen;
  m_startOpen = m_expanded;
  (*m_startOpen)[rank.value] = true;
  static_cast<void>(fits());
  const int top = rankLane(rank).top;
  if (top + (rankBottom(rank) - top) * kMostOfIt / 100 <= lines) return;
  m_startOpen = before;
  static_cast<void>(fits());
}

// Those of `first` as far as they fit, then all others from the top until one does not fit.
void TrackLayout::expandRanks(std::span<const RankIndex> first, bool others, const Fits& fits) {
  std::vector<bool> open = m_expanded;
  const std::vector<RankIndex> shown = shownRanks();
  const auto expand = [&](RankIndex rank) {
    if (open[rank.value] || digestOf(*m_trace, rank) != nullptr) return true;
    open[rank.value] = true;
    m_startOpen = open;
    if (fits()) return true;
    open[rank.value] = false;
    return false;
  };
  // One of them may take the place of the rank that is expanded because it is the first of all.
  bool mayClose = others && std::ranges::find(first, RankIndex(0)) == first.end();
  for (const RankIndex rank : first) {
    if (std::ranges::find(shown, rank) == shown.end() || expand(rank) || !mayClose) continue;
    const bool before = open[0];
    open[0] = false;
    mayClose = !expand(rank);
    if (mayClose) open[0] = before;
  }
  if (others) static_cast<void>(std::ranges::all_of(shown, expand));
  m_startOpen = std::move(open);
  static_cast<void>(fits());
}

void TrackLayout::expandSections(bool ofCaptures, const Fits& fits) {
  std::set<std::string> tried;
  for (auto next = foldedSection(ofCaptures, tried); next && tried.size() < kMaxTried;
       next = foldedSection(ofCaptures, tried)) {
    tried.insert(*next);
    m_openSections.insert(*next);
    if (fits()) continue;
    m_openSections.erase(*next);
    static_cast<void>(fits());
  }
}

std::optional<std::string> TrackLayout::foldedSection(bool ofCaptures,
                                                      const std::set<std::string>& without) const {
  const auto found = std::ranges::find_if(m_sections, [&](const Section& section) {
    const bool wanted = section.group != nullptr ? ofCaptures && section.group->captures
                                                 : !ofCaptures && !section.key.isRank();
    return section.folded && wanted && !without.contains(section.key.id);
  });
  return found == m_sections.end() ? std::nullopt : std::optional(found->key.id);
}

bool TrackLayout::startsOpen(RankIndex rank) const {
  if (m_startOpen) return rank.value < m_startOpen->size() && (*m_startOpen)[rank.value];
  return rank.value == 0 && m_trace->ranks().size() <= kFewRanks;
}

} // namespace rankscope::ui
