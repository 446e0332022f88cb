// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli query: answers to questions in SQL, tables as an SQLite file, the schema.
#pragma once

#include "app/command.h"

namespace rankscope {

[[nodiscard]] Command addQueryCommand(CLI::App& app);

} // namespace rankscope
