// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/modules_table.h"

#include "core/analysis/stacks/frame_names.h"
#include "core/analysis/stacks/module_tree.h"

#include <algorithm>
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

} // namespace

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
