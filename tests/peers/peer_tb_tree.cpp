// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/peer_tb.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace rankscope::peers {

namespace {

constexpr std::string_view kBackwardRoot = "autograd::engine::evaluate_function:";
constexpr std::string_view kAccumulateGrad =
    "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";
constexpr double kForever = std::numeric_limits<double>::infinity();

using Indices = std::vector<std::uint32_t>;

class TreeBuilder {
 public:
  TreeBuilder(TbNodes& to, const PeerFile& file, TbRules rules) : m_to(to), m_file(file), m_rules(rules) {}

  std::vector<TbThread> build() {
    std::vector<TbThread> threads;
    for (auto& [key, nodes] : m_to.threads) threads.push_back({key, buildThread(key, nodes)});
    if (m_rules.has(TbRule::BackwardUnderModules)) hangBackwardUnderModules(threads);
    return threads;
  }

 private:
  [[nodiscard]] TbNode& at(std::uint32_t node) { return m_to.nodes[node]; }

  void sortByStart(Indices& nodes) {
    std::ranges::stable_sort(nodes, {}, [&](std::uint32_t n) { return std::pair(at(n).start, -at(n).end); });
  }

  std::uint32_t buildThread(const std::string& key, Indices nodes) {
    const auto root = static_cast<std::uint32_t>(m_to.nodes.size());
    TbNode& made = m_to.nodes.emplace_back();
    made.kind = TbKind::Root;
    made.type = TbType::Python;
    made.name = "CallTreeRoot";
    made.start = -kForever;
    made.end = kForever;
    if (const auto calls = m_to.callsWithoutOperator.find(key); calls != m_to.callsWithoutOperator.end())
      made.calls = calls->second;
    sortByStart(nodes);
    if (std::ranges::any_of(nodes,
                            [&](std::uint32_t n) { return at(n).name.starts_with("ProfilerStep#"); })) {
      m_mainThread = key;
      if (!m_to.staleDevices.empty()) {
        made.calls.push_back(static_cast<std::uint32_t>(m_to.calls.size()));
        m_to.calls.push_back({0, 0, false, {}, m_to.staleDevices});
      }
    }
    nest(root, nodes);
    if (m_rules.has(TbRule::RepeatedNamesJoined)) joinRepeated(root);
    sum(root);
    TbNode& node = at(root);
    node.hasTime = !node.children.empty();
    if (node.hasTime) {
      node.start = at(node.children.front()).start;
      node.end = at(node.children.back()).end;
    }
    return root;
  }

  void nest(std::uint32_t root, const Indices& nodes) {
    Indices stack{root};
    for (const std::uint32_t node : nodes) {
      while (at(node).start >= at(stack.back()).end) stack.pop_back();
      if (at(node).end <= at(stack.back()).end) {
        at(stack.back()).children.push_back(node);
        stack.push_back(node);
      } else if (!m_rules.has(TbRule::CrossingDropped)) {
        const auto holder = std::find_if(stack.rbegin(), stack.rend(),
                                         [&](std::uint32_t outer) { return at(node).end <= at(outer).end; });
        at(*holder).children.push_back(node);
      }
    }
  }

  void joinRepeated(std::uint32_t index) {
    TbNode& node = at(index);
    while (node.children.size() == 1) {
      const TbNode& child = at(node.children.front());
      if (node.name != child.name || node.type != TbType::Operator || child.type != TbType::Operator) break;
      node.calls = child.calls;
      node.children = Indices(child.children);
    }
    for (const std::uint32_t child : Indices(node.children)) joinRepeated(child);
  }

  void sum(std::uint32_t index) {
    sortByStart(at(index).children);
    std::ranges::stable_sort(at(index).calls, {}, [&](std::uint32_t c) {
      const TbCall& call = m_to.calls[c];
      return call.hasTime ? std::pair(call.start, -call.end) : std::pair(kForever, -kForever);
    });
    for (const std::uint32_t child : Indices(at(index).children)) sum(child);
    TbNode& node = at(index);
    node.hostSelf = node.end - node.start;
    addChildren(node);
    for (const std::uint32_t c : node.calls) {
      const TbCall& call = m_to.calls[c];
      if (call.hasTime && m_rules.has(TbRule::CallsLeaveSelfTime)) node.hostSelf -= call.end - call.start;
      double device = 0, tensorCores = 0;
      for (const std::uint32_t d : call.devices) {
        const double duration = m_to.devices[d].end - m_to.devices[d].start;
        device += duration;
        tensorCores += m_to.devices[d].tensorCores ? duration : 0;
      }
      node.deviceTotal += device;
      node.deviceSelf += device;
      node.tensorCoreSelf += tensorCores;
      node.tensorCoreTotal += tensorCores;
    }
  }

  void addChildren(TbNode& node) {
    for (const std::uint32_t c : node.children) {
      const TbNode& child = at(c);
      node.deviceTotal += child.deviceTotal;
      node.hostSelf -= child.end - child.start;
      node.tensorCoreTotal += child.tensorCoreTotal;
    }
  }

  // Of a thread or a step within it: its modules, and its backward operators by the node above them.
  void collect(std::uint32_t above, Indices& modules,
               std::vector<std::pair<std::uint32_t, Indices>>& backward) {
    Indices found;
    for (const std::uint32_t child : Indices(at(above).children)) {
      if (at(child).kind == TbKind::Module)
        modules.push_back(child);
      else if (at(child).kind == TbKind::Step)
        collect(child, modules, backward);
      else if (at(child).name.starts_with(kBackwardRoot))
        found.push_back(child);
    }
    if (!found.empty()) backward.emplace_back(above, std::move(found));
  }

  // Begin of a forward operator to that of its backward one; threads are not looked at.
  [[nodiscard]] std::vector<std::pair<double, double>> forwardToBackward() const {
    std::vector<std::string_view> ids; // in order of their first start
    std::unordered_map<std::string_view, double> forward, backward;
    const bool exact = !m_rules.has(TbRule::DoublesOfTheFile);
    for (const PeerArrow& arrow : m_file.arrows) {
      const double ts = exact ? static_cast<double>(arrow.exactTs) : arrow.ts;
      if (!arrow.start)
        backward[arrow.id] = ts;
      else if (!forward.insert_or_assign(arrow.id, ts).second)
        continue;
      else
        ids.push_back(arrow.id);
    }
    std::vector<std::pair<double, double>> result;
    std::map<double, std::size_t> places;
    for (const std::string_view id : ids) {
      const auto other = backward.find(id);
      if (other == backward.end()) continue;
      const auto [place, isNew] = places.try_emplace(forward[id], result.size());
      if (isNew)
        result.emplace_back(forward[id], other->second);
      else
        result[place->second].second = other->second;
    }
    return result;
  }

  void findMainThread(const std::vector<TbThread>& threads) {
    if (!m_mainThread.empty() || threads.empty()) return;
    const TbThread* backward = nullptr;
    for (const TbThread& thread : threads)
      for (const std::uint32_t child : at(thread.root).children)
        if (!backward && at(child).name.starts_with(kBackwardRoot)) backward = &thread;
    const TbThread* longest = nullptr;
    for (const TbThread& thread : threads) {
      if (&thread == backward && threads.size() > 1) continue;
      if (!longest || at(thread.root).duration() > at(longest->root).duration()) longest = &thread;
    }
    m_mainThread = longest->key;
  }

  void mapParents(std::uint32_t node, std::map<double, std::uint32_t>& parents) {
    for (const std::uint32_t child : at(node).children) {
      parents.try_emplace(at(child).start, node);
      mapParents(child, parents);
    }
  }

  void hangBackwardUnderModules(std::vector<TbThread>& threads) {
    const auto arrows = forwardToBackward();
    if (arrows.empty()) return;
    findMainThread(threads);
    Indices modules, backward;
    std::vector<std::pair<std::uint32_t, Indices>> byParent;
    for (const TbThread& thread : threads) collect(thread.root, modules, byParent);
    if (modules.empty() || byParent.empty()) return;
    for (const auto& [parent, nodes] : byParent) {
      const std::unordered_set<std::uint32_t> gone(nodes.begin(), nodes.end());
      std::erase_if(at(parent).children, [&](std::uint32_t n) { return gone.contains(n); });
      backward.insert(backward.end(), nodes.begin(), nodes.end());
    }
    groupByForward(arrows, backward);
    Indices made;
    for (const std::uint32_t module : modules) buildBackward(module, kNone, made);
    const auto main = std::ranges::find(threads, m_mainThread, &TbThread::key);
    if (main != threads.end()) insertModules(main->root, made);
    std::erase_if(threads, [&](const TbThread& thread) { return at(thread.root).children.empty(); });
  }

  // A gradient's accumulation goes with the backward operator before it.
  void groupByForward(const std::vector<std::pair<double, double>>& arrows, const Indices& backward) {
    std::map<double, std::uint32_t> parents;
    for (const std::uint32_t node : backward) mapParents(node, parents);
    std::unordered_map<std::uint32_t, Indices> groups;
    std::uint32_t first = kNone;
    for (const std::uint32_t node : backward) {
      if (at(node).name != kAccumulateGrad || first == kNone) first = node;
      groups[first].push_back(node);
    }
    for (const auto& [from, to] : arrows) {
      auto parent = parents.find(to);
      for (int steps = 0; parent != parents.end() && steps < kMaxDepth; ++steps) {
        if (at(parent->second).name.starts_with(kBackwardRoot)) break;
        parent = parents.find(at(parent->second).start);
      }
      if (parent == parents.end()) continue;
      const auto group = groups.find(parent->second);
      if (group == groups.end()) continue;
      m_backwardOf[from] = std::move(group->second);
      groups.erase(group);
    }
  }

  void buildBackward(std::uint32_t node, std::uint32_t parent, Indices& made) {
    const bool isModule = at(node).kind == TbKind::Module;
    if (isModule) {
      const auto index = static_cast<std::uint32_t>(m_to.nodes.size());
      TbNode& backward = m_to.nodes.emplace_back();
      backward.kind = TbKind::Backward;
      backward.type = TbType::Python;
      backward.name = at(node).name;
      backward.start = at(node).start;
      backward.end = at(node).end;
      (parent == kNone ? made : at(parent).children).push_back(index);
      parent = index;
    }
    for (const std::uint32_t child : Indices(at(node).children)) {
      if (parent != kNone && isOperatorNode(at(child), m_rules)) {
        if (const auto found = m_backwardOf.find(at(child).start); found != m_backwardOf.end())
          at(parent).children.insert(at(parent).children.end(), found->second.begin(), found->second.end());
      }
      buildBackward(child, parent, made);
    }
    if (!isModule || at(parent).children.empty()) return;
    sortByStart(at(parent).children);
    TbNode& backward = at(parent);
    backward.start = at(backward.children.front()).start;
    backward.end = at(backward.children.back()).end;
    backward.hostSelf = backward.end - backward.start;
    addChildren(backward);
  }

  void insertModules(std::uint32_t root, Indices modules) {
    sortByStart(modules);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    std::uint32_t current = root;
    std::size_t child = 0;
    for (std::size_t m = 0; m < modules.size() && current != kNone;) {
      const TbNode& module = at(modules[m]);
      if (module.end < at(current).start) {
        ++m;
        continue;
      }
      if (module.start > at(current).end) {
        current = stack.empty() ? kNone : stack.back().first;
        child = stack.empty() ? 0 : stack.back().second + 1;
        if (!stack.empty()) stack.pop_back();
        continue;
      }
      while (child < at(current).children.size()) {
        const std::uint32_t next = at(current).children[child];
        if (module.end < at(next).start) break;
        if (module.start >= at(next).end) {
          ++child;
          continue;
        }
        stack.emplace_back(current, child);
        current = next;
        child = 0;
      }
      auto& children = at(current).children;
      children.insert(children.begin() + static_cast<std::ptrdiff_t>(child), modules[m]);
      ++child;
      ++m;
    }
  }

  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr int kMaxDepth = 10000;

  TbNodes& m_to;
  const PeerFile& m_file;
  TbRules m_rules;
  std::string m_mainThread;
  std::map<double, Indices> m_backwardOf; // by the forward operator's begin
};

void gather(const TbNodes& nodes, std::uint32_t node, TbRules rules, Indices& to) {
  for (const std::uint32_t child : nodes.nodes[node].children) gather(nodes, child, rules, to);
  if (isOperatorNode(nodes.nodes[node], rules)) to.push_back(node);
}

} // namespace

bool isOperatorNode(const TbNode& node, TbRules rules) {
  if (node.type != TbType::Operator) return false;
  if (node.kind == TbKind::Optimizer || node.kind == TbKind::Operator) {
    const bool leftOut = node.kind == TbKind::Optimizer || node.name.starts_with("Optimizer.") ||
                         node.name == "DataParallel.forward" ||
                         node.name == "DistributedDataParallel.forward";
    return !(leftOut && rules.has(TbRule::SomeOperatorsLeftOut));
  }
  return false;
}

std::vector<TbThread> tbTrees(TbNodes& nodes, const PeerFile& file, TbRules rules) {
  return TreeBuilder(nodes, file, rules).build();
}

std::vector<std::uint32_t> operatorNodes(const TbNodes& nodes, std::span<const TbThread> threads,
                                         TbRules rules) {
  Indices result;
  for (const TbThread& thread : threads) gather(nodes, thread.root, rules, result);
  return result;
}

} // namespace rankscope::peers
