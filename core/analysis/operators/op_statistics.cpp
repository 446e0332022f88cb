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

// Adds calls and device events to the groups that groupOf(event) names.
template <class GroupOf> class Accumulator {
 public:
  Accumulator(const RankTrace& trace, const OperatorTree& tree, const StringTable& names, TimeRange window,
              GroupOf groupOf, std::size_t groupCount)
      : m_trace(trace), m_tree(tree), m_window(window), m_groupOf(groupOf), m_tensorCores(names),
        m_groups(groupCount) {}

  void addCall(EventIndex call) {
    const EventIndex parent = m_tree.enclosingOf(call);
    const TimeNs duration = m_trace.events.duration[call];
    if (parent.valid() && counts(parent)) group(parent).hostSelf -= duration;
    if (!counts(call)) return;
    OperatorStatistics& own = group(call);
    ++own.calls;
    own.hostTotal += duration;
    own.hostSelf += duration;
    if (m_tensorCores.eligible(m_trace.events.name[call])) markEligible(call);
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
    for (EventIndex call = owner; call.valid(); call = m_tree.enclosingOf(call)) {
      if (!counts(call)) continue;
      OperatorStatistics& own = group(call);
      own.deviceTotal += duration;
      if (!usesTensorCores) continue;
      own.tensorCoreTotal += duration;
      own.tensorCoreEligible = true;
    }
  }

  [[nodiscard]] std::vector<OperatorStatistics>& groups() { return m_groups; }

 private:
  [[nodiscard]] bool counts(EventIndex event) const { return m_window.contains(m_trace.events.begin[event]); }
  [[nodiscard]] OperatorStatistics& group(EventIndex call) { return m_groups[m_groupOf(call)]; }

  void markEligible(EventIndex call) {
    group(call).tensorCoreEligible = true;
    for (EventIndex outer = m_tree.enclosingOf(call); outer.valid(); outer = m_tree.enclosingOf(outer)) {
      // That one marks what lies around it.
      if (m_tensorCores.eligible(m_trace.events.name[outer]) && counts(outer)) return;
      if (counts(outer)) group(outer).tensorCoreEligible = true;
    }
  }

  const RankTrace& m_trace;
  const OperatorTree& m_tree;
  TimeRange m_window;
  GroupOf m_groupOf;
  TensorCoreNames m_tensorCores;
  std::vector<OperatorStatistics> m_groups;
};

// nameGroup(i) fills in what group i has in common.
template <class GroupOf, class NameGroup>
OperatorProfile profileOf(const RankTrace& trace, const OperatorTree& tree, const StringTable& names,
                          TimeRange window, GroupOf groupOf, std::size_t groupCount, NameGroup nameGroup) {
  OperatorProfile profile;
  Accumulator sums(trace, tree, names, window, groupOf, groupCount);
  forEachOperator(trace, names, [&](EventIndex call) { sums.addCall(call); });
  for (std::size_t i = 0; i < tree.owners.size(); ++i)
    sums.addDeviceEvent(EventIndex(trace.deviceBegin.value + i), tree.owners[i], profile);
  for (std::size_t i = 0; i < groupCount; ++i) {
    OperatorStatistics& sum = sums.groups()[i];
    if (sum.calls == 0) continue;
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
