// SPDX-License-Identifier: GPL-3.0-or-later
// A number with its noun, singular or plural.
#pragma once

#include "core/base/unit_text.h"

#include <QString>

namespace rankscope::ui {

// one: "1 rank", many: "%1 ranks"; large numbers are grouped.
[[nodiscard]] inline QString counted(qint64 number, const QString& one, const QString& many) {
  return number == 1 ? one : many.arg(QString::fromStdString(countText(number)));
}

} // namespace rankscope::ui
