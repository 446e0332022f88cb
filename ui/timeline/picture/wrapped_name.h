// SPDX-License-Identifier: GPL-3.0-or-later
// A name of a slice in lines of a width. Names have no spaces: a line ends behind a joint, as in
// "vectorized_elementwise_kernel<4, |FillFunctor", and within a word only where that is longer than a line.
// Quadratic in the characters of a line.
#pragma once

#include <QFontMetrics>
#include <QString>

namespace rankscope::ui {

// At most this many lines; what does not fit is left out.
[[nodiscard]] QString wrappedName(const QString& name, const QFontMetrics& metrics, int width, int lines);

} // namespace rankscope::ui
