// SPDX-License-Identifier: GPL-3.0-or-later
// Command-line options for facts on devices and model that recordings lack: peaks, parameters,
// tokens.
#pragma once

#include "core/analysis/efficiency/job_efficiency.h"

#include <CLI/CLI.hpp>

namespace rankscope {

void addEfficiencyOptions(CLI::App& command, EfficiencySettings& settings);

} // namespace rankscope
