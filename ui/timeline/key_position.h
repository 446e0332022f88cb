// SPDX-License-Identifier: GPL-3.0-or-later
// Which key was pressed by where it lies on the keyboard: W, A, S, D and F are where they are on a US layout,
// whatever letter another layout prints there.
#pragma once

class QKeyEvent;

namespace rankscope::ui {

// Qt::Key_W, _A, _S, _D or _F by position where the platform tells it, else the event's own key.
[[nodiscard]] int keyByPosition(const QKeyEvent& event);

} // namespace rankscope::ui
