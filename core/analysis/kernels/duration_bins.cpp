// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/kernels/duration_bins.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope {

namespace {

// Rice's rule for the number of bins.
std::size_t binsFor(std::size_t calls, std::size_t maximum) {
  const double wanted = std::ceil(2 * std::cbrt(static_cast<double>(calls)));
  return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, maximum);
}

// Bounds from the shortest to just above the longest duration, without duplicates.
std::vector<TimeNs> boundsBetween(TimeNs shortest, TimeNs longest, std::size_t bins) {
  std::vector<TimeNs> bounds{shortest};
  const double low = std::log(static_cast<double>(std::max<TimeNs>(1, shortest)));
  const double high = std::log(static_cast<double>(longest + 1));
  for (std::size_t i = 1; i < bins; ++i) {
    const double at = low + (high - low) * static_cast<double>(i) / static_cast<double>(bins);
    const auto bound = static_cast<TimeNs>(std::llround(std::exp(at)));
    if (bound > bounds.back() && bound <= longest) bounds.push_back(bound);
  }
  bounds.push_back(longest + 1);
  return bounds;
}

} // namespace

std::optional<std::size_t> DurationBins::binOf(TimeNs duration) const {
  if (bounds.empty() || duration < bounds.front() || duration >= bounds.back()) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::upper_bound(bounds, duration) - bounds.begin()) - 1;
}

DurationBins durationBins(std::vector<TimeNs> durations, std::size_t maximum) {
  DurationBins bins;
  if (durations.empty()) return bins;
  const auto [shortest, longest] = std::ranges::minmax(durations);
  bins.calls = static_cast<std::int64_t>(durations.size());
  bins.shortest = shortest;
  bins.longest = longest;
  bins.bounds = boundsBetween(shortest, longest, binsFor(durations.size(), maximum));
  bins.counts.resize(bins.bounds.size() - 1);
  for (const TimeNs duration : durations) ++bins.counts[*bins.binOf(duration)];
  bins.p50 = wholeMedian(durations);
  bins.p90 = percentile(durations, 90);
  bins.p99 = percentile(durations, 99);
  return bins;
}

} // namespace rankscope
