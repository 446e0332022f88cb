// SPDX-License-Identifier: GPL-3.0-or-later
// The steps that the profiler marked in a file (ProfilerStep#N), found without reading its events. Looks
// through the whole text: a plain file at the speed of memory, a compressed one at that of its inflation.
#pragma once

#include "core/base/time_range.h"
#include "core/io/files/file_bytes.h"
#include "core/io/reader/load_filter.h"

#include <atomic>
#include <optional>

namespace rankscope {

// From the begin of the first to the end of the last of these steps that the file has marked, on the file's
// clock; nothing when it marked none of them.
[[nodiscard]] std::optional<TimeRange> markedSteps(const FileBytes& file, LoadFilter::Steps steps);

// The lowest and the highest step that the file has marked; nothing when it marked none, or `cancel` was set
// from another thread before all was seen.
[[nodiscard]] std::optional<LoadFilter::Steps> stepNumbers(const FileBytes& file,
                                                           const std::atomic<bool>& cancel);

} // namespace rankscope
