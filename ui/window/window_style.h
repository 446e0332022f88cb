// SPDX-License-Identifier: GPL-3.0-or-later
// The style sheet of the main window (title row, cards, start page, banner) in a theme's colors, applied on
// top of the application's.
#pragma once

#include "ui/base/theme.h"

#include <QString>

namespace rankscope::ui {

[[nodiscard]] QString windowStyleSheet(const Theme& theme);

} // namespace rankscope::ui
