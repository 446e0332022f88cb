// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/elementwise_chains.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope {

namespace {

constexpr std::size_t kMinChain = 3;

bool joins(KernelWork work) {
  return work == KernelWork::Elementwise || work == KernelWork::Mean || work == KernelWork::Cast ||
         work == KernelWork::Copy || work == KernelWork::Dropout;
}

} // namespace

std::vector<std::span<const EventIndex>>
elementwiseChains(std::span<const EventIndex> stream,
                  const std::function<const KernelTraits&(EventIndex)>& traitsOf,
                  const std::function<bool(EventIndex)>& mayJoin) {
  std::vector<std::span<const EventIndex>> chains;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= stream.size(); ++i) {
    if (i < stream.size() && joins(traitsOf(stream[i]).work) && mayJoin(stream[i])) continue;
    if (i - begin >= kMinChain) chains.push_back(stream.subspan(begin, i - begin));
    begin = i + 1;
  }
  return chains;
}

std::vector<TimeNs> fusedSavings(std::span<const TimeNs> times) {
  std::vector<TimeNs> savings(times.size());
  const TimeNs total = std::accumulate(times.begin(), times.end(), TimeNs{0});
  if (total <= 0) return savings;
  const double saved = 1 - static_cast<double>(std::ranges::max(times)) / static_cast<double>(total);
  std::ranges::transform(times, savings.begin(), [&](TimeNs time) {
    return static_cast<TimeNs>(std::floor(static_cast<double>(time) * saved));
  });
  return savings;
}

} // namespace rankscope
