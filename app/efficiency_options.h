// SPDX-License-Identifier: GPL-3.0-or-later
// The options by which a command is told of devices and model what recordings lack: peaks, parameters,
// tokens.
#pragma once

#include "core/analysis/efficiency/job_efficiency.h"

#include <CLI/CLI.hpp>

namespace rankscope {

void addEfficiencyOptions(CLI::App& command, EfficiencySettings& settings);

} // namespace rankscope
