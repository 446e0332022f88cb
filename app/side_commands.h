// SPDX-License-Identifier: GPL-3.0-or-later
// The commands for files beside traces: `hang` and `snapshot`. They read no traces.
#pragma once

#include <string>
#include <vector>

namespace rankscope {

enum class SideCommand { Hang, Snapshot };

struct SideAnswer {
  std::vector<std::string> problems; // for standard error
  std::string text;                  // empty: nothing could be read
  int exitCode = 2;
};

// format: text or json.
[[nodiscard]] SideAnswer sideAnswer(SideCommand command, const std::vector<std::string>& paths,
                                    const std::string& format, unsigned threadCount);

} // namespace rankscope
