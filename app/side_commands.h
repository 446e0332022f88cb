// SPDX-License-Identifier: GPL-3.0-or-later
// The commands for files beside traces: `hang` and `snapshot`. They read no traces.
#pragma once

#include "app/command.h"

namespace rankscope {

[[nodiscard]] Command addSnapshotCommand(CLI::App& app);
[[nodiscard]] Command addHangCommand(CLI::App& app);

} // namespace rankscope
