// SPDX-License-Identifier: GPL-3.0-or-later
// What all ranks of a large job do over time: for each of equal parts of the recorded time the least, the
// median and the largest share of compute and of exposed communication among the ranks, and the ranks that
// are farthest from the others over all of it. The captures of a rank are one; time between captures is no
// part. Plain data; O(ranks · (parts + ranges)) to make.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/index/interval_set.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::ui {

enum class BandOf : std::uint8_t { Compute, ExposedCommunication };
inline constexpr std::size_t kBandCount = 2;

// From this number of ranks on.
inline constexpr std::size_t kRanksForBands = 64;
[[nodiscard]] bool hasBands(const TraceSet& traces);

struct RankBand {
  static constexpr std::size_t kParts = 4096;

  // By part; shares are of 255.
  std::vector<std::uint8_t> least;
  std::vector<std::uint8_t> median;
  std::vector<std::uint8_t> most;
  std::vector<int> leastRank; // numbers
  std::vector<int> mostRank;
  double meanShare = 0; // of the median rank, over all that was recorded

  // Ranks whose share of all that was recorded is more than kOddShare from the median, farthest first.
  struct Odd {
    int rank = 0; // its number
    double share = 0;
  };
  std::vector<Odd> odd;
};

inline constexpr double kOddShare = 0.05;

struct RankBands {
  IntervalSet recorded; // on any rank of the drawn job
  std::array<RankBand, kBandCount> bands;

  [[nodiscard]] const RankBand& of(BandOf what) const { return bands[static_cast<std::size_t>(what)]; }
  // The part of a time; of one between captures, the last part before.
  [[nodiscard]] std::size_t partAt(TimeNs time) const;
};

// REQUIRES: the analysis has the activity of all ranks, on the job's clock.
[[nodiscard]] RankBands rankBands(const Analysis& analysis, unsigned threadCount);

} // namespace rankscope::ui
