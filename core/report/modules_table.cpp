// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/modules_table.h"

#include "core/analysis/stacks/frame_names.h"
#include "core/analysis/stacks/module_tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

Cell timeCell(const ExactSum& time) {
  return Cell(std::int64_t{time});
}

void addModule(ResultTable& table, const RankEntry& entry, const ModuleTree& tree, std::uint32_t index,
               const StringTable& names) {
  const ModuleNode& node = tree.nodes[index];
  const std::string path = tree.pathOf(index, names);
  table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}), textCell(path),
                textCell(moduleClass(moduleName(names[node.name]))), cellOf(node.layer), Cell(node.calls),
                timeCell(node.hostSelf), timeCell(node.hostTotal), timeCell(node.deviceSelf),
                timeCell(node.deviceTotal), timeCell(node.backward), timeCell(node.recompute),
                timeCell(node.exposed), timeCell(node.idle), timeCell(node.sizeIncrease),
                Cell(node.deviceEvents)});
}

void addRest(ResultTable& table, const RankEntry& entry, const ModuleTree& tree) {
  table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}), Cell(kNoModule), Cell(),
                Cell(), Cell(), Cell(), Cell(), timeCell(tree.noModule), timeCell(tree.noModule), Cell(),
                Cell(), timeCell(tree.noModuleExposed), timeCell(tree.noModuleIdle),
                timeCell(tree.noModuleSize), Cell(tree.noModuleEvents)});
}

// A module over all ranks, by its path.
struct ModuleSum {
  std::string parent; // empty: none
  std::string name;
  std::uint32_t depth = 0;
  std::optional<std::int64_t> layer;
  std::int64_t calls = 0;
  ExactSum forward, recompute, backward, self, host, exposed, idle, sizeIncrease;

  [[nodiscard]] std::int64_t total() const {
    ExactSum sum = forward;
    sum += recompute;
    sum += backward;
    return sum;
  }
};

struct ModuleSums {
  std::map<std::string, ModuleSum> byPath;
  ExactSum noModule, noModuleExposed, noModuleIdle, noModuleSize;
};

ModuleSums moduleSums(const Analysis& analysis) {
  ModuleSums sums;
  const StringTable& names = analysis.trace().names();
  for (const RankIndex rank : analysis.ranks()) {
    const ModuleTree tree = moduleTree(analysis, rank);
    if (!tree.nodes.empty()) {
      sums.noModule += tree.noModule;
      sums.noModuleExposed += tree.noModuleExposed;
      sums.noModuleIdle += tree.noModuleIdle;
      sums.noModuleSize += tree.noModuleSize;
    }
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
      const ModuleNode& node = tree.nodes[i];
      if (node.calls == 0 && node.deviceEvents == 0 && node.backwardFunctions == 0 &&
          node.recomputedCalls == 0)
        continue;
      ModuleSum& sum = sums.byPath[tree.pathOf(i, names)];
      sum.parent = node.parent == ModuleNode::kNone ? std::string() : tree.pathOf(node.parent, names);
      sum.name = moduleName(names[node.name]);
      sum.depth = node.depth;
      sum.layer = node.layer;
      sum.calls += node.calls;
      sum.forward += node.deviceTotal;
      sum.recompute += node.recompute;
      sum.backward += node.backward;
      sum.self += node.deviceSelf;
      sum.host += node.hostTotal;
      sum.exposed += node.exposed;
      sum.idle += node.idle;
      sum.sizeIncrease += node.sizeIncrease;
    }
  }
  return sums;
}

void addTreeRow(ResultTable& table, const std::string& path, const ModuleSum& sum) {
  const std::string name = std::string(2 * static_cast<std::size_t>(sum.depth), ' ') + sum.name;
  table.addRow({textCell(name), textCell(path), cellOf(sum.layer), Cell(sum.calls), timeCell(sum.forward),
                timeCell(sum.recompute), timeCell(sum.backward), timeCell(sum.self), Cell(sum.total()),
                timeCell(sum.host), timeCell(sum.exposed), timeCell(sum.idle), timeCell(sum.sizeIncrease)});
}

} // namespace

ResultTable moduleTreeTable(const Analysis& analysis) {
  ResultTable table("module_tree", {{"module", Unit::Text},
                                    {"path", Unit::Text},
                                    {"layer", Unit::Identity},
                                    {"calls", Unit::Count},
                                    {"forward_us", Unit::Nanoseconds},
                                    {"recompute_us", Unit::Nanoseconds},
                                    {"backward_us", Unit::Nanoseconds},
                                    {"self_us", Unit::Nanoseconds},
                                    {"total_us", Unit::Nanoseconds},
                                    {"host_us", Unit::Nanoseconds},
                                    {"exposed_us", Unit::Nanoseconds},
                                    {"idle_us", Unit::Nanoseconds},
                                    {"size_increase_bytes", Unit::Bytes}});
  const ModuleSums sums = moduleSums(analysis);
  using Child = const std::pair<const std::string, ModuleSum>*;
  std::map<std::string, std::vector<Child>> children;
  for (const auto& module : sums.byPath) children[module.second.parent].push_back(&module);
  for (auto& [parent, of] : children) {
    // Pushed on a stack: the heaviest last.
    std::ranges::stable_sort(of, [](Child a, Child b) {
      return std::pair(a->second.total(), std::int64_t{a->second.host}) <
             std::pair(b->second.total(), std::int64_t{b->second.host});
    });
  }
  std::vector<Child> open = children[""];
  while (!open.empty()) {
    const Child module = open.back();
    open.pop_back();
    addTreeRow(table, module->first, module->second);
    const auto below = children.find(module->first);
    if (below != children.end()) open.insert(open.end(), below->second.begin(), below->second.end());
  }
  if (!sums.byPath.empty()) {
    ModuleSum rest;
    rest.name = kNoModule;
    rest.forward = sums.noModule;
    rest.self = sums.noModule;
    table.addRow({Cell(kNoModule), Cell(), Cell(), Cell(), Cell(), Cell(), Cell(), timeCell(rest.self),
                  Cell(rest.total()), Cell(), timeCell(sums.noModuleExposed), timeCell(sums.noModuleIdle),
                  timeCell(sums.noModuleSize)});
  }
  return table;
}

Layers layerTimes(const Analysis& analysis) {
  const ModuleSums sums = moduleSums(analysis);
  // By the module that calls the layers, then by layer.
  std::map<std::string, std::map<std::int64_t, LayerTimes>> byParent;
  std::map<std::string, std::int64_t> totals;
  std::map<std::string, std::string> classes;
  const bool onHost =
      std::ranges::all_of(sums.byPath, [](const auto& module) { return module.second.total() == 0; });
  for (const auto& [path, sum] : sums.byPath) {
    const auto parent = sums.byPath.find(sum.parent);
    const bool isLayer = sum.layer && (parent == sums.byPath.end() || !parent->second.layer);
    if (!isLayer) continue;
    LayerTimes& times = byParent[sum.parent][*sum.layer];
    times.layer = *sum.layer;
    times.forward += onHost ? sum.host : sum.forward;
    times.recompute += sum.recompute;
    times.backward += sum.backward;
    totals[sum.parent] += onHost ? std::int64_t{sum.host} : sum.total();
    classes[sum.parent] = moduleClass(sum.name);
  }
  Layers layers;
  layers.onHost = onHost;
  const auto most = std::ranges::max_element(totals, {}, [](const auto& total) { return total.second; });
  if (most == totals.end()) return layers;
  layers.name = classes[most->first];
  layers.times.reserve(byParent[most->first].size());
  for (const auto& [layer, times] : byParent[most->first]) layers.times.push_back(times);
  return layers;
}

ResultTable modulesTable(const Analysis& analysis) {
  ResultTable table("modules", {{"rank", Unit::Identity},
                                {"capture", Unit::Identity},
                                {"path", Unit::Text},
                                {"class", Unit::Text},
                                {"layer", Unit::Identity},
                                {"calls", Unit::Count},
                                {"host_self_us", Unit::Nanoseconds},
                                {"host_total_us", Unit::Nanoseconds},
                                {"device_self_us", Unit::Nanoseconds},
                                {"device_total_us", Unit::Nanoseconds},
                                {"backward_device_us", Unit::Nanoseconds},
                                {"recompute_device_us", Unit::Nanoseconds},
                                {"exposed_us", Unit::Nanoseconds},
                                {"idle_us", Unit::Nanoseconds},
                                {"size_increase_bytes", Unit::Bytes},
                                {"kernels", Unit::Count}});
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const ModuleTree tree = moduleTree(analysis, rank);
    std::vector<std::uint32_t> rows;
    rows.reserve(tree.nodes.size());
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) rows.push_back(i);
    const auto costOf = [&](std::uint32_t i) {
      const ModuleNode& node = tree.nodes[i];
      return std::pair(std::int64_t{node.deviceTotal} + node.backward + node.recompute,
                       std::int64_t{node.hostTotal});
    };
    std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) { return costOf(a) > costOf(b); });
    for (const std::uint32_t row : rows) {
      const ModuleNode& node = tree.nodes[row];
      if (node.calls > 0 || node.deviceEvents > 0 || node.backwardFunctions > 0 || node.recomputedCalls > 0)
        addModule(table, entry, tree, row, analysis.trace().names());
    }
    if (!rows.empty()) addRest(table, entry, tree);
  }
  return table;
}

} // namespace rankscope
