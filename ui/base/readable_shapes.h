// SPDX-License-Identifier: GPL-3.0-or-later
// Input shapes for tables: arguments without a shape at the end, which most operators have, are dropped, so
// that tensors are in view. Linear in the text.
#pragma once

#include <QString>

namespace rankscope::ui {

// "[[32, 3], [], []]" as "[[32, 3]]".
[[nodiscard]] QString readableShapes(const QString& shapes);
// "[[], [32, 3], [3, 8], []]" as "– · 32×3 · 3×8".
[[nodiscard]] QString shortShapes(const QString& shapes);

} // namespace rankscope::ui
