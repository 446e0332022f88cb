// SPDX-License-Identifier: GPL-3.0-or-later
// What to do about a rank that hangs, by what was found: the one text for findings, window and command line.
#pragma once

#include "core/analysis/collectives/flight_groups.h"

#include <string_view>

namespace rankscope {

// Empty where nothing is wrong with the rank itself.
[[nodiscard]] std::string_view hangAdvice(HangVerdict verdict);
// Of dumps that are cut or damaged: nothing says that their process ended.
[[nodiscard]] std::string_view damagedDumpAdvice();

} // namespace rankscope
