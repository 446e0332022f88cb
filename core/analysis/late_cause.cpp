// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/late_cause.h"

#include "core/analysis/analysis.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// A part explains a straggler when it makes up this share of what the others wait.
constexpr double kExplains = 0.3;
// A name stands out when it makes up this share of its part's excess.
constexpr double kStandsOut = 0.4;

constexpr std::array kParts{LatePart::DataLoader, LatePart::Kernels,   LatePart::Forward, LatePart::Loss,
                            LatePart::Backward,   LatePart::Optimizer, LatePart::Host};

TimeNs middleOf(std::vector<TimeNs> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// How long a rank spent in each part of one step.
std::array<TimeNs, kParts.size()> partsOf(const Analysis& analysis, RankIndex rank, const StepWindow& step) {
  const HostPhases& phases = analysis.wholePhases(rank);
  const DeviceActivity& activity = analysis.wholeActivity(rank);
  const auto host = [&](Phase phase) { return phases.of(phase).coveredWithin(step.range); };
  const TimeNs idle =
      activity.busy.empty() ? 0 : step.range.length() - activity.busy.coveredWithin(step.range);
  return {host(Phase::DataLoader),
          activity.compute.coveredWithin(step.range),
          host(Phase::Forward),
          host(Phase::Loss),
          host(Phase::Backward),
          host(Phase::Optimizer),
          idle};
}

class CauseFinder {
 public:
  CauseFinder(const Analysis& analysis, const Straggler& straggler)
      : m_analysis(analysis), m_straggler(straggler) {}

  [[nodiscard]] LateCause run() {
    LateCause cause;
    std::array<std::vector<TimeNs>, kParts.size()> excess;
    const auto& steps = m_analysis.wholeStepWindows(m_straggler.rank).steps;
    for (const std::size_t i : m_straggler.slowSteps) {
      const auto own = partsOf(m_analysis, m_straggler.rank, steps[i]);
      const auto others = partsOfOthers(steps[i].number);
      for (std::size_t p = 0; p < kParts.size(); ++p) excess[p].push_back(own[p] - middleOf(others[p]));
    }
    const auto least = static_cast<TimeNs>(kExplains * static_cast<double>(m_straggler.costPerStep));
    for (std::size_t p = 0; p < kParts.size(); ++p) {
      const TimeNs typical = middleOf(excess[p]);
      // The first two say more than the phase that they happen in.
      const bool decided = cause.part == LatePart::DataLoader || cause.part == LatePart::Kernels;
      if (decided || typical < least || typical <= cause.excess) continue;
      cause.part = kParts[p];
      cause.excess = typical;
    }
    if (cause.part != LatePart::Unknown && cause.part != LatePart::DataLoader) nameWorst(cause);
    return cause;
  }

 private:
  [[nodiscard]] std::array<std::vector<TimeNs>, kParts.size()> partsOfOthers(std::int64_t number) const {
    std::array<std::vector<TimeNs>, kParts.size()> parts;
    forOthers([&](RankIndex other) {
      const auto& steps = m_analysis.wholeStepWindows(other).steps;
      const auto same = std::ranges::find(steps, number, &StepWindow::number);
      if (same == steps.end()) return;
      const auto values = partsOf(m_analysis, other, *same);
      for (std::size_t p = 0; p < kParts.size(); ++p) parts[p].push_back(values[p]);
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

  // The rank with the median own time among the others.
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

  using TimeByName = std::map<NameId, TimeNs>;

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
    if (static_cast<double>(cause.nameExcess) < kStandsOut * static_cast<double>(cause.excess))
      cause.name = {};
  }

  const Analysis& m_analysis;
  const Straggler& m_straggler;
};

} // namespace

std::string_view latePartText(LatePart part) {
  switch (part) {
  case LatePart::Unknown:
    return {};
  case LatePart::DataLoader:
    return "its DataLoader";
  case LatePart::Forward:
    return "its forward";
  case LatePart::Loss:
    return "its loss";
  case LatePart::Backward:
    return "its backward";
  case LatePart::Optimizer:
    return "its optimizer";
  case LatePart::Kernels:
    return "its kernels";
  case LatePart::Host:
    return "its host, while the GPU idles";
  }
  return {};
}

LateCause lateCauseOf(const Analysis& analysis, const Straggler& straggler) {
  return CauseFinder(analysis, straggler).run();
}

} // namespace rankscope
