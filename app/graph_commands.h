// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of rankscope-cli that ask the graph of a job: critical-path, what-if, slowdown.
#pragma once

#include "app/command.h"

namespace rankscope {

[[nodiscard]] Command addCriticalPathCommand(CLI::App& app);
[[nodiscard]] Command addWhatIfCommand(CLI::App& app);
[[nodiscard]] Command addSlowdownCommand(CLI::App& app);

} // namespace rankscope
