// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ranks/rank_bands.h"

#include "core/base/exact_sum.h"
#include "core/base/parallel_for.h"
#include "core/model/rank_recordings.h"
#include "core/model/recorded_once.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kParts = RankBand::kParts;

// Recorded time before a time.
TimeNs recordedBefore(const IntervalSet& recorded, TimeNs time) {
  const TimeNs begin = recorded.hull().begin;
  return time <= begin ? 0 : recorded.coveredWithin({begin, time});
}

// Begin of a part, in recorded time.
TimeNs beginOf(TimeNs whole, std::size_t part) {
  return static_cast<TimeNs>(static_cast<double>(whole) * static_cast<double>(part) / kParts);
}

// Of a place in recorded time.
std::size_t partOf(TimeNs whole, TimeNs place) {
  if (whole <= 0 || place <= 0) return 0;
  const double share = static_cast<double>(place) / static_cast<double>(whole);
  return std::min(kParts - 1, static_cast<std::size_t>(share * kParts));
}

// Adds the time of each part that is covered.
void coverParts(const IntervalSet& set, const IntervalSet& recorded, std::vector<TimeNs>& covered) {
  const TimeNs whole = recorded.totalLength();
  for (const TimeRange range : set.ranges()) {
    const TimeRange within{recordedBefore(recorded, range.begin), recordedBefore(recorded, range.end)};
    if (within.empty()) continue;
    for (std::size_t part = partOf(whole, within.begin); part < kParts; ++part) {
      const TimeRange of{beginOf(whole, part), beginOf(whole, part + 1)};
      if (of.begin >= within.end) break;
      covered[part] += within.clippedTo(of).length();
    }
  }
}

// The shares of one rank after the other, and the band over them.
class BandMaker {
 public:
  BandMaker(const Analysis& analysis, BandOf what, const IntervalSet& recorded, unsigned threads)
      : m_analysis(analysis), m_what(what), m_recorded(recorded), m_threads(threads),
        m_ranks(recordingsByRank(analysis.trace())) {
    for (std::vector<RankIndex>& recordings : m_ranks)
      recordings = recordedOnce(analysis.trace(), recordings);
  }

  RankBand make() {
    m_shares.resize(m_ranks.size() * kParts);
    parallelFor(m_ranks.size(), m_threads, [&](std::size_t i) {
      setShares(m_ranks[i], std::span(m_shares).subspan(i * kParts, kParts));
    });
    RankBand band;
    for (std::vector<std::uint8_t>* const values : {&band.least, &band.median, &band.most})
      values->resize(kParts);
    band.leastRank.resize(kParts);
    band.mostRank.resize(kParts);
    parallelFor(kParts, m_threads, [&](std::size_t part) { fill(band, part); });
    nameOdd(band);
    return band;
  }

 private:
  [[nodiscard]] const IntervalSet& setOf(RankIndex rank) const {
    return m_what == BandOf::Compute ? m_analysis.wholeActivity(rank).compute
                                     : m_analysis.wholeActivity(rank).exposed;
  }
  [[nodiscard]] int numberOf(std::size_t rank) const {
    return m_analysis.trace().rank(m_ranks[rank].front()).rank;
  }

  // Of 255.
  void setShares(const std::vector<RankIndex>& recordings, std::span<std::uint8_t> shares) const {
    std::vector<TimeNs> covered(kParts);
    for (const RankIndex recording : recordings) coverParts(setOf(recording), m_recorded, covered);
    const TimeNs whole = m_recorded.totalLength();
    for (std::size_t part = 0; part < kParts; ++part) {
      const TimeNs length = std::max<TimeNs>(1, beginOf(whole, part + 1) - beginOf(whole, part));
      shares[part] = static_cast<std::uint8_t>(std::min<TimeNs>(255, covered[part] * 255 / length));
    }
  }

  void fill(RankBand& band, std::size_t part) const {
    std::vector<std::uint8_t> column(m_ranks.size());
    for (std::size_t rank = 0; rank < column.size(); ++rank) column[rank] = m_shares[rank * kParts + part];
    const auto [least, most] = std::ranges::minmax_element(column);
    band.least[part] = *least;
    band.most[part] = *most;
    band.leastRank[part] = numberOf(static_cast<std::size_t>(least - column.begin()));
    band.mostRank[part] = numberOf(static_cast<std::size_t>(most - column.begin()));
    const auto middle = column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2);
    std::ranges::nth_element(column, middle);
    band.median[part] = *middle;
  }

  // Of the time that a rank was recorded, so that a short recording is not taken for an idle rank.
  void nameOdd(RankBand& band) const {
    std::vector<double> shares;
    std::vector<int> ranks;
    shares.reserve(m_ranks.size());
    ranks.reserve(m_ranks.size());
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
      ExactSum covered;
      ExactSum span;
      for (const RankIndex recording : m_ranks[i]) {
        covered += setOf(recording).totalLength();
        span += m_analysis.wholeActivity(recording).span.length();
      }
      if (span <= 0) continue;
      ranks.push_back(numberOf(i));
      shares.push_back(static_cast<double>(covered) / static_cast<double>(span));
    }
    if (shares.empty()) return;
    std::vector<double> sorted = shares;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    band.meanShare = sorted[sorted.size() / 2];
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (std::abs(shares[i] - band.meanShare) > kOddShare) band.odd.push_back({ranks[i], shares[i]});
    std::ranges::stable_sort(band.odd, std::greater<>(),
                             [&](const RankBand::Odd& odd) { return std::abs(odd.share - band.meanShare); });
  }

  const Analysis& m_analysis;
  BandOf m_what;
  const IntervalSet& m_recorded;
  unsigned m_threads;
  std::vector<std::vector<RankIndex>> m_ranks; // recordings of each
  std::vector<std::uint8_t> m_shares;          // rank by rank
};

} // namespace

bool hasBands(const TraceSet& traces) {
  return traces.ranks().size() >= kRanksForBands && recordingsByRank(traces).size() >= kRanksForBands;
}

std::size_t RankBands::partAt(TimeNs time) const {
  return partOf(recorded.totalLength(), recordedBefore(recorded, time));
}

RankBands rankBands(const Analysis& analysis, unsigned threadCount) {
  RankBands bands;
  std::vector<TimeRange> extents;
  for (const RankEntry& entry : analysis.trace().ranks()) extents.push_back(entry.trace->extent);
  bands.recorded = IntervalSet(std::move(extents));
  for (const BandOf what : {BandOf::Compute, BandOf::ExposedCommunication})
    bands.bands[static_cast<std::size_t>(what)] =
        BandMaker(analysis, what, bands.recorded, threadCount).make();
  return bands;
}

} // namespace rankscope::ui
