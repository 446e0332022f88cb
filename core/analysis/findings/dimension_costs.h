// SPDX-License-Identifier: GPL-3.0-or-later
// What communication of each dimension of the job costs, and over how many hosts its groups reach: shared by
// the rules about layers and experts. Private to the findings.
#pragma once

#include "core/analysis/findings/finding_context.h"
#include "core/analysis/parallel/job_parallel.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace rankscope {

class DimensionCosts {
 public:
  struct Sums {
    double exposed = 0;
    double bytes = 0;
    double calls = 0;
    double sized = 0; // calls with known bytes
  };

  DimensionCosts(const FindingContext& context, const JobParallel& parallel);

  // Over the kept steps of all ranks; null for a dimension without calls.
  [[nodiscard]] const Sums* of(RankDimension dimension) const;
  [[nodiscard]] double steps() const { return m_steps; } // of ranks
  // Nanoseconds of a step, mean over ranks.
  [[nodiscard]] double exposed(RankDimension dimension) const;
  // Of a group of a dimension, the most over all groups; hosts that are not known do not count.
  [[nodiscard]] std::size_t hostsOf(RankDimension dimension) const;
  // Empty if it is not known.
  [[nodiscard]] std::string hostOf(int rank) const;

 private:
  void addRank(const Analysis& analysis, RankIndex rank);

  const JobParallel& m_parallel;
  std::map<int, std::string> m_hostOf; // by rank
  std::map<RankDimension, Sums> m_sums;
  double m_steps = 0;
};

} // namespace rankscope
