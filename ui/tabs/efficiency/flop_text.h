// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of floating-point operations with a prefix that makes them readable. Pure.
#pragma once

#include <QString>

namespace rankscope::ui {

// "14.9 PFLOP".
[[nodiscard]] QString flopText(double flops);

} // namespace rankscope::ui
