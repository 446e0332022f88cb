// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/tensor_cores.h"
#include "tests/peers/peer_tb.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace rankscope::peers {

namespace {

constexpr std::array<std::string_view, 5> kCollectives{"broadcast", "reduce", "all_reduce", "all_gather",
                                                       "reduce_scatter"};

constexpr std::array<std::string_view, 18> kTensorCoreNames{"h884",
                                                            "s884",
                                                            "h1688",
                                                            "s1688",
                                                            "hmma",
                                                            "i8816",
                                                            "16816",
                                                            "dgrad_1x1_stride_2x2",
                                                            "first_layer_wgrad_kernel",
                                                            "conv1x1",
                                                            "conv2d_c1_k1",
                                                            "direct_group",
                                                            "xmma_implicit_gemm",
                                                            "xmma_sparse_conv",
                                                            "xmma_warp_specialized_implicit_gemm",
                                                            "xmma_gemm",
                                                            "xmma_sparse_gemm",
                                                            "c1688"};

bool startsWithLibrary(std::string_view name, std::string_view library) {
  if (!name.starts_with(library)) return false;
  name.remove_prefix(library.size());
  return std::ranges::find(kCollectives, name) != kCollectives.end();
}

class NodeParser {
 public:
  NodeParser(const TbEvents& events, const PeerFile& file, const OperatorTree& tree, TbRules rules)
      : m_events(events), m_file(file), m_tree(tree), m_rules(rules) {}

  TbNodes parse() {
    for (std::size_t i = 0; i < m_events.events.size(); ++i) add(i);
    if (m_to.nccl) addKernelsToCollectives();
    m_rules.has(TbRule::LinkedByExternalId) ? linkByExternalId() : linkByContainment();
    for (const TbId& id : m_deviceOrder) {
      const auto found = m_devicesOf.find(id);
      if (found == m_devicesOf.end()) continue;
      for (const std::uint32_t device : found->second)
        if (m_to.devices[device].kernel) m_to.staleDevices.push_back(device);
      m_devicesOf.erase(found);
    }
    return std::move(m_to);
  }

 private:
  void add(std::size_t i) {
    const TbEvent& event = m_events.events[i];
    switch (event.type) {
    case TbType::Kernel:
    case TbType::Memcpy:
    case TbType::Memset:
      addDevice(i);
      break;
    case TbType::Runtime:
      if (event.peer->category == "cuda_driver" && m_rules.has(TbRule::DriverCallsUnknown)) break;
      addCall(event);
      break;
    case TbType::Trace:
    case TbType::PythonFunction:
      break;
    default:
      addHost(event);
      break;
    }
  }

  void addDevice(std::size_t i) {
    const TbEvent& event = m_events.events[i];
    const auto index = static_cast<std::uint32_t>(m_to.devices.size());
    TbDevice& device = m_to.devices.emplace_back();
    device = {i, event.ts(), event.end(), event.type == TbType::Kernel, usesTensorCoresHere(event)};
    if (const auto call = m_callOf.find(event.correlation); call != m_callOf.end()) {
      m_to.calls[call->second].devices.push_back(index);
      return;
    }
    const auto [waiting, isNew] = m_devicesOf.try_emplace(event.correlation);
    waiting->second.push_back(index);
    if (isNew) m_deviceOrder.push_back(event.correlation);
  }

  [[nodiscard]] bool usesTensorCoresHere(const TbEvent& event) {
    if (event.type != TbType::Kernel) return false;
    const auto [known, isNew] = m_tensorCores.try_emplace(event.peer->nameId.value);
    if (isNew) {
      known->second = m_rules.has(TbRule::TensorCoresByItsNames)
                          ? std::ranges::any_of(kTensorCoreNames,
                                                [&](std::string_view part) {
                                                  return event.name().find(part) != std::string_view::npos;
                                                })
                          : usesTensorCores(event.name());
    }
    return known->second;
  }

  void addCall(const TbEvent& event) {
    const auto index = static_cast<std::uint32_t>(m_to.calls.size());
    TbCall& call = m_to.calls.emplace_back();
    call.start = event.ts();
    call.end = event.end();
    call.externalId = event.externalId;
    if (const auto waiting = m_devicesOf.find(event.correlation); waiting != m_devicesOf.end()) {
      call.devices = std::move(waiting->second);
      std::ranges::stable_sort(call.devices, {}, [&](std::uint32_t d) {
        return std::pair(m_to.devices[d].start, -m_to.devices[d].end);
      });
      m_devicesOf.erase(waiting);
    }
    m_callOf[event.correlation] = index;
    m_callsById[event.externalId].push_back(index);
    if (event.externalId == 0) m_to.callsWithoutOperator[threadKey(*event.peer)].push_back(index);
    m_to.allCalls.push_back(index);
    m_callOfEvent[event.peer->event.value] = index;
  }

  void addHost(const TbEvent& event) {
    if (event.type == TbType::Module && !m_rules.has(TbRule::ModulesAreNodes)) return;
    const auto kind = kindOf(event);
    if (isNamedCollective(event.name())) addCollective(event);
    if (!kind) return;
    const auto index = static_cast<std::uint32_t>(m_to.nodes.size());
    TbNode& node = m_to.nodes.emplace_back();
    node.kind = *kind;
    node.type = event.type;
    node.name = event.name();
    node.start = event.ts();
    node.end = event.end();
    node.thread = event.peer->thread;
    if (node.kind != TbKind::Module) node.externalId = event.externalId;
    node.event = event.peer->event;
    nodesOf(threadKey(*event.peer)).push_back(index);
  }

  [[nodiscard]] std::optional<TbKind> kindOf(const TbEvent& event) const {
    const bool isSpan =
        event.type != TbType::Module && !isOperator(*m_file.trace, m_file.job->names(), event.peer->event);
    if (isSpan && !m_rules.has(TbRule::SpansAreNodes)) return std::nullopt;
    if (event.type == TbType::ProfilerStep) return TbKind::Step;
    if (event.type == TbType::Module) return TbKind::Module;
    if (isDataLoader(event.name())) return TbKind::DataLoader;
    if (event.name().starts_with("Optimizer.step")) return TbKind::Optimizer;
    if (event.type == TbType::Annotation && !isNamedCollective(event.name())) return std::nullopt;
    return TbKind::Operator;
  }

  void addCollective(const TbEvent& event) {
    (event.name().starts_with("nccl:") ? m_to.nccl : m_to.gloo) = true;
    TbCollective collective;
    collective.name = event.name();
    collective.start = event.ts();
    collective.end = event.end();
    collective.inputDims = event.peer->inputDims;
    collective.inputType = event.peer->inputType;
    collective.kernelRanges.emplace_back(event.ts(), event.end());
    const auto [place, isNew] = m_collectiveOf.try_emplace(event.externalId, m_to.collectives.size());
    if (isNew)
      m_to.collectives.emplace_back(event.externalId, std::move(collective));
    else
      m_to.collectives[place->second].second = std::move(collective);
  }

  void addKernelsToCollectives() {
    for (const TbEvent& event : m_events.events) {
      if (event.type != TbType::Kernel) continue;
      if (const auto found = m_collectiveOf.find(event.externalId); found != m_collectiveOf.end())
        m_to.collectives[found->second].second.kernelRanges.emplace_back(event.ts(), event.end());
    }
  }

  // The first node with the id, thread by thread, takes all its calls.
  void linkByExternalId() {
    for (const auto& [key, nodes] : m_to.threads) {
      for (const std::uint32_t node : nodes) {
        const auto calls = m_callsById.find(m_to.nodes[node].externalId);
        if (calls == m_callsById.end()) continue;
        m_to.nodes[node].calls = std::move(calls->second);
        m_callsById.erase(calls);
      }
    }
  }

  // As our tree has it; what has an operator but no call gets a call without a time.
  void linkByContainment() {
    m_to.callsWithoutOperator.clear();
    std::unordered_map<std::uint32_t, std::uint32_t> nodeOf;
    for (std::uint32_t n = 0; n < m_to.nodes.size(); ++n) nodeOf[m_to.nodes[n].event.value] = n;
    for (TbCall& call : m_to.calls) call.devices.clear();
    for (const auto& [event, call] : m_callOfEvent) {
      const EventIndex owner = m_tree.enclosingOf(EventIndex(event));
      if (const auto node = nodeOf.find(owner.value); owner.valid() && node != nodeOf.end())
        m_to.nodes[node->second].calls.push_back(call);
    }
    for (std::uint32_t d = 0; d < m_to.devices.size(); ++d) {
      const PeerEvent& event = *m_events.events[m_to.devices[d].event].peer;
      if (!m_file.trace->isDeviceEvent(event.event)) continue;
      const EventIndex launch = m_file.trace->deviceDetail(event.event).launch;
      if (const auto call = m_callOfEvent.find(launch.value); launch.valid() && call != m_callOfEvent.end()) {
        m_to.calls[call->second].devices.push_back(d);
        continue;
      }
      const EventIndex owner = m_tree.owners[event.event.value - m_file.trace->deviceBegin.value];
      const auto node = nodeOf.find(owner.value);
      if (!owner.valid() || node == nodeOf.end()) continue;
      m_to.nodes[node->second].calls.push_back(static_cast<std::uint32_t>(m_to.calls.size()));
      m_to.calls.push_back({0, 0, false, {}, {d}});
    }
  }

  [[nodiscard]] std::string threadKey(const PeerEvent& event) const {
    if (m_rules.has(TbRule::ThreadsByNumberAlone)) return std::string(event.thread);
    return std::string(event.process) + '/' + std::string(event.thread);
  }

  std::vector<std::uint32_t>& nodesOf(const std::string& key) {
    const auto [place, isNew] = m_threadAt.try_emplace(key, m_to.threads.size());
    if (isNew) m_to.threads.emplace_back(key, std::vector<std::uint32_t>());
    return m_to.threads[place->second].second;
  }

  const TbEvents& m_events;
  const PeerFile& m_file;
  const OperatorTree& m_tree;
  TbRules m_rules;
  TbNodes m_to;
  std::map<TbId, std::uint32_t> m_callOf; // by correlation, the last so far
  std::map<TbId, std::vector<std::uint32_t>> m_devicesOf;
  std::vector<TbId> m_deviceOrder;
  std::map<TbId, std::vector<std::uint32_t>> m_callsById;
  std::map<TbId, std::size_t> m_collectiveOf;
  std::map<std::uint32_t, std::uint32_t> m_callOfEvent;
  std::unordered_map<std::uint32_t, bool> m_tensorCores; // by name
  std::map<std::string, std::size_t> m_threadAt;
};

} // namespace

bool isNamedCollective(std::string_view name) {
  return startsWithLibrary(name, "nccl:") || startsWithLibrary(name, "gloo:");
}

bool isCollectiveSpan(const PeerEvent& event, TbRules rules) {
  if (rules.has(TbRule::NamedCollectives)) return isNamedCollective(event.name);
  return event.kind == EventKind::HostCollective && !isOperatorName(event.name);
}

bool isDataLoader(std::string_view name) {
  return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
         name.starts_with("enumerate(DataPipe)#");
}

bool TbNodes::isCollectiveId(const TbId& id) const {
  return std::ranges::any_of(collectives, [&](const auto& entry) { return entry.first == id; });
}

TbNodes tbNodes(const TbEvents& events, const PeerFile& file, const OperatorTree& tree, TbRules rules) {
  return NodeParser(events, file, tree, rules).parse();
}

} // namespace rankscope::peers
