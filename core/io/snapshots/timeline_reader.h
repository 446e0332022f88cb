// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the two forms of export_memory_timeline with numbers: every change (.raw.json.gz), and sizes over
// time
// (.json). Thread-safe.
#pragma once

#include "core/base/result.h"
#include "core/model/memory_timeline.h"

#include <string>

namespace rankscope {

[[nodiscard]] Result<MemoryTimeline> readMemoryTimeline(const std::string& path);

} // namespace rankscope
