// SPDX-License-Identifier: GPL-3.0-or-later
// Short names in the window.
#pragma once

#include "core/analysis/classify/short_name.h"

namespace rankscope::ui {

using rankscope::shortName;

} // namespace rankscope::ui
