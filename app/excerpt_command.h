// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli excerpt: the selected part of a job as trace files of its own.
#pragma once

#include "app/command.h"

namespace rankscope {

[[nodiscard]] Command addExcerptCommand(CLI::App& app);

} // namespace rankscope
