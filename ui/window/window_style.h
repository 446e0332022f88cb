// SPDX-License-Identifier: GPL-3.0-or-later
// The style sheet of what only the main window has (title row, cards, start page, banner), in a theme's
// colors; it comes on top of the application's.
#pragma once

#include "ui/base/theme.h"

#include <QString>

namespace rankscope::ui {

[[nodiscard]] QString windowStyleSheet(const Theme& theme);

} // namespace rankscope::ui
