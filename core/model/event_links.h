// SPDX-License-Identifier: GPL-3.0-or-later
// Which event belongs to which: a device event to the runtime call that launched it, by correlation; a
// forward operator to its backward, by the arrows in the file; work of a stream to what had to wait for it,
// by the events that were recorded and waited for. Links stay within one rank.
#pragma once

#include "core/model/file_events.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <vector>

namespace rankscope {

// Ids are kept in 32 bits, as every writer so far counts them; a larger one is kept as 0, "not recorded".
[[nodiscard]] constexpr std::uint32_t narrowId(std::uint64_t id) {
  return id < EventIndex::kNone ? static_cast<std::uint32_t>(id) : 0;
}

// Fills DeviceDetail::launch and RankTrace::byLaunch. When several calls carry one correlation (a runtime
// call around a driver call) the one that began first launched.
void linkLaunches(RankTrace& trace);

// Fills DeviceDetail::evidence, and makes a Collective of a Kernel that only its link gives away: an operator
// that communicates (record_param_comms, nccl:...) launched it and its name is not that of a computation.
// REQUIRES: linkLaunches was called.
void weighCommunicationEvidence(RankTrace& trace, const StringTable& names);

// Fills RankTrace::forwardBackward from the file's arrows. An arrow whose other end was not recorded is left
// out.
void linkForwardBackward(const FileEvents& file, const std::vector<std::vector<std::uint32_t>>& trackMaps,
                         RankTrace& trace);

// Fills RankTrace::waits from the synchronization rows of the file. Work is given to a stream in the order of
// its launches, so what an event marks is the last work launched before it was recorded.
// REQUIRES: linkLaunches was called.
void linkWaits(const FileEvents& file, RankTrace& trace);

} // namespace rankscope
