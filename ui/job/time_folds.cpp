// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/time_folds.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::ui {

namespace {

__extension__ using Int128 = __int128;

constexpr TimeNs kShortest = 1'000'000; // shorter gaps are never folded
constexpr TimeNs kLonger = 2;           // than the longest stretch that was recorded without a break
constexpr std::size_t kShare = 50;      // a fold takes this part of what is drawn, and
constexpr std::size_t kAllShare = 5;    // all folds at most this part of it

// part / whole of length, for parts up to whole.
TimeNs scaled(TimeNs length, TimeNs part, TimeNs whole) {
  return static_cast<TimeNs>(Int128{length} * part / whole);
}

// The times in which something was recorded, ascending and apart from each other.
std::vector<TimeRange> recordedStretches(const TraceSet& traces, const TimelineChoice& choice) {
  std::vector<TimeRange> stretches;
  stretches.reserve(traces.ranks().size());
  for (const RankEntry& entry : traces.ranks())
    if (choice.shows(entry) && !entry.trace->extent.empty()) stretches.push_back(entry.trace->extent);
  std::ranges::sort(stretches, {}, &TimeRange::begin);
  std::size_t last = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (stretches[i].begin <= stretches[last].end)
      stretches[last].end = std::max(stretches[last].end, stretches[i].end);
    else
      stretches[++last] = stretches[i];
  }
  stretches.resize(std::min(stretches.size(), last + 1));
  return stretches;
}

} // namespace

TimeFolds::TimeFolds(std::vector<TimeFold> folds) : m_folds(std::move(folds)) {
  TimeNs removed = 0;
  m_removed.reserve(m_folds.size());
  for (const TimeFold& fold : m_folds) {
    removed += fold.gap.length() - fold.drawn;
    m_removed.push_back(removed);
  }
}

TimeRange TimeFolds::drawnOf(std::size_t fold) const {
  const TimeNs begin = m_folds[fold].gap.begin - (fold > 0 ? m_removed[fold - 1] : 0);
  return {begin, begin + m_folds[fold].drawn};
}

TimeNs TimeFolds::toDrawn(TimeNs time) const {
  const auto after =
      std::ranges::upper_bound(m_folds, time, {}, [](const TimeFold& it) { return it.gap.begin; });
  if (after == m_folds.begin()) return time;
  const auto at = static_cast<std::size_t>(after - m_folds.begin()) - 1;
  const TimeFold& fold = m_folds[at];
  if (time >= fold.gap.end) return time - m_removed[at];
  return drawnOf(at).begin + scaled(fold.drawn, time - fold.gap.begin, fold.gap.length());
}

TimeNs TimeFolds::toJob(TimeNs drawn) const {
  std::size_t count = 0; // of folds that begin at or before it
  for (std::size_t more = m_folds.size(); more > 0;) {
    const std::size_t half = more / 2;
    if (drawnOf(count + half).begin <= drawn) {
      count += half + 1;
      more -= half + 1;
    } else {
      more = half;
    }
  }
  if (count == 0) return drawn;
  const TimeFold& fold = m_folds[count - 1];
  const TimeRange place = drawnOf(count - 1);
  if (drawn >= place.end) return drawn + m_removed[count - 1];
  return fold.gap.begin + scaled(fold.gap.length(), drawn - place.begin, place.length());
}

TimeFolds foldsOf(const TraceSet& traces, const TimelineChoice& choice) {
  if (!choice.foldGaps) return {};
  const std::vector<TimeRange> stretches = recordedStretches(traces, choice);
  if (stretches.size() < 2) return {};
  TimeNs longest = 0;
  TimeNs recorded = 0;
  for (const TimeRange stretch : stretches) {
    longest = std::max(longest, stretch.length());
    recorded += stretch.length();
  }
  std::vector<TimeFold> folds;
  folds.reserve(stretches.size());
  TimeNs drawn = recorded;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    const TimeRange gap{stretches[i - 1].end, stretches[i].begin};
    if (gap.length() >= kShortest && gap.length() / kLonger >= longest)
      folds.push_back({gap, 0});
    else
      drawn += gap.length();
  }
  const auto part = static_cast<TimeNs>(std::max(kShare, kAllShare * folds.size()));
  for (TimeFold& fold : folds) fold.drawn = std::clamp<TimeNs>(drawn / part, 1, fold.gap.length());
  return TimeFolds(std::move(folds));
}

} // namespace rankscope::ui
