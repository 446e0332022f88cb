// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/fsdp_units.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/recomputed_work.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

enum class CopyKind : std::uint8_t { None, In, Out };

CopyKind copyKindOf(std::string_view name) {
  if (name == "fsdp::all_gather_copy_in" || name == "fsdp::chunk_cat") return CopyKind::In;
  return name == "fsdp::split_with_sizes_copy" ? CopyKind::Out : CopyKind::None;
}

std::int64_t fullElements(const CollectiveCall& call, bool gather, std::int64_t groupSize) {
  if (gather) {
    if (call.outElements > 0) return call.outElements;
    if (call.inElements <= 0 || groupSize <= 0 || call.inElements > INT64_MAX / groupSize) return 0;
    return call.inElements * groupSize;
  }
  return std::max<std::int64_t>(call.inElements, 0);
}

struct CopyEvent {
  TimeRange range; // of its kernels, else of the operator
  CopyKind kind = CopyKind::None;
  std::string_view unit;
};

class UnitFinder {
 public:
  UnitFinder(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses,
             const std::vector<RankDimension>& dimensions)
      : m_analysis(analysis), m_rank(rank), m_trace(*analysis.trace().rank(rank).trace),
        m_names(analysis.trace().names()), m_calls(analysis.collectiveCalls(rank)), m_uses(uses),
        m_dimensions(dimensions), m_steps(analysis.wholeStepWindows(rank)),
        m_exposed(wholeExposedCommunication(analysis, rank)) {}

  [[nodiscard]] FsdpUnits found() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
      const CollectiveOperation operation = m_uses[i].operation;
      const bool moves =
          operation == CollectiveOperation::AllGather || operation == CollectiveOperation::ReduceScatter;
      if (moves && m_dimensions[i] == RankDimension::Sharded) order.push_back(i);
    }
    if (order.empty()) return {};
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return m_uses[i].issued; });
    m_hasNames =
        std::ranges::any_of(order, [&](std::size_t i) { return !unitOfLabel(m_uses[i].label).empty(); });
    findElementBytes(order);
    for (const std::size_t call : order) addCall(call);
    if (m_elementBytes == 0) {
      for (FsdpUnit& unit : m_result.units) unit.elements = 0;
    }
    addCopies();
    addRecomputed();
    std::ranges::stable_sort(m_result.calls, {}, [](const FsdpCall& c) { return c.range.begin; });
    return std::move(m_result);
  }

 private:
  [[nodiscard]] std::int64_t groupSize(std::size_t call) const {
    const CollectiveMatch& match = m_analysis.collectives().match;
    const InstanceIndex instance = match.instanceOfCall[m_rank.value][call];
    const std::int64_t known = instance.valid() ? match.group(match.instance(instance)).size : -1;
    return known > 0 ? known : m_analysis.trace().worldSize().value_or(-1);
  }

  // NCCL's kernels that only move data do not say what: their sizes are bytes. A unit reduces as many
  // elements as it gathers, so the size of an element is the one with which most reductions have a gather.
  void findElementBytes(const std::vector<std::size_t>& order) {
    if (!m_analysis.trace().recordedByNsight(m_rank)) return;
    std::set<std::int64_t> gathered;
    std::vector<std::int64_t> reduced;
    for (const std::size_t i : order) {
      const bool gather = m_uses[i].operation == CollectiveOperation::AllGather;
      const std::int64_t elements = fullElements(m_calls[i], gather, groupSize(i));
      const NameId dtype = m_calls[i].dtype;
      if (gather && dtype.valid() && m_names[dtype] != "Byte") return; // all are known
      if (gather)
        gathered.insert(elements);
      else if (elements > 0 && elements < INT64_MAX / 8)
        reduced.push_back(elements);
    }
    m_elementBytes = 0;
    std::ptrdiff_t most = 0;
    for (const std::int64_t bytes : {2, 4, 1, 8}) {
      const std::ptrdiff_t fit =
          std::ranges::count_if(reduced, [&](std::int64_t of) { return gathered.contains(of * bytes); });
      if (fit <= most) continue;
      most = fit;
      m_elementBytes = bytes;
    }
  }

  // In elements where their size is known.
  [[nodiscard]] std::int64_t sizeOf(std::size_t call, bool gather) const {
    const std::int64_t size = fullElements(m_calls[call], gather, groupSize(call));
    return gather ? size / std::max<std::int64_t>(m_elementBytes, 1) : size;
  }

  [[nodiscard]] std::string_view unitOfLabel(NameId label) const {
    return label.valid() ? fsdpUnitOfLabel(m_names[label]) : std::string_view();
  }

  // The label of the outermost unit has no name.
  [[nodiscard]] std::string_view unitName(NameId label) const {
    const std::string_view name = unitOfLabel(label);
    if (!name.empty() || !m_hasNames || !label.valid()) return name;
    return m_names[label].starts_with("FSDP::") ? std::string_view("root") : std::string_view();
  }

  void addCall(std::size_t i) {
    const CallUse& use = m_uses[i];
    std::size_t step = stepOfTime(m_steps, use.issued);
    if (step == m_steps.steps.size()) step = stepOfTime(m_steps, m_calls[i].range.begin.ns());
    if (!isInScope(m_analysis, m_rank, step)) return;
    const bool gather = use.operation == CollectiveOperation::AllGather;
    const bool backward = use.phase == Phase::Backward;
    const std::int64_t elements = sizeOf(i, gather);
    const std::string_view label = unitName(use.label);
    const std::size_t place =
        label.empty() ? unitBySize(step, elements, gather, backward) : unitByName(step, std::string(label));
    if (place == m_result.units.size()) return;
    FsdpUnit& unit = m_result.units[place];
    const TimeRange range = m_calls[i].range.ns();
    const TimeNs exposed = m_exposed.coveredWithin(range);
    if (gather) {
      unit.elements = std::max(unit.elements, elements);
      ++unit.gathers;
      unit.backwardGathers += backward ? 1 : 0;
      TimeNs& sum = backward ? unit.backwardGather : unit.forwardGather;
      sum = movedTime(sum, range.length());
      unit.exposed = movedTime(unit.exposed, exposed);
      if (unit.gathers == 1) unit.firstGather = range.begin;
    } else {
      ++unit.reduces;
      unit.reduced = std::max(unit.reduced, elements);
      unit.reduceScatter = movedTime(unit.reduceScatter, range.length());
      unit.dtype = m_calls[i].dtype;
    }
    m_result.calls.push_back({step, place, i, gather, backward, range, exposed});
  }

  std::size_t unitByName(std::size_t step, std::string name) {
    const auto [place, isNew] = m_named.try_emplace({step, name}, m_result.units.size());
    if (isNew) addUnit(step, std::move(name));
    return place->second;
  }

  void addUnit(std::size_t step, std::string name) {
    FsdpUnit unit;
    unit.step = step;
    unit.unit = std::move(name);
    m_result.units.push_back(std::move(unit));
  }

  // Forward gathers are units in order. What comes later belongs to the last unit of its size that had none.
  std::size_t unitBySize(std::size_t step, std::int64_t elements, bool gather, bool backward) {
    if (!gather || backward) {
      for (std::size_t u = m_result.units.size(); u-- > 0;) {
        const FsdpUnit& unit = m_result.units[u];
        if (unit.step != step) break;
        const std::int64_t had = gather ? unit.backwardGathers : unit.reduces;
        if (unit.elements == elements && had == 0) return u;
      }
      // A gather of more than the forward pass had: again by one of this size.
      for (std::size_t u = m_result.units.size(); u-- > 0 && m_result.units[u].step == step;) {
        if (m_result.units[u].elements == elements) return u;
      }
    }
    std::int64_t index = 0;
    for (const FsdpUnit& unit : m_result.units) index += unit.step == step ? 1 : 0;
    addUnit(step, std::to_string(index));
    return m_result.units.size() - 1;
  }

  // Copies before a gather belong to it; copies after it are its first use.
  void addCopies() {
    const std::vector<CopyEvent> copies = copyEvents();
    for (const CopyEvent& copy : copies) {
      const std::size_t step = stepOfTime(m_steps, copy.range.begin);
      const std::size_t place = unitOfCopy(copy, step);
      if (place == m_result.units.size()) continue;
      FsdpUnit& unit = m_result.units[place];
      TimeNs& sum = copy.kind == CopyKind::In ? unit.copyIn : unit.copyOut;
      sum = movedTime(sum, copy.range.length());
      if (copy.kind == CopyKind::Out) addUse(place, copy.range.begin);
    }
    if (copies.empty()) addWaits();
  }

  [[nodiscard]] std::size_t unitOfCopy(const CopyEvent& copy, std::size_t step) const {
    const auto named = m_named.find({step, std::string(copy.unit)});
    return named == m_named.end() ? m_result.units.size() : named->second;
  }

  // The last gather of the unit that had ended, or was waited for, when it was used.
  void addUse(std::size_t place, TimeNs use) {
    const FsdpCall* last = nullptr;
    for (const FsdpCall& call : m_result.calls) {
      if (call.unit == place && call.gather && call.range.begin <= use &&
          (last == nullptr || call.range.begin > last->range.begin))
        last = &call;
    }
    if (last != nullptr) setLead(place, *last, use - last->range.end);
  }

  void setLead(std::size_t place, const FsdpCall& gather, TimeNs lead) {
    std::optional<TimeNs>& least = m_result.units[place].prefetchLead;
    if (gather.exposed > 0) lead = -gather.exposed;
    least = least ? std::min(*least, lead) : lead;
  }

  // What runs again belongs to the unit whose forward or backward hook ran last before it.
  void addRecomputed() {
    if (!m_hasNames) return;
    const std::vector<std::pair<TimeNs, NameId>> hooks = unitHooks();
    if (hooks.empty()) return;
    for (FsdpUnit& unit : m_result.units) unit.recomputed = 0;
    for (const RecomputedWork& work : recomputedWork(m_analysis, m_rank)) {
      const auto after = std::ranges::upper_bound(hooks, work.asked, {}, &std::pair<TimeNs, NameId>::first);
      if (after == hooks.begin()) continue;
      const auto named =
          m_named.find({stepOfTime(m_steps, work.asked), std::string(unitName(std::prev(after)->second))});
      if (named == m_named.end()) continue;
      std::optional<TimeNs>& sum = m_result.units[named->second].recomputed;
      sum = movedTime(sum.value_or(0), work.range.length());
    }
  }

  // Begins of the labels around the forward and backward passes of units.
  [[nodiscard]] std::vector<std::pair<TimeNs, NameId>> unitHooks() const {
    std::map<NameId, bool> known;
    std::vector<std::pair<TimeNs, NameId>> hooks;
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Annotations && track.kind != TrackKind::Thread) continue;
      for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
        const NameId name = m_trace.events.name[e];
        if (!name.valid()) continue;
        const auto [hook, isNew] = known.try_emplace(name, false);
        if (isNew)
          hook->second = m_names[name].starts_with("FSDP::pre_forward") ||
                         m_names[name].starts_with("FSDP::pre_backward");
        if (hook->second) hooks.emplace_back(m_trace.events.begin[e], name);
      }
    }
    std::ranges::stable_sort(hooks, {}, &std::pair<TimeNs, NameId>::first);
    return hooks;
  }

  // Without copies: the first work that waited for the gather on its stream.
  void addWaits() {
    std::map<EventIndex, TimeNs> usedAt;
    for (const EventWait& wait : m_trace.waits) {
      if (wait.before.valid() && wait.after.valid())
        usedAt.try_emplace(wait.before, m_trace.events.begin[wait.after]);
    }
    for (const FsdpCall& call : m_result.calls) {
      if (!call.gather) continue;
      const auto use = usedAt.find(m_calls[call.call].event);
      if (use != usedAt.end())
        setLead(call.unit, call, use->second - call.range.end);
      else if (call.exposed > 0)
        setLead(call.unit, call, 0);
    }
  }

  [[nodiscard]] std::vector<CopyEvent> copyEvents() const {
    std::vector<CopyEvent> copies;
    std::map<NameId, CopyKind> kinds;
    std::map<EventIndex, std::vector<TimeRange>> kernels;
    bool any = false;
    for (std::size_t i = 0; i < m_names.size() && !any; ++i)
      any = copyKindOf(m_names[NameId(i)]) != CopyKind::None;
    if (!any) return copies;
    for (EventIndex e = m_trace.deviceBegin; e < m_trace.deviceEnd; ++e.value) {
      if (m_trace.events.kind[e] == EventKind::Collective) continue;
      const EventIndex launch = m_trace.deviceDetail(e).launch;
      if (!launch.valid()) continue;
      const EventIndex copy = copyAround(launch, kinds);
      if (copy.valid()) kernels[copy].push_back(m_trace.events.range(e));
    }
    const CallTree& tree = m_analysis.callTree(m_rank);
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
        const CopyKind kind = kindOfName(m_trace.events.name[e], kinds);
        if (kind == CopyKind::None) continue;
        TimeRange range = m_trace.events.range(e);
        const auto onDevice = kernels.find(e);
        if (onDevice != kernels.end()) range = IntervalSet(onDevice->second).hull();
        copies.push_back({range, kind, unitAround(tree, e)});
      }
    }
    std::ranges::stable_sort(copies, {}, [](const CopyEvent& c) { return c.range.begin; });
    return copies;
  }

  [[nodiscard]] CopyKind kindOfName(NameId name, std::map<NameId, CopyKind>& kinds) const {
    const auto [known, isNew] = kinds.try_emplace(name, CopyKind::None);
    if (isNew && name.valid()) known->second = copyKindOf(m_names[name]);
    return known->second;
  }

  // At most three wrappers lie between a copy and its launch.
  [[nodiscard]] EventIndex copyAround(EventIndex event, std::map<NameId, CopyKind>& kinds) const {
    for (int level = 0; level < 4 && event.valid(); ++level) {
      event = m_trace.parentOf(event);
      if (event.valid() && kindOfName(m_trace.events.name[event], kinds) != CopyKind::None) return event;
    }
    return {};
  }

  [[nodiscard]] std::string_view unitAround(const CallTree& tree, EventIndex event) const {
    for (std::uint32_t node = tree.of(event); node != CallTree::kRoot; node = tree.nodes[node].parent) {
      const std::string_view unit = unitName(tree.nodes[node].name);
      if (!unit.empty()) return unit;
    }
    return {};
  }

  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankTrace& m_trace;
  const StringTable& m_names;
  const std::vector<CollectiveCall>& m_calls;
  const std::vector<CallUse>& m_uses;
  const std::vector<RankDimension>& m_dimensions;
  const StepWindows& m_steps;
  const IntervalSet m_exposed;
  std::map<std::pair<std::size_t, std::string>, std::size_t> m_named; // by step and name
  FsdpUnits m_result;
  std::int64_t m_elementBytes = 1; // of gathers; 0 not known
  bool m_hasNames = false;         // of units, in labels
};

} // namespace

std::string_view fsdpUnitOfLabel(std::string_view label) {
  constexpr std::string_view kPrefix = "FSDP::";
  if (!label.starts_with(kPrefix) || !label.ends_with(')')) return {};
  const std::size_t open = label.find(" (");
  if (open == std::string_view::npos) return {};
  const std::string_view unit = label.substr(open + 2, label.size() - open - 3);
  return unit.empty() ? std::string_view("root") : unit;
}

template <class Archive, Described<FsdpUnit> T> void describe(Archive& archive, T& of) {
  auto& [step, unit, elements, reduced, gathers, backwardGathers, reduces, forwardGather, backwardGather,
         exposed, prefetchLead, copyIn, copyOut, reduceScatter, recomputed, firstGather, dtype] = of;
  archive(step, unit, elements, reduced, gathers, backwardGathers, reduces, forwardGather, backwardGather,
          exposed, prefetchLead, copyIn, copyOut, reduceScatter, recomputed, firstGather, dtype);
}
template <class Archive, Described<FsdpCall> T> void describe(Archive& archive, T& of) {
  auto& [step, unit, call, gather, backward, range, exposed] = of;
  archive(step, unit, call, gather, backward, range, exposed);
}
template <class Archive, Described<FsdpUnits> T> void describe(Archive& archive, T& of) {
  auto& [units, calls] = of;
  archive(units, calls);
}

namespace {

// Whether the indices are of steps, calls and units that there are.
bool areOf(const Analysis& analysis, RankIndex rank, const FsdpUnits& found) {
  const std::size_t steps = analysis.wholeStepWindows(rank).steps.size();
  const std::size_t calls = analysis.collectiveCalls(rank).size();
  return std::ranges::all_of(found.units, [&](const FsdpUnit& of) { return of.step < steps; }) &&
         std::ranges::all_of(found.calls, [&](const FsdpCall& of) {
           return of.step < steps && of.call < calls && of.unit < found.units.size();
         });
}

} // namespace

FsdpUnits fsdpUnits(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses,
                    const std::vector<RankDimension>& dimensions) {
  return rankAnswer<FsdpUnits>(
      analysis.trace(), rank, "units of FSDP",
      [&] { return UnitFinder(analysis, rank, uses, dimensions).found(); },
      [&](const FsdpUnits& found) { return areOf(analysis, rank, found); });
}

ZeroStage zeroStageOf(const FsdpUnits& units) {
  std::int64_t backward = 0;
  std::int64_t reduces = 0;
  for (const FsdpUnit& unit : units.units) {
    backward += unit.backwardGathers;
    reduces += unit.reduces;
  }
  if (units.empty()) return ZeroStage::Unknown;
  if (backward > 0) return ZeroStage::Parameters;
  return reduces > 0 ? ZeroStage::Gradients : ZeroStage::OptimizerStates;
}

} // namespace rankscope
