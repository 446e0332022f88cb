// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli stacks: which stacks cost what, as text that other programs read.
#pragma once

#include "app/command.h"

namespace rankscope {

[[nodiscard]] Command addStacksCommand(CLI::App& app);

} // namespace rankscope
