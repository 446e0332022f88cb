// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli mcp: answers assistants on standard input and output (Model Context Protocol).
#pragma once

#include "app/command.h"

namespace rankscope {

[[nodiscard]] Command addMcpCommand(CLI::App& app);

} // namespace rankscope
