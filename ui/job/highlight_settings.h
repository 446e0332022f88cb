// SPDX-License-Identifier: GPL-3.0-or-later
// Which highlights are drawn, from one sitting to the next.
#pragma once

#include "ui/base/highlight_choice.h"

class QSettings;

namespace rankscope::ui {

// What was never saved is on.
[[nodiscard]] HighlightOptions savedHighlights(const QSettings& settings);
void saveHighlights(QSettings& settings, const HighlightOptions& options);

} // namespace rankscope::ui
