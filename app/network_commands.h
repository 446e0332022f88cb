// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli network and predict: the links that NCCL logged, and how long collectives would take.
#pragma once

#include "app/command.h"

namespace rankscope {

[[nodiscard]] Command addNetworkCommand(CLI::App& app);
[[nodiscard]] Command addPredictCommand(CLI::App& app);

} // namespace rankscope
