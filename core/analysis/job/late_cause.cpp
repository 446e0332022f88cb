// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/late_cause.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"
#include "core/base/statistics.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// The median; 0 without values.
TimeNs typicalOf(std::vector<TimeNs> values) {
  return values.empty() ? 0 : wholeMedian(std::move(values));
}

// Steps of a rank by number; the first one if a number is not unique.
class StepsByNumber {
 public:
  explicit StepsByNumber(const StepWindows& windows) : m_windows(&windows) {
    for (std::size_t i = 0; i < windows.steps.size(); ++i)
      m_positions.try_emplace(windows.steps[i].number, i);
  }
  [[nodiscard]] std::optional<std::size_t> positionOf(std::int64_t number) const {
    const auto found = m_positions.find(number);
    return found == m_positions.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] const StepWindows& windows() const { return *m_windows; }

 private:
  const StepWindows* m_windows;
  std::unordered_map<std::int64_t, std::size_t> m_positions;
};

struct NamedSum {
  NameId name;
  ExactSum time;
};

} // namespace

template <class Archive, Described<NamedSum> T> void describe(Archive& archive, T& of) {
  auto& [name, time] = of;
  archive(name, time);
}

namespace {

class CauseFinder {
 public:
  CauseFinder(const Analysis& analysis, const Straggler& straggler)
      : m_analysis(analysis), m_straggler(straggler) {
    forOthers([&](RankIndex other) { m_others.emplace_back(other, analysis.wholeStepWindows(other)); });
  }

  [[nodiscard]] LateCause run() {
    LateCause cause;
    std::array<std::vector<TimeNs>, kLateParts.size()> excess;
    const auto& steps = m_analysis.wholeStepWindows(m_straggler.rank).steps;
    for (const std::size_t i : m_straggler.slowSteps) {
      const TimeOfParts own = partsOf(m_straggler.rank, i);
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
  // Of a step of a rank, by its place.
  [[nodiscard]] TimeOfParts partsOf(RankIndex rank, std::size_t step) {
    const auto [known, isNew] = m_parts.try_emplace(rank);
    if (isNew) {
      const std::vector<StepWindow>& steps = m_analysis.wholeStepWindows(rank).steps;
      known->second = rankAnswer<std::vector<TimeOfParts>>(m_analysis.trace(), rank, "parts of steps", [&] {
        std::vector<TimeOfParts> parts;
        parts.reserve(steps.size());
        for (const StepWindow& of : steps) parts.push_back(timeOfParts(m_analysis, rank, of.range));
        return parts;
      });
      known->second.resize(steps.size()); // of a digest without the answer
    }
    return known->second[step];
  }

  [[nodiscard]] std::array<std::vector<TimeNs>, kLateParts.size()> partsOfOthers(std::int64_t number) {
    std::array<std::vector<TimeNs>, kLateParts.size()> parts;
    for (const auto& [other, steps] : m_others) {
      const auto same = steps.positionOf(number);
      if (!same) continue;
      const TimeOfParts values = partsOf(other, *same);
      for (std::size_t p = 0; p < kLateParts.size(); ++p) parts[p].push_back(values[p]);
    }
    return parts;
  }

  template <class Visit> void forOthers(Visit&& visit) const {
    const int capture = m_analysis.trace().rank(m_straggler.rank).capture;
    for (std::size_t i = 0; i < m_analysis.trace().ranks().size(); ++i) {
      const RankIndex other(i);
      if (other != m_straggler.rank && m_analysis.trace().rank(other).capture == capture) visit(other);
    }
  }

  // The other rank with the median step time excluding communication.
  [[nodiscard]] RankIndex typicalRank() const {
    std::vector<std::pair<double, RankIndex>> ranks;
    forOthers([&](RankIndex other) {
      if (const auto slowdown = m_analysis.stragglers().ranks[other.value].slowdown)
        ranks.emplace_back(*slowdown, other);
    });
    if (ranks.empty()) return {};
    std::ranges::sort(ranks);
    return ranks[medianPlace(ranks.size())].second;
  }

  // By step of a rank: number of the straggler's slow steps with the same step number.
  [[nodiscard]] std::vector<std::uint32_t> slowStepsIn(const StepWindows& windows) const {
    std::vector<std::uint32_t> counts(windows.steps.size(), 0);
    const StepsByNumber steps(windows);
    const auto& own = m_analysis.wholeStepWindows(m_straggler.rank).steps;
    for (const std::size_t i : m_straggler.slowSteps)
      if (const auto same = steps.positionOf(own[i].number)) ++counts[*same];
    return counts;
  }

  using TimeByName = std::vector<ExactSum>; // by NameId

  [[nodiscard]] TimeByName timeByName(RankIndex rank, bool onDevice) const {
    const TraceSet& job = m_analysis.trace();
    const std::string question =
        "time by name in the slow steps of rank " + std::to_string(job.rank(m_straggler.rank).rank) +
        " of capture " + std::to_string(job.rank(m_straggler.rank).capture) + (onDevice ? " on devices" : "");
    const auto listed = rankAnswer<std::vector<NamedSum>>(job, rank, question, [&] {
      const TimeByName times = timeOfEvents(rank, onDevice);
      std::vector<NamedSum> list;
      for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i] != 0) list.push_back({NameId(i), times[i]});
      // An answer does not depend on the order in which a process met the names.
      std::ranges::sort(list, {}, [&](const NamedSum& of) { return job.names()[of.name]; });
      return list;
    });
    TimeByName times(job.names().size());
    for (const NamedSum& of : listed)
      if (of.name.valid()) times[of.name.value] = of.time;
    return times;
  }

  // Time of kernels, or self time of operators, that begin in these steps (undivided), by name. Same
  // definitions as KernelStatistics and OperatorStatistics, in one pass over all steps.
  [[nodiscard]] TimeByName timeOfEvents(RankIndex rank, bool onDevice) const {
    const RankTrace& trace = *m_analysis.trace().rank(rank).trace;
    const StringTable& names = m_analysis.trace().names();
    const StepWindows& windows = m_analysis.wholeStepWindows(rank);
    const std::vector<std::uint32_t> counts = slowStepsIn(windows);
    TimeByName times(names.size());
    const auto add = [&](EventIndex event, TimeNs time) {
      const auto step = windows.indexAt(trace.events.begin[event]);
      for (std::uint32_t n = step ? counts[*step] : 0; n > 0; --n)
        times[trace.events.name[event].value] += time;
    };
    if (onDevice) {
      for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
        const EventKind kind = trace.events.kind[event];
        if (isDeviceActivity(kind) && deviceClassOf(kind) == DeviceClass::Compute)
          add(event, trace.events.duration[event]);
      }
    } else {
      const OperatorTree& tree = m_analysis.operatorTree(rank);
      forEachOperator(trace, names, [&](EventIndex call) {
        add(call, trace.events.duration[call]);
        const EventIndex outer = tree.enclosingOf(call);
        if (outer.valid()) add(outer, -trace.events.duration[call]);
      });
    }
    return times;
  }

  void nameWorst(LateCause& cause) const {
    cause.reference = typicalRank();
    if (!cause.reference.valid()) return;
    cause.onDevice = cause.part == LatePart::Kernels;
    const TimeByName own = timeByName(m_straggler.rank, cause.onDevice);
    const TimeByName reference = timeByName(cause.reference, cause.onDevice);
    const auto steps = static_cast<TimeNs>(m_straggler.slowSteps.size());
    const StringTable& names = m_analysis.trace().names();
    for (std::size_t name = 0; name < own.size(); ++name) {
      const TimeNs excess = (own[name] - reference[name]) / steps; // no overflow: both sums are below 2^62
      if (excess <= 0 || excess < cause.nameExcess) continue;
      if (excess == cause.nameExcess && names[NameId(name)] > names[cause.name]) continue;
      cause.name = NameId(name);
      cause.nameExcess = excess;
    }
    if (static_cast<double>(cause.nameExcess) < kNameStandsOut * static_cast<double>(cause.excess))
      cause.name = {};
  }

  const Analysis& m_analysis;
  const Straggler& m_straggler;
  std::vector<std::pair<RankIndex, StepsByNumber>> m_others;
  std::map<RankIndex, std::vector<TimeOfParts>> m_parts; // by step
};

} // namespace

LateCause lateCauseOf(const Analysis& analysis, const Straggler& straggler) {
  return CauseFinder(analysis, straggler).run();
}

} // namespace rankscope
