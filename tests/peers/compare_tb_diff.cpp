// SPDX-License-Identifier: GPL-3.0-or-later
// The TensorBoard plugin's Diff: the operators of its root, and the tree of what it matched, in order and
// greedily, by DataLoaders, modules, backward passes, optimizers and steps.
#include "core/analysis/classify/normal_name.h"
#include "tests/peers/diff_set.h"
#include "tests/peers/oracle_table.h"
#include "tests/peers/peer_tb.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>

namespace rankscope::peers {

namespace {

enum class DiffRule {
  NodesOfThePlugin, // its nodes: what they are, which lie in the tree, what they launched
  FirstThread,      // of each side
  ChildrenOfSteps,  // what lies below the spans of steps; all, without such spans
  NamesAsWritten,
  Count
};

std::string_view textOf(DiffRule rule) {
  switch (rule) {
  case DiffRule::NodesOfThePlugin:
    return "nodes of the plugin's trees";
  case DiffRule::FirstThread:
    return "the first thread only";
  case DiffRule::ChildrenOfSteps:
    return "what lies below the spans of steps";
  case DiffRule::NamesAsWritten:
    return "names as written";
  case DiffRule::Count:
    break;
  }
  return "";
}

using Rules = RuleSet<DiffRule>;
using Indices = std::vector<std::uint32_t>;

// The plugin's view of one side, with its rules or on our definitions.
class SideTree {
 public:
  SideTree(const OpenSide& side, bool ofThePlugin)
      : m_side(side), m_rules(ofThePlugin ? TbRules::all() : TbRules()),
        m_events(tbEvents(side.file, m_rules)),
        m_ours{&side.analysis->operatorTree(side.rank), &side.analysis->wholeStepWindows(side.rank),
               hostActivity(*side.file.trace, side.job->names(), side.analysis->wholeStepWindows(side.rank))},
        m_profile(side.file, m_events, m_ours, m_rules) {
    m_threads = {m_profile.threads().begin(), m_profile.threads().end()};
  }

  [[nodiscard]] const TbNode& node(std::uint32_t index) const { return m_profile.nodes().nodes[index]; }
  [[nodiscard]] double microseconds(double time) const { return m_events.microseconds(time); }

  // What the plugin's diff begins with.
  [[nodiscard]] Indices outermost() const {
    if (m_threads.empty()) return {};
    return belowSteps(m_threads.front().root);
  }

  // Operators below the chosen nodes, children first.
  [[nodiscard]] Indices operators(Rules rules) const {
    Indices found;
    for (const TbThread& thread : m_threads) {
      for (const std::uint32_t top :
           rules.has(DiffRule::ChildrenOfSteps) ? belowSteps(thread.root) : node(thread.root).children)
        gather(top, found);
      if (rules.has(DiffRule::FirstThread)) break;
    }
    if (!rules.has(DiffRule::ChildrenOfSteps))
      std::erase_if(found, [&](std::uint32_t index) {
        const EventIndex event = node(index).event;
        return !event.valid() || !m_side.isInSteps(m_side.file.trace->events.begin[event]);
      });
    return found;
  }

 private:
  [[nodiscard]] Indices belowSteps(std::uint32_t root) const {
    Indices result;
    bool any = false;
    for (const std::uint32_t child : node(root).children) {
      if (node(child).kind != TbKind::Step) continue;
      any = true;
      result.insert(result.end(), node(child).children.begin(), node(child).children.end());
    }
    return any ? result : node(root).children;
  }

  void gather(std::uint32_t index, Indices& to) const {
    for (const std::uint32_t child : node(index).children) gather(child, to);
    if (isOperatorNode(node(index), m_rules)) to.push_back(index);
  }

  const OpenSide& m_side;
  TbRules m_rules;
  TbEvents m_events;
  OurView m_ours;
  TbProfile m_profile;
  std::vector<TbThread> m_threads;
};

class PluginDiff {
 public:
  explicit PluginDiff(const OpenPair& pair)
      : m_left(pair.a, true), m_right(pair.b, true), m_leftOurs(pair.a, false), m_rightOurs(pair.b, false) {}

  [[nodiscard]] Figures operators(Rules rules) const {
    Figures figures;
    const bool plugin = rules.has(DiffRule::NodesOfThePlugin);
    for (const bool right : {false, true}) {
      const SideTree& tree = right ? (plugin ? m_right : m_rightOurs) : (plugin ? m_left : m_leftOurs);
      const std::string prefix = right ? "right_" : "left_";
      for (const std::uint32_t index : tree.operators(rules)) {
        const TbNode& node = tree.node(index);
        const std::string row =
            rules.has(DiffRule::NamesAsWritten) ? std::string(node.name) : normalOperatorName(node.name);
        const auto add = [&](const char* column, double value) {
          Figure& figure = figures[{row, prefix + column}];
          figure = Figure(figure.low.value_or(0) + value);
        };
        add("calls", 1);
        add("host_us", tree.microseconds(node.duration()));
        add("device_us", tree.microseconds(node.deviceTotal));
        add("host_self_us", tree.microseconds(node.hostSelf));
        add("device_self_us", tree.microseconds(node.deviceSelf));
      }
    }
    return figures;
  }

  [[nodiscard]] Figures tree() const {
    Figures figures;
    addNode("0", m_left.outermost(), m_right.outermost(), figures);
    return figures;
  }

 private:
  // Left and right are one node each, or lists.
  void addNode(const std::string& path, const Indices& left, const Indices& right, Figures& to) const {
    const auto children = childrenOf(left, right);
    addSide(path, "left", m_left, left, to);
    addSide(path, "right", m_right, right, to);
    to[{path, "children"}] = static_cast<double>(children.size());
    for (std::size_t i = 0; i < children.size(); ++i)
      addNode(fmt::format("{}-{}", path, i), children[i].first, children[i].second, to);
  }

  static void addSide(const std::string& path, const std::string& side, const SideTree& tree,
                      const Indices& nodes, Figures& to) {
    double host = 0;
    double device = 0;
    double total = 0;
    for (const std::uint32_t index : nodes) {
      const TbNode& node = tree.node(index);
      const double duration = tree.microseconds(node.duration());
      const double onDevice = tree.microseconds(node.deviceTotal);
      host += duration;
      device += onDevice;
      total += onDevice != 0 ? onDevice : duration;
    }
    to[{path, side}] = nodes.empty()       ? std::string("blank")
                       : nodes.size() == 1 ? std::string(tree.node(nodes.front()).name)
                                           : std::string("CompositeNodes");
    to[{path, side + "_host_us"}] = host;
    to[{path, side + "_device_us"}] = device;
    to[{path, side + "_total_us"}] = total;
  }

  [[nodiscard]] std::vector<std::pair<Indices, Indices>> childrenOf(const Indices& left,
                                                                    const Indices& right) const {
    if (left.empty() || right.empty()) return {};
    const bool oneLeft = left.size() == 1;
    if (oneLeft != (right.size() == 1)) return {};
    if (!oneLeft) return matched(left, right);
    return matched(m_left.node(left.front()).children, m_right.node(right.front()).children);
  }

  // In order and greedily by kind and name; what lies between two matches is one node.
  [[nodiscard]] std::vector<std::pair<Indices, Indices>> matched(const Indices& left,
                                                                 const Indices& right) const {
    std::vector<std::pair<std::size_t, std::size_t>> points;
    std::size_t next = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const TbNode& one = m_left.node(left[i]);
      if (one.kind == TbKind::Operator || one.kind == TbKind::Root) continue;
      for (std::size_t j = next; j < right.size(); ++j) {
        const TbNode& other = m_right.node(right[j]);
        if (other.kind != one.kind || other.name != one.name) continue;
        points.emplace_back(i, j);
        next = j + 1;
        break;
      }
    }
    std::vector<std::pair<Indices, Indices>> result;
    if (points.empty()) return result;
    const auto part = [](const Indices& nodes, std::size_t from, std::size_t to) {
      return Indices(nodes.begin() + static_cast<std::ptrdiff_t>(from),
                     nodes.begin() + static_cast<std::ptrdiff_t>(to));
    };
    const auto between = [&](std::size_t l, std::size_t lEnd, std::size_t r, std::size_t rEnd) {
      if (l < lEnd || r < rEnd) result.emplace_back(part(left, l, lEnd), part(right, r, rEnd));
    };
    std::size_t l = 0;
    std::size_t r = 0;
    for (const auto& [i, j] : points) {
      between(l, i, r, j);
      result.emplace_back(Indices{left[i]}, Indices{right[j]});
      l = i + 1;
      r = j + 1;
    }
    between(l, left.size(), r, right.size());
    return result;
  }

  SideTree m_left;
  SideTree m_right;
  SideTree m_leftOurs;
  SideTree m_rightOurs;
};

// Calls, self time on the host and what was launched itself: those that the rows of Compare have.
Figures ourOperators(const OpenPair& pair) {
  Figures figures;
  for (const bool ofB : {false, true}) {
    const std::string prefix = ofB ? "right_" : "left_";
    for (const SideOperator& row : pair.side(ofB).facts.operators) {
      if (row.name.empty() || row.calls == 0) continue;
      for (const auto& [column, value] :
           {std::pair("calls", row.calls), std::pair("host_self_us", row.hostSelf / 1000),
            std::pair("device_self_us", row.device / 1000)}) {
        Figure& figure = figures[{row.name, prefix + column}];
        figure = Figure(figure.low.value_or(0) + value);
      }
    }
  }
  return figures;
}

// What one side lacks is 0 in the table.
void dropZeros(Figures& figures) {
  std::erase_if(figures, [](const auto& entry) { return entry.second.low == 0.0; });
}

std::string basisOf(std::string_view column) {
  if (column.ends_with("self_us") || column.ends_with("calls")) return {};
  return "total times, which callers and callees both have; ours are self times, which add up";
}

} // namespace

void compareTensorBoardDiff(const OpenPair& pair, std::vector<Comparison>& to) {
  const CsvTable operators = readCsv(pair.oracles / fmt::format("tb_{}_ops.csv", pair.name));
  const CsvTable tree = readCsv(pair.oracles / fmt::format("tb_{}_tree.csv", pair.name));
  if (operators.rows.empty()) return;
  const PluginDiff diff(pair);
  const auto tolerance = [](std::string_view column) {
    return column.ends_with("calls") || column == "children" ? Tolerance{0, 0} : Tolerance{};
  };
  PeerTable<DiffRule> table{fmt::format("tb_{}_ops", pair.name),
                            figuresOf(operators, {"operator"}),
                            ourOperators(pair),
                            basisOf,
                            {DiffRule::NodesOfThePlugin, DiffRule::FirstThread, DiffRule::ChildrenOfSteps,
                             DiffRule::NamesAsWritten},
                            {},
                            tolerance};
  dropZeros(table.theirs);
  dropZeros(*table.ours);
  table.recompute = [&](Rules rules) {
    Figures figures = diff.operators(rules);
    dropZeros(figures);
    return figures;
  };
  explainDifferences(pair.name, table, textOf, to);
  PeerTable<DiffRule> trees{fmt::format("tb_{}_tree", pair.name),
                            figuresOf(tree, {"path"}),
                            std::nullopt,
                            [](std::string_view) {
                              return std::string(
                                  "spans matched in order and greedily, steps joined; Compare "
                                  "matches rows by name, module and phase, each step by itself");
                            },
                            {DiffRule::NodesOfThePlugin},
                            [&](Rules) { return diff.tree(); },
                            tolerance};
  explainDifferences(pair.name, trees, textOf, to);
}

} // namespace rankscope::peers
