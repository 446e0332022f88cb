// SPDX-License-Identifier: GPL-3.0-or-later
// The traces that a session of the window (.rankscope) is about, for programs that open the job without its
// marks and view. Blocks on the file system; safe on any thread.
#pragma once

#include "core/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// A file that is called so, not a folder.
[[nodiscard]] bool isSessionPath(const std::string& path);

// Its traces, as absolute paths; relative ones count from `folder`. Errors: no session, no traces in it.
[[nodiscard]] Result<std::vector<std::string>> tracesOfSession(std::string_view text,
                                                               const std::string& folder);

// The paths with every session replaced by its traces.
[[nodiscard]] Result<std::vector<std::string>> withSessionTraces(std::span<const std::string> paths);

} // namespace rankscope
