// SPDX-License-Identifier: GPL-3.0-or-later
// What all ranks of a large job do over time: for each of equal parts of the recording the least, the median
// and the largest share of compute and of exposed communication among the ranks, and the ranks that are
// farthest from the others over the whole recording. Plain data; O(ranks · (parts + ranges)) to make.
#pragma once

#include "core/analysis/job/analysis.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::ui {

enum class BandOf : std::uint8_t { Compute, ExposedCommunication };
inline constexpr std::size_t kBandCount = 2;

// From this number of ranks on.
inline constexpr std::size_t kRanksForBands = 64;

struct RankBand {
  static constexpr std::size_t kParts = 4096;

  // By part; shares are of 255.
  std::vector<std::uint8_t> least;
  std::vector<std::uint8_t> median;
  std::vector<std::uint8_t> most;
  std::vector<RankIndex> leastRank;
  std::vector<RankIndex> mostRank;
  double meanShare = 0; // of the median rank, over the whole recording

  // Ranks whose share of the whole recording is more than kOddShare from the median, farthest first.
  struct Odd {
    RankIndex rank;
    double share = 0;
  };
  std::vector<Odd> odd;
};

inline constexpr double kOddShare = 0.05;

struct RankBands {
  TimeRange extent; // of the drawn job
  std::array<RankBand, kBandCount> bands;

  [[nodiscard]] const RankBand& of(BandOf what) const { return bands[static_cast<std::size_t>(what)]; }
  // The part of a time; clamped.
  [[nodiscard]] std::size_t partAt(TimeNs time) const;
};

// REQUIRES: the analysis has the activity of all ranks, on the job's clock.
[[nodiscard]] RankBands rankBands(const Analysis& analysis, unsigned threadCount);

} // namespace rankscope::ui
