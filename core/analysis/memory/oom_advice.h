// SPDX-License-Identifier: GPL-3.0-or-later
// What to do where memory ran out, by its cause, by what was largest and by how the allocator is set: the one
// text for findings, window and command line.
#pragma once

#include "core/analysis/memory/snapshot_replay.h"

#include <string>
#include <string_view>

namespace rankscope {

// The pool that is not private to a CUDA graph or MemPool, as snapshots write it.
inline constexpr std::string_view kDefaultPool = "0,0";

// Of the last error. REQUIRES: there is one.
[[nodiscard]] std::string oomAdvice(const DeviceReplay& replay);

} // namespace rankscope
