// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_graph_origins.h"

#include "core/io/nsys/nsys_tables.h"
#include "core/io/nsys/nsys_text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

constexpr int kMostClones = 64; // a chain that does not end is damage
constexpr std::size_t kMostRanges = 32;

struct Creation {
  std::int64_t start = 0, thread = 0, name = 0;
  std::optional<std::int64_t> original; // the node that it is a clone of
};

// Creations of nodes of a process by node. Until 2022 they stood in the table of graphs.
std::map<std::int64_t, Creation> creationsOf(const SqliteFile& file, std::int64_t process) {
  enum Column : int { Start, Thread, Name, Node, Original };
  static constexpr std::array<std::string_view, 5> kColumns{"start", "globalTid", "nameId", "graphNodeId",
                                                            "originalGraphNodeId"};
  std::map<std::int64_t, Creation> creations;
  for (const std::string_view name : {"CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS"}) {
    const SqliteTable* const table = file.table(name);
    if (table == nullptr || !table->has("graphNodeId")) continue;
    SqliteRows rows(file, *table, kColumns);
    if (!rows.readable()) continue;
    while (rows.next() == SqliteRows::Step::Row) {
      if (rows.isNull(Node) || processKey(rows.integer(Thread)) != process) continue;
      creations.try_emplace(rows.integer(Node), Creation{rows.integer(Start), rows.integer(Thread),
                                                         rows.integer(Name), rows.optionalInteger(Original)});
    }
  }
  return creations;
}

// Calls use(start, end, rows) for each row of a table that holds this time of this thread.
template <class Use>
void eachAround(const SqliteFile& file, NsysTable of, const Creation& creation, int threadColumn, Use&& use) {
  const NsysTableSpec& spec = nsysTable(of);
  const SqliteTable* const table = file.table(spec.name);
  if (table == nullptr) return;
  SqliteRows rows(file, *table, spec.columns);
  if (!rows.readable()) return;
  while (rows.next() == SqliteRows::Step::Row) {
    if (rows.integer(threadColumn) != creation.thread || rows.isNull(kEnd)) continue;
    if (rows.integer(kStart) <= creation.start && rows.integer(kEnd) >= creation.start)
      use(rows.integer(kStart), rows);
  }
}

} // namespace

std::optional<GraphNodeOrigin> originOfGraphNode(const SqliteFile& file, NsysStrings& strings,
                                                 std::int64_t process, std::int64_t node) {
  const std::map<std::int64_t, Creation> creations = creationsOf(file, processKey(process));
  auto found = creations.find(node);
  for (int i = 0; i < kMostClones && found != creations.end(); ++i) {
    const std::optional<std::int64_t> original = found->second.original;
    if (!original || *original == found->first) break;
    const auto before = creations.find(*original);
    if (before == creations.end()) break;
    found = before;
  }
  if (found == creations.end()) return std::nullopt;
  GraphNodeOrigin origin;
  origin.node = found->first;
  std::optional<std::int64_t> begin; // of the innermost call
  eachAround(file, NsysTable::Runtime, found->second, kThread,
             [&](std::int64_t start, const SqliteRows& rows) {
               if (begin && *begin > start) return;
               begin = start;
               origin.call = callName(displayText(strings.text(rows.integer(kNameId)).value_or("")));
             });
  std::vector<std::pair<std::int64_t, std::string>> ranges;
  eachAround(file, NsysTable::Nvtx, found->second, kNvtxThread,
             [&](std::int64_t start, const SqliteRows& rows) {
               if (ranges.size() >= kMostRanges) return;
               std::string text(rows.bytes(kText));
               if (rows.isNull(kText) && !rows.isNull(kTextId))
                 text = strings.text(rows.integer(kTextId)).value_or("");
               ranges.emplace_back(start, displayText(operatorText(text).name));
             });
  std::ranges::stable_sort(ranges, std::greater<>(), &std::pair<std::int64_t, std::string>::first);
  for (auto& [start, name] : ranges) origin.ranges.push_back(std::move(name));
  return origin;
}

} // namespace rankscope
