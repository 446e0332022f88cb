// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ranks/rank_bands.h"

#include "core/base/parallel_for.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kParts = RankBand::kParts;

// Begin of a part of the extent.
TimeNs beginOf(TimeRange extent, std::size_t part) {
  const double length = static_cast<double>(extent.length());
  return extent.begin + static_cast<TimeNs>(length * static_cast<double>(part) / kParts);
}

std::size_t partOf(TimeRange extent, TimeNs time) {
  if (extent.empty() || time <= extent.begin) return 0;
  const double share = static_cast<double>(time - extent.begin) / static_cast<double>(extent.length());
  return std::min(kParts - 1, static_cast<std::size_t>(share * kParts));
}

// Adds the covered share of each part, of 255.
void coverParts(const IntervalSet& set, TimeRange extent, std::span<std::uint8_t> shares) {
  std::vector<TimeNs> covered(kParts);
  for (const TimeRange range : set.ranges()) {
    const TimeRange within = range.clippedTo(extent);
    if (within.empty()) continue;
    for (std::size_t part = partOf(extent, within.begin); part < kParts; ++part) {
      const TimeRange of{beginOf(extent, part), beginOf(extent, part + 1)};
      if (of.begin >= within.end) break;
      covered[part] += within.clippedTo(of).length();
    }
  }
  for (std::size_t part = 0; part < kParts; ++part) {
    const TimeNs length = std::max<TimeNs>(1, beginOf(extent, part + 1) - beginOf(extent, part));
    shares[part] = static_cast<std::uint8_t>(std::min<TimeNs>(255, covered[part] * 255 / length));
  }
}

// The shares of one rank after the other, and the band over them.
class BandMaker {
 public:
  BandMaker(const Analysis& analysis, BandOf what, TimeRange extent, unsigned threads)
      : m_analysis(analysis), m_what(what), m_extent(extent), m_threads(threads) {}

  RankBand make() {
    const std::size_t ranks = m_analysis.trace().ranks().size();
    m_shares.resize(ranks * kParts);
    parallelFor(ranks, m_threads, [&](std::size_t i) {
      coverParts(setOf(RankIndex(i)), m_extent, std::span(m_shares).subspan(i * kParts, kParts));
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

  void fill(RankBand& band, std::size_t part) const {
    const std::size_t ranks = m_shares.size() / kParts;
    std::vector<std::uint8_t> column(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) column[rank] = m_shares[rank * kParts + part];
    const auto [least, most] = std::ranges::minmax_element(column);
    band.least[part] = *least;
    band.most[part] = *most;
    band.leastRank[part] = RankIndex(static_cast<std::size_t>(least - column.begin()));
    band.mostRank[part] = RankIndex(static_cast<std::size_t>(most - column.begin()));
    const auto middle = column.begin() + static_cast<std::ptrdiff_t>(ranks / 2);
    std::ranges::nth_element(column, middle);
    band.median[part] = *middle;
  }

  // Of the time that a rank was recorded, so that a short recording is not taken for an idle rank.
  void nameOdd(RankBand& band) const {
    std::vector<double> shares;
    std::vector<RankIndex> ranks;
    shares.reserve(m_analysis.trace().ranks().size());
    ranks.reserve(m_analysis.trace().ranks().size());
    for (std::size_t i = 0; i < m_analysis.trace().ranks().size(); ++i) {
      const RankIndex rank(i);
      const TimeNs span = m_analysis.wholeActivity(rank).span.length();
      if (span <= 0) continue;
      ranks.push_back(rank);
      shares.push_back(static_cast<double>(setOf(rank).totalLength()) / static_cast<double>(span));
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
  TimeRange m_extent;
  unsigned m_threads;
  std::vector<std::uint8_t> m_shares; // rank by rank
};

} // namespace

std::size_t RankBands::partAt(TimeNs time) const {
  return partOf(extent, time);
}

RankBands rankBands(const Analysis& analysis, unsigned threadCount) {
  RankBands bands;
  bands.extent = analysis.trace().extent();
  for (const BandOf what : {BandOf::Compute, BandOf::ExposedCommunication})
    bands.bands[static_cast<std::size_t>(what)] = BandMaker(analysis, what, bands.extent, threadCount).make();
  return bands;
}

} // namespace rankscope::ui
