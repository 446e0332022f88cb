// SPDX-License-Identifier: GPL-3.0-or-later
// Saves and restores which highlights are drawn.
#pragma once

#include "ui/base/highlight_choice.h"

class QSettings;

namespace rankscope::ui {

// On by default.
[[nodiscard]] HighlightOptions savedHighlights(const QSettings& settings);
void saveHighlights(QSettings& settings, const HighlightOptions& options);

} // namespace rankscope::ui
