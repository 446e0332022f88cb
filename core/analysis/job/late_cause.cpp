// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/late_cause.h"

#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"
#include "core/base/statistics.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// 0 where nobody has any.
TimeNs typicalOf(std::vector<TimeNs> values) {
  return values.empty() ? 0 : wholeMedian(std::move(values));
}

class CauseFinder {
 public:
  CauseFinder(const Analysis& analysis, const Straggler& straggler)
      : m_analysis(analysis), m_straggler(straggler) {}

  [[nodiscard]] LateCause run() {
    LateCause cause;
    std::array<std::vector<TimeNs>, kLateParts.size()> excess;
    const auto& steps = m_analysis.wholeStepWindows(m_straggler.rank).steps;
    for (const std::size_t i : m_straggler.slowSteps) {
      const auto own = timeOfParts(m_analysis, m_straggler.rank, steps[i].range);
      const auto others = partsOfOthers(steps[i].number);
      for (std::size_t p = 0; p < kLateParts.size(); ++p) excess[p].push_back(own[p] - typicalOf(others[p]));
    }
    TimeOfParts typical{};
    for (std::size_t p = 0; p < kLateParts.size(); ++p) typical[p] = typicalOf(excess[p]);
    const auto minimum = truncated(kPartExplains * static_cast<double>(typicalOf(m_straggler.costs)));
    std::tie(cause.part, cause.excess) = worstPart(typical, minimum);
    if (cause.part != LatePart::Unknown && cause.part != LatePart::DataLoader) nameWorst(cause);
    return cause;
  }

 private:
  [[nodiscard]] std::array<std::vector<TimeNs>, kLateParts.size()> partsOfOthers(std::int64_t number) const {
    std::array<std::vector<TimeNs>, kLateParts.size()> parts;
    forOthers([&](RankIndex other) {
      const auto& steps = m_analysis.wholeStepWindows(other).steps;
      const auto same = std::ranges::find(steps, number, &StepWindow::number);
      if (same == steps.end()) return;
      const auto values = timeOfParts(m_analysis, other, same->range);
      for (std::size_t p = 0; p < kLateParts.size(); ++p) parts[p].push_back(values[p]);
    });
    return parts;
  }

  template <class Visit> void forOthers(Visit&& visit) const {
    const int capture = m_analysis.trace().rank(m_straggler.rank).capture;
    for (std::size_t i = 0; i < m_analysis.trace().ranks().size(); ++i) {
      const RankIndex other(i);
      if (other != m_straggler.rank && m_analysis.trace().rank(other).capture == capture) visit(other);
    }
  }

  // The rank with the median step time excluding communication among the others.
  [[nodiscard]] RankIndex typicalRank() const {
    std::vector<std::pair<double, RankIndex>> ranks;
    forOthers([&](RankIndex other) {
      if (const auto slowdown = m_analysis.stragglers().ranks[other.value].slowdown)
        ranks.emplace_back(*slowdown, other);
    });
    if (ranks.empty()) return {};
    std::ranges::sort(ranks);
    return ranks[ranks.size() / 2].second;
  }

  using TimeByName = std::map<NameId, ExactSum>;

  [[nodiscard]] TimeByName timeByName(RankIndex rank, bool onDevice) const {
    TimeByName times;
    const auto& own = m_analysis.wholeStepWindows(m_straggler.rank).steps;
    const auto& steps = m_analysis.wholeStepWindows(rank).steps;
    const RankTrace& trace = *m_analysis.trace().rank(rank).trace;
    for (const std::size_t i : m_straggler.slowSteps) {
      const auto same = std::ranges::find(steps, own[i].number, &StepWindow::number);
      if (same == steps.end()) continue;
      if (onDevice) {
        for (const KernelStatistics& k : kernelStatistics(trace, m_analysis.trace().names(), same->range)) {
          if (k.deviceClass == DeviceClass::Compute) times[k.name] += k.total;
        }
      } else {
        const OperatorProfile profile =
            operatorProfile(trace, m_analysis.operatorTree(rank), m_analysis.trace().names(), same->range);
        for (const OperatorStatistics& op : profile.operators) times[op.name] += op.hostSelf;
      }
    }
    return times;
  }

  void nameWorst(LateCause& cause) const {
    cause.reference = typicalRank();
    if (!cause.reference.valid()) return;
    cause.onDevice = cause.part == LatePart::Kernels;
    TimeByName own = timeByName(m_straggler.rank, cause.onDevice);
    for (const auto& [name, time] : timeByName(cause.reference, cause.onDevice)) own[name] -= time;
    const auto steps = static_cast<TimeNs>(m_straggler.slowSteps.size());
    for (const auto& [name, time] : own) {
      if (time / steps <= cause.nameExcess) continue;
      cause.name = name;
      cause.nameExcess = time / steps;
    }
    if (static_cast<double>(cause.nameExcess) < kNameStandsOut * static_cast<double>(cause.excess))
      cause.name = {};
  }

  const Analysis& m_analysis;
  const Straggler& m_straggler;
};

} // namespace

LateCause lateCauseOf(const Analysis& analysis, const Straggler& straggler) {
  return CauseFinder(analysis, straggler).run();
}

} // namespace rankscope
