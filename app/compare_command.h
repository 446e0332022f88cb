// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli compare: what changed between two jobs, captures, ranks or steps.
#pragma once

#include "app/command.h"

namespace rankscope {

[[nodiscard]] Command addCompareCommand(CLI::App& app);

} // namespace rankscope
