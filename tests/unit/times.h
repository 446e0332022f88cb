// SPDX-License-Identifier: GPL-3.0-or-later
// Units of the times in hand-made traces.
#pragma once

#include "core/base/time_range.h"

namespace rankscope {

inline constexpr TimeNs kUs = 1'000;
inline constexpr TimeNs kMs = 1'000'000;

} // namespace rankscope
