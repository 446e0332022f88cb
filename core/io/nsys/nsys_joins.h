// SPDX-License-Identifier: GPL-3.0-or-later
// Completes the events of one process after all tables have been read: synchronization by the name of its
// call, waits and records of CUDA events, ranges of domains and across threads, forward and backward
// operators, names of threads. Joins are within a process, because ids repeat between processes.
#pragma once

#include "core/io/nsys/nsys_rows.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

// A part of a process with the tables that its names and tracks refer to.
struct NsysProcessPart {
  NsysPart* part = nullptr;
  NsysProcess* tables = nullptr;
};

// Adds the pending events to the slices. lastTime: end of ranges that were open at the end of the capture.
void joinProcess(std::span<const NsysProcessPart> parts, TimeNs lastTime);

// Names of the process, its threads and streams, for the tracks of these tables.
[[nodiscard]] std::vector<RawThreadFact> namesOfTracks(std::int64_t process, const NsysExport& facts,
                                                       NsysStrings& strings,
                                                       std::span<const NsysProcessPart> parts);

} // namespace rankscope
