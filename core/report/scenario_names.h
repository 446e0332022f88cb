// SPDX-License-Identifier: GPL-3.0-or-later
// Short titles of scenarios, for people. Pure functions.
#pragma once

#include "core/analysis/graph/scenario.h"

#include <string>

namespace rankscope {

// "Rank 3 as its peers + Links 2 × as fast", "No gaps: DataLoader".
[[nodiscard]] std::string scenarioName(const Scenario& scenario);

} // namespace rankscope
