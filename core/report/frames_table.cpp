// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/frames_table.h"

#include "core/analysis/stacks/rank_stacks.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace rankscope {

namespace {

struct FrameRow {
  std::int64_t calls = 0;
  std::int64_t hostSelf = 0;
  std::int64_t hostTotal = 0;
  std::int64_t deviceSelf = 0;
  std::int64_t deviceTotal = 0;
};

// By the text of the frame.
std::map<std::string, FrameRow> frameRows(const Analysis& analysis, RankIndex rank) {
  std::map<std::string, FrameRow> rows;
  const auto each = [&](StackWeight weight, auto&& take) {
    const RankStacks stacks = rankStacks(analysis, rank, weight);
    const StackSums sums = stacks.sums(stackWindow(analysis, rank, weight));
    for (const FrameSum& frame : frameSums(stacks.tree, sums))
      take(rows[stacks.tree.frames()[frame.frame].text], frame);
  };
  each(StackWeight::Calls, [](FrameRow& row, const FrameSum& frame) { row.calls = frame.self; });
  each(StackWeight::HostSelf, [](FrameRow& row, const FrameSum& frame) {
    row.hostSelf = frame.self;
    row.hostTotal = frame.total;
  });
  each(StackWeight::Device, [](FrameRow& row, const FrameSum& frame) {
    row.deviceSelf = frame.self;
    row.deviceTotal = frame.total;
  });
  return rows;
}

} // namespace

ResultTable framesTable(const Analysis& analysis) {
  ResultTable table("frames", {{"rank", Unit::Identity},
                               {"capture", Unit::Identity},
                               {"frame", Unit::Text},
                               {"calls", Unit::Count},
                               {"host_self_us", Unit::Nanoseconds},
                               {"host_total_us", Unit::Nanoseconds},
                               {"device_self_us", Unit::Nanoseconds},
                               {"device_total_us", Unit::Nanoseconds}});
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const std::map<std::string, FrameRow> rows = frameRows(analysis, rank);
    std::vector<const std::pair<const std::string, FrameRow>*> sorted;
    sorted.reserve(rows.size());
    for (const auto& row : rows) sorted.push_back(&row);
    std::ranges::stable_sort(sorted, [](const auto* a, const auto* b) {
      return std::max(a->second.hostTotal, a->second.deviceTotal) >
             std::max(b->second.hostTotal, b->second.deviceTotal);
    });
    for (const auto* const row : sorted) {
      const FrameRow& r = row->second;
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}), textCell(row->first),
                    Cell(r.calls), Cell(r.hostSelf), Cell(r.hostTotal), Cell(r.deviceSelf),
                    Cell(r.deviceTotal)});
    }
  }
  return table;
}

} // namespace rankscope
