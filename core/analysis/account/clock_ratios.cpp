// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/clock_ratios.h"

#include "core/analysis/kernels/kernel_kind.h"
#include "core/base/parallel_for.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr TimeNs kMinKernel = 50'000;
constexpr std::size_t kMinCalls = 20;
constexpr double kMinShareOfKinds = 0.7;

struct KindOfRank {
  KernelKind kind;
  double median = 0;
  double total = 0;
};

std::vector<KindOfRank> kindsOf(const RankTrace& trace, const IntervalSet& communication) {
  std::unordered_map<KernelKind, std::vector<TimeNs>> times;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const TimeNs duration = trace.events.duration[event];
    if (duration < kMinKernel || trace.events.kind[event] != EventKind::Kernel) continue;
    const KernelKind kind = kernelKind(trace, event);
    if (kind.known() && communication.coveredWithin(trace.events.range(event)) == 0)
      times[kind].push_back(duration);
  }
  std::vector<KindOfRank> kinds;
  for (auto& [kind, of] : times) {
    if (of.size() < kMinCalls) continue;
    const auto calls = static_cast<double>(of.size());
    const double middle = median(std::move(of));
    kinds.push_back({kind, middle, middle * calls});
  }
  std::ranges::sort(kinds, {}, [](const KindOfRank& of) {
    return std::tuple(of.kind.name.value, of.kind.blocks, of.kind.occupancy);
  });
  return kinds;
}

double ratioOf(const std::vector<KindOfRank>& kinds,
               const std::unordered_map<KernelKind, std::vector<double>>& medians) {
  double own = 0;
  double usual = 0;
  std::size_t compared = 0;
  std::size_t slower = 0;
  for (const KindOfRank& of : kinds) {
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

} // namespace

std::vector<double> clockRatios(const Analysis& analysis, unsigned threadCount, const Progress* progress) {
  std::vector<double> ratios(analysis.trace().ranks().size(), 1);
  const std::vector<RankIndex>& ranks = analysis.ranks();
  if (ranks.size() < 2) return ratios;
  std::vector<std::vector<KindOfRank>> kinds(ranks.size());
  parallelFor(ranks.size(), threadCount, [&](std::size_t i) {
    if (progress != nullptr && progress->cancelled()) return;
    kinds[i] =
        kindsOf(*analysis.trace().rank(ranks[i]).trace, analysis.wholeActivity(ranks[i]).communication);
  });
  std::unordered_map<KernelKind, std::vector<double>> medians;
  for (const auto& ofRank : kinds) {
    for (const KindOfRank& of : ofRank) medians[of.kind].push_back(of.median);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) ratios[ranks[i].value] = ratioOf(kinds[i], medians);
  return ratios;
}

} // namespace rankscope
