// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/dimension_costs.h"

#include "core/analysis/parallel/dimension_times.h"

#include <algorithm>

namespace rankscope {

DimensionCosts::DimensionCosts(const FindingContext& context, const JobParallel& parallel)
    : m_parallel(parallel) {
  const Analysis& analysis = context.analysis();
  for (const RankEntry& entry : analysis.trace().ranks()) m_hostOf.emplace(entry.rank, entry.host);
  for (const RankIndex rank : context.ranks()) addRank(analysis, rank);
}

void DimensionCosts::addRank(const Analysis& analysis, RankIndex rank) {
  std::set<std::size_t> steps;
  for (const DimensionTime& time : dimensionTimes(analysis, rank, m_parallel.dimensions.ofCall[rank.value])) {
    if (!isKeptInScope(analysis, rank, time.step)) continue;
    steps.insert(time.step);
    Sums& of = m_sums[time.dimension];
    of.exposed += static_cast<double>(time.exposed);
    of.calls += static_cast<double>(time.calls);
    if (!time.bytesKnown) continue;
    of.bytes += static_cast<double>(time.bytes);
    of.sized += static_cast<double>(time.calls);
  }
  m_steps += static_cast<double>(steps.size());
}

const DimensionCosts::Sums* DimensionCosts::of(RankDimension dimension) const {
  const auto found = m_sums.find(dimension);
  return found == m_sums.end() ? nullptr : &found->second;
}

double DimensionCosts::exposed(RankDimension dimension) const {
  const Sums* const found = of(dimension);
  return found == nullptr || m_steps <= 0 ? 0 : found->exposed / m_steps;
}

std::size_t DimensionCosts::hostsOf(RankDimension dimension) const {
  std::size_t most = 0;
  for (const ParallelGroup& group : m_parallel.dimensions.groups) {
    if (group.dimension != dimension) continue;
    std::set<std::string> hosts;
    for (const std::int32_t member : group.members) {
      if (std::string host = hostOf(member); !host.empty()) hosts.insert(std::move(host));
    }
    most = std::max(most, hosts.size());
  }
  return most;
}

std::string DimensionCosts::hostOf(int rank) const {
  const auto found = m_hostOf.find(rank);
  return found == m_hostOf.end() ? std::string() : found->second;
}

} // namespace rankscope
