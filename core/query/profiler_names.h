// SPDX-License-Identifier: GPL-3.0-or-later
// What of a recording the profiler itself is: its step marks, the span of its recording and its Python
// frames. They lie around everything else, so sums by name leave them out. Pure.
#pragma once

#include "core/model/event_kind.h"

#include <string_view>

namespace rankscope {

[[nodiscard]] bool isOfProfiler(EventKind kind, std::string_view name);

} // namespace rankscope
