// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a window can be shown: asked before Qt, which ends the program where it finds no display.
#pragma once

#include <string>

namespace rankscope {

// Why there is no display, as a sentence; empty where there is one.
[[nodiscard]] std::string displayProblem();

} // namespace rankscope
