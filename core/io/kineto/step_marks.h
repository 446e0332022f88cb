// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the steps marked by the profiler (ProfilerStep#N) without parsing events. Scans the whole text: a
// plain file at memory speed, a compressed one at the speed of decompression.
#pragma once

#include "core/base/time_range.h"
#include "core/io/files/file_bytes.h"
#include "core/io/reader/load_filter.h"

#include <atomic>
#include <optional>

namespace rankscope {

// From the begin of the first to the end of the last of these steps, in file time. Empty if none of them is
// marked.
[[nodiscard]] std::optional<TimeRange> markedSteps(const FileBytes& file, LoadFilter::Steps steps);

// First and last marked step number. Empty if there is none or `cancel` was set by another thread.
[[nodiscard]] std::optional<LoadFilter::Steps> stepNumbers(const FileBytes& file,
                                                           const std::atomic<bool>& cancel);

} // namespace rankscope
