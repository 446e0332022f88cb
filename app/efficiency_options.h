// SPDX-License-Identifier: GPL-3.0-or-later
// Command-line options for facts on devices and model that recordings lack: peaks, parameters,
// tokens.
#pragma once

#include "core/analysis/efficiency/job_efficiency.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace rankscope {

// Says on standard error which of them have no effect. REQUIRES: settings outlive the parsing.
void addEfficiencyOptions(CLI::App& command, EfficiencySettings& settings);

// A line for each option that MFU does not follow, with what it needs.
[[nodiscard]] std::vector<std::string> optionsWithoutEffect(const ModelSettings& model);

} // namespace rankscope
