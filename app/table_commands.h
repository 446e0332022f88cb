// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli summary, report and table: figures of a job as text, as a folder of files, as one table.
#pragma once

#include "app/command.h"

namespace rankscope {

[[nodiscard]] Command addSummaryCommand(CLI::App& app);
[[nodiscard]] Command addReportCommand(CLI::App& app);
[[nodiscard]] Command addTableCommand(CLI::App& app);

} // namespace rankscope
