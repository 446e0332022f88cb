// SPDX-License-Identifier: GPL-3.0-or-later
// A text as the title of a row or an entry: "idle" reads "Idle".
#pragma once

#include <QString>

namespace rankscope::ui {

[[nodiscard]] inline QString capitalized(QString text) {
  if (!text.isEmpty()) text.front() = text.front().toUpper();
  return text;
}

} // namespace rankscope::ui
