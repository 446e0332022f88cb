// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/module_tree.h"

#include "core/analysis/activity/owned_time.h"
#include "core/analysis/stacks/backward_joins.h"
#include "core/analysis/stacks/frame_names.h"
#include "core/analysis/stacks/layers.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::uint32_t kNone = ModuleNode::kNone;

class ModuleBuilder {
 public:
  ModuleBuilder(const Analysis& analysis, RankIndex rank, ModuleOptions options)
      : m_analysis(analysis), m_rank(rank), m_trace(*analysis.trace().rank(rank).trace),
        m_names(analysis.trace().names()), m_options(options), m_window(analysis.window(rank).ns()),
        m_calls(callNesting(m_trace)), m_owner(m_calls.parent.size()) {}

  [[nodiscard]] ModuleTree build() {
    const bool any = std::ranges::any_of(m_calls.calls, [this](EventIndex call) { return isModule(call); });
    if (!any) return {};
    addCalls();
    addCosts();
    return std::move(m_tree);
  }

  [[nodiscard]] ModuleCalls withCalls() {
    addCalls();
    ModuleCalls result;
    if (!m_tree.nodes.empty()) addCosts(); // they say which modules are layers
    result.ofCalls.reserve(m_owner.size());
    for (const Owner& owner : m_owner) result.ofCalls.push_back({owner.phase, owner.node});
    result.tree = std::move(m_tree);
    result.calls = std::move(m_calls);
    return result;
  }

 private:
  void addCalls() {
    findFlows();
    addForward();
    addBackward();
  }
  void addCosts() {
    addDeviceEvents();
    addExposed();
    addIdle();
    addMemory();
    addUp();
    findLayers(m_tree, m_names);
  }

  // What the costs of a call belong to.
  struct Owner {
    ModulePhase phase = ModulePhase::None;
    std::uint32_t node = kNone; // of Forward, Recompute and a joined Backward
    bool merged = false;        // of Recompute: into the path of the forward calls
  };

  [[nodiscard]] bool isModule(EventIndex call) const {
    return m_trace.events.kind[call] == EventKind::Python &&
           isModuleFrame(m_names[m_trace.events.name[call]]);
  }
  [[nodiscard]] bool begins(EventIndex event) const { return m_window.contains(m_trace.events.begin[event]); }

  // By call: the engine's call of a backward function, and its forward operator.
  void findFlows() {
    m_forward.resize(m_calls.parent.size());
    m_isBackward.resize(m_calls.parent.size());
    for (const EventIndex call : m_calls.calls)
      m_isBackward[call.value] = isBackwardCall(m_names[m_trace.events.name[call]]) ? 1 : 0;
    for (const EventFlow& flow : backwardJoins(m_analysis.trace().rank(m_rank), m_names, m_calls)) {
      if (flow.from.value >= m_forward.size() || flow.to.value >= m_forward.size()) continue;
      EventIndex function = flow.to;
      const EventIndex caller = m_calls.parentOf(function);
      if (caller.valid() && m_isBackward[caller.value] != 0) function = caller;
      if (m_trace.events.begin[flow.from] >= m_trace.events.begin[function]) continue;
      m_isBackward[function.value] = 1;
      m_forward[function.value] = flow.from;
    }
  }

  // Modules outside of the backward pass, and where each instance is called.
  void addForward() {
    for (const EventIndex call : m_calls.calls) {
      if (m_isBackward[call.value] != 0) {
        m_owner[call.value] = {ModulePhase::Backward, kNone, false}; // its module is found when all are known
        continue;
      }
      const EventIndex parent = m_calls.parentOf(call);
      const Owner outer = parent.valid() ? m_owner[parent.value] : Owner{ModulePhase::None, kNone, false};
      if (outer.phase == ModulePhase::Backward) {
        m_owner[call.value] = outer;
      } else if (isModule(call)) {
        m_owner[call.value] = {ModulePhase::Forward, nodeBelow(outer.node, call), false};
        addPlace(call);
      } else {
        m_owner[call.value] = outer;
      }
    }
  }
  void addPlace(EventIndex call) {
    const std::uint32_t node = m_owner[call.value].node;
    const auto [place, isNew] = m_places.try_emplace(m_trace.events.name[call].value, node);
    if (!isNew && place->second != node) place->second = kNone; // several
    countCall(call, node);
  }

  // Then what runs in the backward pass, callers first.
  void addBackward() {
    for (const EventIndex call : m_calls.calls) {
      if (m_owner[call.value].phase != ModulePhase::Backward) continue;
      if (m_isBackward[call.value] != 0) {
        joinFunction(call);
        continue;
      }
      Owner outer = m_owner[m_calls.parentOf(call).value];
      if (isModule(call)) outer = recomputed(outer, call);
      m_owner[call.value] = outer;
    }
  }
  void joinFunction(EventIndex function) {
    const EventIndex forward = m_forward[function.value];
    Owner& owner = m_owner[function.value];
    if (!forward.valid()) {
      m_tree.looseFunctions += begins(function) ? 1 : 0;
      return;
    }
    m_tree.joinedFunctions += begins(function) ? 1 : 0;
    // The forward operator of a function that ran before is known; one that was recomputed belongs to the
    // module all the same.
    owner.node = m_owner[forward.value].node;
    if (owner.node != kNone && begins(function)) ++m_tree.nodes[owner.node].backwardFunctions;
  }
  // Calls and host times of a merged path are of its forward calls alone.
  [[nodiscard]] Owner recomputed(Owner outer, EventIndex call) {
    const bool within = outer.phase == ModulePhase::Recompute;
    Owner owner{ModulePhase::Recompute, kNone, within && outer.merged};
    if (!within && m_options.mergeRecomputation) {
      const auto place = m_places.find(m_trace.events.name[call].value);
      if (place != m_places.end()) owner.node = place->second;
      owner.merged = owner.node != kNone;
    }
    if (owner.node == kNone) owner.node = nodeBelow(within ? outer.node : kNone, call);
    if (!owner.merged) countCall(call, owner.node);
    if (begins(call)) ++m_tree.nodes[owner.node].recomputedCalls;
    return owner;
  }

  [[nodiscard]] std::uint32_t nodeBelow(std::uint32_t parent, EventIndex call) {
    const NameId name = m_trace.events.name[call];
    const std::uint64_t key = (std::uint64_t{parent} << 32U) | name.value;
    const auto [place, isNew] = m_nodeIds.try_emplace(key, static_cast<std::uint32_t>(m_tree.nodes.size()));
    if (isNew) {
      ModuleNode node;
      node.parent = parent;
      node.name = name;
      node.depth = parent == kNone ? 0 : m_tree.nodes[parent].depth + 1;
      node.firstCall = call;
      m_tree.nodes.push_back(node);
    }
    return place->second;
  }
  void countCall(EventIndex call, std::uint32_t node) {
    if (!begins(call)) return;
    const TimeNs duration = m_trace.events.duration[call];
    ModuleNode& module = m_tree.nodes[node];
    ++module.calls;
    module.hostTotal += duration;
    module.hostSelf += duration;
    // The nearest module call around it has that time from a submodule.
    for (EventIndex outer = m_calls.parentOf(call); outer.valid(); outer = m_calls.parentOf(outer)) {
      if (!isModule(outer)) continue;
      if (begins(outer)) m_tree.nodes[m_owner[outer.value].node].hostSelf -= duration;
      break;
    }
  }

  [[nodiscard]] Owner ownerOf(EventIndex call) const {
    return call.valid() && call.value < m_owner.size() ? m_owner[call.value]
                                                       : Owner{ModulePhase::None, kNone, false};
  }
  [[nodiscard]] Owner ownerOfDevice(EventIndex event) const {
    const EventIndex launch = m_trace.deviceDetail(event).launch;
    return launch.valid() ? ownerOf(m_calls.parentOf(launch)) : Owner{ModulePhase::None, kNone, false};
  }

  void addDeviceEvents() {
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value) {
      if (!begins(event)) continue;
      const TimeNs duration = m_trace.events.duration[event];
      const Owner owner = ownerOfDevice(event);
      m_tree.launchedEarly = m_tree.launchedEarly || !m_trace.deviceDetail(event).launch.valid();
      if (owner.node == kNone) {
        m_tree.noModule += duration;
        ++m_tree.noModuleEvents;
        continue;
      }
      ModuleNode& node = m_tree.nodes[owner.node];
      if (owner.phase == ModulePhase::Backward) {
        node.backward += duration;
      } else if (owner.phase == ModulePhase::Recompute && m_options.mergeRecomputation) {
        node.recompute += duration;
      } else {
        node.deviceSelf += duration;
        node.deviceTotal += duration;
        ++node.deviceEventsSelf;
        ++node.deviceEvents;
      }
    }
  }

  void addExposed() {
    const IntervalSet& compute = m_analysis.wholeActivity(m_rank).compute;
    for (const OwnedTime& owned : ownedTimes(m_trace).communication) {
      const TimeRange range = owned.range.clippedTo(m_window);
      if (range.empty()) continue;
      const Owner owner = ownerOfDevice(owned.event);
      const TimeNs exposed = range.length() - compute.coveredWithin(range);
      (owner.node == kNone ? m_tree.noModuleExposed : m_tree.nodes[owner.node].exposed) += exposed;
    }
  }
  void addIdle() {
    for (const IdleGap& gap : m_analysis.gaps(m_rank).ofDevices) {
      const Owner owner = ownerOf(gap.hostEvent);
      (owner.node == kNone ? m_tree.noModuleIdle : m_tree.nodes[owner.node].idle) += gap.range.length();
    }
  }
  void addMemory() {
    const std::vector<EventIndex>& owners = m_analysis.memoryOwners(m_rank);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const MemoryEvent& memory = m_trace.memory[i];
      if (!m_window.contains(memory.time)) continue;
      const Owner owner = ownerOf(owners[i]);
      (owner.node == kNone ? m_tree.noModuleSize : m_tree.nodes[owner.node].sizeIncrease) += memory.bytes;
    }
  }

  // To the outer modules too; hostTotal is of calls, which contain those of submodules already.
  void addUp() {
    for (std::size_t i = m_tree.nodes.size(); i-- > 0;) {
      const ModuleNode& node = m_tree.nodes[i];
      if (node.parent == kNone) continue;
      ModuleNode& parent = m_tree.nodes[node.parent];
      parent.deviceTotal += node.deviceTotal;
      parent.deviceEvents += node.deviceEvents;
      parent.backward += node.backward;
      parent.backwardFunctions += node.backwardFunctions;
      parent.recompute += node.recompute;
      parent.exposed += node.exposed;
      parent.idle += node.idle;
      parent.sizeIncrease += node.sizeIncrease;
    }
  }

  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankTrace& m_trace;
  const StringTable& m_names;
  ModuleOptions m_options;
  TimeRange m_window;
  CallNesting m_calls;
  std::vector<Owner> m_owner;                                // by call
  std::vector<EventIndex> m_forward;                         // by call
  std::vector<std::uint8_t> m_isBackward;                    // by call
  std::unordered_map<std::uint32_t, std::uint32_t> m_places; // by name: its node, kNone when it has several
  std::unordered_map<std::uint64_t, std::uint32_t> m_nodeIds;
  ModuleTree m_tree;
};

} // namespace

ModuleTree moduleTree(const Analysis& analysis, RankIndex rank, ModuleOptions options) {
  return ModuleBuilder(analysis, rank, options).build();
}

ModuleCalls moduleCalls(const Analysis& analysis, RankIndex rank, ModuleOptions options) {
  return ModuleBuilder(analysis, rank, options).withCalls();
}

} // namespace rankscope
