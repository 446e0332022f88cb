// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the trace paths from a session file of the window (.rankscope), for programs that ignore its markers
// and view. Blocks on the file system; thread-safe.
#pragma once

#include "core/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Whether the path is a file with the name of a session, not a folder.
[[nodiscard]] bool isSessionPath(const std::string& path);

struct SessionTraces {
  std::vector<std::string> paths;
  // Where the window had a part of the job open: the options of rankscope-cli for it, such as
  // "--load-steps 3..5 --capture 2". Of damaged fields nothing.
  std::string part;
};

// Absolute paths of its traces; relative ones refer to `folder`. Errors: not a session, no traces.
[[nodiscard]] Result<SessionTraces> tracesOfSession(std::string_view text, const std::string& folder);

struct PathsOfTraces {
  std::vector<std::string> paths;
  std::vector<std::string> notes; // what reading all of a session adds to what it had open
};

// The paths, with every session replaced by its traces.
[[nodiscard]] Result<PathsOfTraces> withSessionTraces(std::span<const std::string> paths);

} // namespace rankscope
