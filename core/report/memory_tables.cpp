// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/memory_tables.h"

#include "core/analysis/job/analysis.h"

#include <string>
#include <vector>

namespace rankscope {

ResultTable memoryTable(const Analysis& analysis) {
  ResultTable table("memory", {{"rank", Unit::Identity},
                               {"capture", Unit::Identity},
                               {"device", Unit::Text},
                               {"operator", Unit::Text},
                               {"calls", Unit::Count},
                               {"allocations", Unit::Count},
                               {"allocation_bytes", Unit::Bytes},
                               {"self_allocations", Unit::Count},
                               {"self_allocation_bytes", Unit::Bytes},
                               {"size_increase_bytes", Unit::Bytes},
                               {"self_size_increase_bytes", Unit::Bytes}});
  const TraceSet& trace = analysis.trace();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = trace.rank(rank);
    const MemoryProfile& memory = analysis.memory(rank);
    std::vector<std::string> devices;
    for (const DeviceMemory& device : memory.devices) devices.push_back(device.device.name());
    for (const OperatorMemory& op : memory.operators) {
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                    Cell(std::string_view(devices[op.device])), Cell(trace.names()[op.name]), Cell(op.calls),
                    Cell(op.allocations), Cell(op.allocationBytes), Cell(op.selfAllocations),
                    Cell(op.selfAllocationBytes), Cell(op.sizeIncrease), Cell(op.selfSizeIncrease)});
    }
  }
  return table;
}

ResultTable memoryCurveTable(const Analysis& analysis) {
  ResultTable table("memory_curve", {{"rank", Unit::Identity},
                                     {"capture", Unit::Identity},
                                     {"device", Unit::Text},
                                     {"time_us", Unit::Nanoseconds},
                                     {"allocated_bytes", Unit::Bytes},
                                     {"reserved_bytes", Unit::Bytes}});
  const TraceSet& trace = analysis.trace();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = trace.rank(rank);
    for (const DeviceMemory& memory : analysis.memory(rank).devices) {
      const std::string device = memory.device.name();
      for (const MemoryLevel& level : memory.levels) {
        table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                      Cell(std::string_view(device)),
                      Cell(sinceJobBegin(analysis, rank, RankTime(level.time))), Cell(level.allocated),
                      level.reserved < 0 ? Cell() : Cell(level.reserved)});
      }
    }
  }
  return table;
}

} // namespace rankscope
