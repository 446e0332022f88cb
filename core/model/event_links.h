// SPDX-License-Identifier: GPL-3.0-or-later
// Links events of one rank: device events to the runtime call that launched them, by correlation id; forward
// operators to their backward, by flow events; waiting streams and threads to the work they wait for, by CUDA
// events.
#pragma once

#include "core/model/file_events.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <vector>

namespace rankscope {

// Ids are stored in 32 bits. Larger ids, which no known writer uses, are stored as 0 (not recorded).
[[nodiscard]] constexpr std::uint32_t narrowId(std::uint64_t id) {
  return id < EventIndex::kNone ? static_cast<std::uint32_t>(id) : 0;
}

// Fills DeviceDetail::launch and RankTrace::byLaunch. If several calls have the same correlation id (a
// runtime call that encloses a driver call), the one that began first is the launch.
void linkLaunches(RankTrace& trace);

// Fills DeviceDetail::evidence. Turns a Kernel into a Collective if a communicating operator
// (record_param_comms, nccl:...) launched it and its name is not that of a compute kernel. REQUIRES:
// linkLaunches was called.
void weighCommunicationEvidence(RankTrace& trace, const StringTable& names);

// Fills RankTrace::forwardBackward from flow events. Flows with only one recorded end are dropped.
void linkForwardBackward(const FileEvents& file, const std::vector<std::vector<std::uint32_t>>& trackMaps,
                         RankTrace& trace);

// Fills RankTrace::waits from synchronization rows. A stream executes work in launch order, so an event marks
// the last work launched on its stream before the event was recorded. REQUIRES: linkLaunches was called.
void linkWaits(const FileEvents& file, RankTrace& trace);

} // namespace rankscope
