// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/op_statistics.h"

#include "core/analysis/classify/tensor_cores.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

std::optional<double> percentOf(TimeNs part, TimeNs whole) {
  if (whole <= 0) return std::nullopt;
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Adds calls and device events to the groups given by groupOf(event).
template <class GroupOf> class Accumulator {
 public:
  Accumulator(const RankTrace& trace, const OperatorTree& tree, const StringTable& names, TimeRange window,
              GroupOf groupOf, std::size_t groupCount)
      : m_trace(trace), m_tree(tree), m_window(window), m_groupOf(groupOf), m_tensorCores(names),
        m_groups(groupCount), m_within(tree.enclosing.size()) {}

  void addCall(EventIndex call) {
    const EventIndex parent = m_tree.enclosingOf(call);
    const TimeNs duration = m_trace.events.duration[call];
    if (parent.valid() && counts(parent)) group(parent).hostSelf -= duration;
    if (!counts(call)) return;
    OperatorStatistics& own = group(call);
    ++own.calls;
    own.hostTotal += duration;
    own.hostSelf += duration;
    if (m_tensorCores.eligible(m_trace.events.name[call])) m_within[call.value].eligible = true;
  }

  void addDeviceEvent(EventIndex event, EventIndex owner, OperatorProfile& profile) {
    const TimeNs duration = m_trace.events.duration[event];
    if (!owner.valid()) {
      if (!counts(event)) return;
      profile.unattributedDevice += duration;
      ++profile.unattributedEvents;
      return;
    }
    const bool usesTensorCores =
        m_trace.events.kind[event] == EventKind::Kernel && m_tensorCores.used(m_trace.events.name[event]);
    if (counts(owner)) {
      group(owner).deviceSelf += duration;
      if (usesTensorCores) group(owner).tensorCoreSelf += duration;
    }
    Within& within = m_within[owner.value];
    within.any = true;
    within.device = stoppingSum(within.device, duration);
    if (!usesTensorCores) return;
    within.tensorCores = stoppingSum(within.tensorCores, duration);
    within.eligible = true;
  }

  // A replay of a CUDA graph runs when the graph is launched, for the operators around its capture.
  void addReplay(EventIndex event, EventIndex op) {
    const EventIndex launch = m_trace.deviceDetail(event).launch;
    if (!counts(launch.valid() ? launch : event)) return;
    const TimeNs duration = m_trace.events.duration[event];
    const bool usesTensorCores =
        m_trace.events.kind[event] == EventKind::Kernel && m_tensorCores.used(m_trace.events.name[event]);
    group(op).deviceSelf += duration;
    if (usesTensorCores) group(op).tensorCoreSelf += duration;
    for (; op.valid(); op = m_tree.enclosingOf(op)) {
      OperatorStatistics& own = group(op);
      own.deviceTotal += duration;
      if (!usesTensorCores) continue;
      own.tensorCoreTotal += duration;
      own.tensorCoreEligible = true;
    }
  }

  // Call after everything was added. Adds nested calls to their callers, which precede them.
  [[nodiscard]] std::vector<OperatorStatistics>& groups() {
    for (std::size_t i = m_within.size(); i-- > 0;) {
      const Within within = m_within[i];
      if (!within.any && !within.eligible) continue;
      const EventIndex call(i);
      if (counts(call)) {
        OperatorStatistics& own = group(call);
        own.deviceTotal += within.device;
        own.tensorCoreTotal += within.tensorCores;
        own.tensorCoreEligible = own.tensorCoreEligible || within.eligible;
      }
      const EventIndex outer = m_tree.enclosingOf(call);
      if (!outer.valid()) continue;
      Within& around = m_within[outer.value];
      around.any = around.any || within.any;
      around.eligible = around.eligible || within.eligible;
      around.device = stoppingSum(around.device, within.device);
      around.tensorCores = stoppingSum(around.tensorCores, within.tensorCores);
    }
    return m_groups;
  }

 private:
  [[nodiscard]] bool counts(EventIndex event) const { return m_window.contains(m_trace.events.begin[event]); }
  [[nodiscard]] OperatorStatistics& group(EventIndex call) { return m_groups[m_groupOf(call)]; }

  // Device time owned by a call and by calls nested in it.
  struct Within {
    TimeNs device = 0;
    TimeNs tensorCores = 0;
    bool any = false;
    bool eligible = false; // contains an eligible operator or a tensor core kernel
  };

  const RankTrace& m_trace;
  const OperatorTree& m_tree;
  TimeRange m_window;
  GroupOf m_groupOf;
  TensorCoreNames m_tensorCores;
  std::vector<OperatorStatistics> m_groups;
  std::vector<Within> m_within; // by event
};

// nameGroup(i) sets name and detail of group i.
template <class GroupOf, class NameGroup>
OperatorProfile profileOf(const RankTrace& trace, const OperatorTree& tree, const StringTable& names,
                          TimeRange window, GroupOf groupOf, std::size_t groupCount, NameGroup nameGroup) {
  OperatorProfile profile;
  Accumulator sums(trace, tree, names, window, groupOf, groupCount);
  forEachOperator(trace, names, [&](EventIndex call) { sums.addCall(call); });
  auto replay = tree.captured.begin();
  for (std::size_t i = 0; i < tree.owners.size(); ++i) {
    const EventIndex event(trace.deviceBegin.value + i);
    if (replay != tree.captured.end() && replay->event == event)
      sums.addReplay(event, (replay++)->op);
    else
      sums.addDeviceEvent(event, tree.owners[i], profile);
  }
  std::vector<OperatorStatistics>& groups = sums.groups();
  for (std::size_t i = 0; i < groupCount; ++i) {
    OperatorStatistics& sum = groups[i];
    if (sum.calls == 0 && sum.deviceTotal == ExactSum()) continue;
    nameGroup(i, sum);
    profile.operators.push_back(std::move(sum));
  }
  std::ranges::sort(profile.operators, [&](const OperatorStatistics& a, const OperatorStatistics& b) {
    return std::tuple(-a.deviceSelf, -a.hostSelf, names[a.name], std::string_view(a.detail)) <
           std::tuple(-b.deviceSelf, -b.hostSelf, names[b.name], std::string_view(b.detail));
  });
  return profile;
}

} // namespace

std::optional<double> OperatorStatistics::tensorCoreSelfPct() const {
  return percentOf(tensorCoreSelf, deviceSelf);
}

std::optional<double> OperatorStatistics::tensorCoreTotalPct() const {
  return percentOf(tensorCoreTotal, deviceTotal);
}

OperatorProfile operatorProfile(const RankTrace& trace, const OperatorTree& tree, const StringTable& names,
                                TimeRange window) {
  const auto groupOf = [&](EventIndex call) { return trace.events.name[call].value; };
  return profileOf(trace, tree, names, window, groupOf, names.size(),
                   [](std::size_t i, OperatorStatistics& sum) { sum.name = NameId(i); });
}

OperatorProfile operatorProfile(const RankTrace& trace, const OperatorTree& tree, const StringTable& names,
                                const OperatorGroups& groups, TimeRange window) {
  const auto groupOf = [&](EventIndex call) { return groups.groupOf[call.value]; };
  return profileOf(trace, tree, names, window, groupOf, groups.groups.size(),
                   [&](std::size_t i, OperatorStatistics& sum) {
                     sum.name = groups.groups[i].name;
                     sum.detail = groups.groups[i].detail;
                   });
}

} // namespace rankscope
