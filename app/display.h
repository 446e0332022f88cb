// SPDX-License-Identifier: GPL-3.0-or-later
// Checks for a display before Qt is started, because Qt terminates the program if there is none.
#pragma once

#include <string>

namespace rankscope {

// The reason why there is no display, as a sentence; empty if there is one.
[[nodiscard]] std::string displayProblem();

} // namespace rankscope
