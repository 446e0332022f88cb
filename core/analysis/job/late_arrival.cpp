// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/late_arrival.h"

#include "core/analysis/job/analysis.h"
#include "core/analysis/job/late_parts.h"
#include "core/base/exact_sum.h"
#include "core/base/statistics.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace rankscope {

namespace {

class ArrivalFinder {
 public:
  ArrivalFinder(const Analysis& analysis, const CollectiveInstance& instance)
      : m_analysis(analysis), m_match(analysis.collectives().match), m_instance(instance) {}

  [[nodiscard]] std::optional<LateArrival> run() {
    if (!m_instance.matched() || m_instance.skew() <= 0) return std::nullopt;
    const Participant* const last = partOf(m_instance, m_instance.lastRank);
    const Participant* const middle = typicalOther();
    if (!last || !middle || last->range.begin <= middle->range.begin) return std::nullopt;
    LateArrival arrival;
    arrival.rank = last->rank;
    arrival.reference = middle->rank;
    arrival.late = last->range.begin - middle->range.begin;
    RankRange other;
    std::tie(arrival.before, other) = sincePrevious(*last, *middle);
    TimeOfParts excess = timeOfParts(m_analysis, arrival.rank, arrival.before.ns());
    const TimeOfParts typical = timeOfParts(m_analysis, arrival.reference, other.ns());
    for (std::size_t p = 0; p < excess.size(); ++p) excess[p] -= typical[p];
    std::tie(arrival.part, arrival.excess) =
        worstPart(excess, truncated(kPartExplains * static_cast<double>(arrival.late)));
    if (arrival.part != LatePart::Unknown && arrival.part != LatePart::DataLoader) nameWorst(arrival, other);
    findGap(arrival);
    return arrival;
  }

 private:
  [[nodiscard]] const Participant* partOf(const CollectiveInstance& instance, RankIndex rank) const {
    const auto parts = m_match.of(instance);
    const auto part = std::ranges::lower_bound(parts, rank, {}, &Participant::rank);
    return part != parts.end() && part->rank == rank ? &*part : nullptr;
  }

  // The other participant with the median begin.
  [[nodiscard]] const Participant* typicalOther() const {
    std::vector<const Participant*> others;
    for (const Participant& part : m_match.of(m_instance))
      if (part.rank != m_instance.lastRank) others.push_back(&part);
    if (others.empty()) return nullptr;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(medianPlace(others.size()));
    std::ranges::nth_element(
        others, middle, {}, [](const Participant* part) { return std::pair(part->range.begin, part->rank); });
    return *middle;
  }

  // Ranges from the previous collective of both ranks (or from the first time both were recorded) to this
  // one, each on its rank's clock.
  [[nodiscard]] std::pair<RankRange, RankRange> sincePrevious(const Participant& last,
                                                              const Participant& middle) const {
    const auto& calls = m_match.instanceOfCall[last.rank.value];
    for (std::size_t call = last.call; call-- > 0;) {
      const CollectiveInstance& before = m_match.instance(calls[call]);
      const Participant* const own = partOf(before, last.rank);
      const Participant* const other = partOf(before, middle.rank);
      if (!own || !other || own->range.end > last.range.begin || other->range.end > middle.range.begin)
        continue;
      return {ownRange(last, own->range.end), ownRange(middle, other->range.end)};
    }
    const auto begin = [&](RankIndex rank) {
      const RankTime own(m_analysis.trace().rank(rank).trace->extent.begin);
      return m_analysis.clocks().of(rank).toJob(own);
    };
    const JobTime common = std::max(begin(last.rank), begin(middle.rank));
    return {ownRange(last, common), ownRange(middle, common)};
  }

  [[nodiscard]] RankRange ownRange(const Participant& part, JobTime from) const {
    return m_analysis.clocks().of(part.rank).fromJob(
        JobRange{std::min(from, part.range.begin), part.range.begin});
  }

  using TimeByName = std::map<NameId, ExactSum>;

  [[nodiscard]] TimeByName timeByName(RankIndex rank, TimeRange range, bool onDevice) const {
    TimeByName times;
    const RankTrace& trace = *m_analysis.trace().rank(rank).trace;
    const StringTable& names = m_analysis.trace().names();
    if (onDevice) {
      for (const KernelStatistics& k : kernelStatistics(trace, names, range))
        if (k.deviceClass == DeviceClass::Compute) times[k.name] += k.total;
    } else {
      const OperatorProfile profile = operatorProfile(trace, m_analysis.operatorTree(rank), names, range);
      for (const OperatorStatistics& op : profile.operators) times[op.name] += op.hostSelf;
    }
    return times;
  }

  void nameWorst(LateArrival& arrival, RankRange other) const {
    const bool onDevice = arrival.part == LatePart::Kernels;
    TimeByName own = timeByName(arrival.rank, arrival.before.ns(), onDevice);
    for (const auto& [name, time] : timeByName(arrival.reference, other.ns(), onDevice)) own[name] -= time;
    const StringTable& names = m_analysis.trace().names();
    for (const auto& [name, time] : own) {
      if (time <= 0 || time < arrival.nameExcess) continue;
      if (time == arrival.nameExcess && names[name] > names[arrival.name]) continue;
      arrival.name = name;
      arrival.nameExcess = time;
    }
    if (static_cast<double>(arrival.nameExcess) < kNameStandsOut * static_cast<double>(arrival.excess)) {
      arrival.name = {};
      return;
    }
    const RankTrace& trace = *m_analysis.trace().rank(arrival.rank).trace;
    const TimeRange before = arrival.before.ns();
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const EventIndex event(i);
      if (trace.events.name[event] != arrival.name || !before.contains(trace.events.begin[event])) continue;
      if (!arrival.event.valid() || trace.events.duration[event] > trace.events.duration[arrival.event])
        arrival.event = event;
    }
  }

  void findGap(LateArrival& arrival) const {
    for (const IdleGap& gap : m_analysis.gaps(arrival.rank).ofDevices) {
      if (!arrival.before.overlaps(RankRange::of(gap.range))) continue;
      if (!arrival.longestGap || gap.range.length() > arrival.longestGap->range.length())
        arrival.longestGap = gap;
    }
  }

  const Analysis& m_analysis;
  const CollectiveMatch& m_match;
  const CollectiveInstance& m_instance;
};

} // namespace

std::optional<LateArrival> lateArrivalOf(const Analysis& analysis, const CollectiveInstance& instance) {
  return ArrivalFinder(analysis, instance).run();
}

} // namespace rankscope
