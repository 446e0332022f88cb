// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/clock_ratios.h"

#include "core/analysis/account/call_facts.h"
#include "core/analysis/account/pace_digest.h"
#include "core/base/parallel_for.h"
#include "core/base/statistics.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr TimeNs kMinKernel = 50'000;
constexpr std::size_t kMinCalls = 20;
constexpr double kMinShareOfKinds = 0.7;

double ratioOf(const std::vector<KernelPace>& kinds,
               const std::unordered_map<KernelKind, std::vector<double>>& medians) {
  double own = 0;
  double usual = 0;
  std::size_t compared = 0;
  std::size_t slower = 0;
  for (const KernelPace& of : kinds) {
    const std::vector<double>& all = medians.at(of.kind);
    if (all.size() < 2) continue;
    const double middle = median(all);
    ++compared;
    if (of.median >= kMinSlowClock * middle) ++slower;
    own += of.total;
    usual += of.total * middle / of.median;
  }
  if (compared == 0 || static_cast<double>(slower) < kMinShareOfKinds * static_cast<double>(compared))
    return 1;
  const double ratio = own / usual;
  return ratio >= kMinSlowClock ? ratio : 1;
}

// From the rank's events, or its digest.
std::vector<KernelPace> pacesOf(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  if (const RankDigest* const digest = digestOf(analysis.trace(), rank)) return unpackedPaces(*digest);
  return kernelPaces(trace, analysis.trace().names(), analysis.wholeActivity(rank).communication);
}

} // namespace

std::vector<KernelPace> kernelPaces(const RankTrace& trace, const StringTable& names,
                                    const IntervalSet& communication) {
  std::unordered_map<KernelKind, std::vector<TimeNs>> times;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const TimeNs duration = trace.events.duration[event];
    if (duration < kMinKernel || trace.events.kind[event] != EventKind::Kernel) continue;
    const KernelKind kind = kernelKind(trace, event);
    if (kind.known() && communication.coveredWithin(trace.events.range(event)) == 0)
      times[kind].push_back(duration);
  }
  std::vector<KernelPace> kinds;
  for (auto& [kind, of] : times) {
    if (of.size() < kMinCalls) continue;
    const auto calls = static_cast<double>(of.size());
    const double middle = median(std::move(of));
    kinds.push_back({kind, middle, middle * calls});
  }
  // By text, as names are numbered otherwise when a rank is read alone.
  std::ranges::sort(kinds, {}, [&](const KernelPace& of) {
    return std::tuple(names[of.kind.name], of.kind.blocks, of.kind.occupancy);
  });
  return kinds;
}

std::vector<double> clockRatios(const Analysis& analysis, unsigned threadCount, const Progress* progress) {
  std::vector<double> ratios(analysis.trace().ranks().size(), 1);
  const std::vector<RankIndex>& ranks = analysis.ranks();
  for (const RankIndex rank : ranks)
    if (const RankFacts* const told = toldFacts(analysis, rank)) ratios[rank.value] = told->clockRatio;
  if (ranks.size() < 2 || !analysis.trace().side().jobFacts.empty()) return ratios;
  std::vector<std::vector<KernelPace>> kinds(ranks.size());
  parallelFor(ranks.size(), threadCount, [&](std::size_t i) {
    if (progress != nullptr && progress->cancelled()) return;
    kinds[i] = pacesOf(analysis, ranks[i]);
  });
  std::unordered_map<KernelKind, std::vector<double>> medians;
  for (const auto& ofRank : kinds) {
    for (const KernelPace& of : ofRank) medians[of.kind].push_back(of.median);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) ratios[ranks[i].value] = ratioOf(kinds[i], medians);
  return ratios;
}

} // namespace rankscope
