// SPDX-License-Identifier: GPL-3.0-or-later
// Which key was pressed by where it lies on the keyboard: W, A, S, D and F are where they are on a US layout,
// whatever letter another layout prints there, and the letters that stand in their way move to the keys that
// these leave free. On layouts without Latin letters every letter key is the US one.
#pragma once

#include <QKeyCombination>

class QKeyEvent;

namespace rankscope::ui {

// By position where the platform tells it, else the event's own key.
[[nodiscard]] int keyByPosition(const QKeyEvent& event);

// The same with its modifiers, as actions write it: a sign that is typed with Shift is the key it is on
// ("Shift+[" for a brace), but '?' and '+' are keys of their own; the number pad's keys are the others'.
[[nodiscard]] QKeyCombination keyCombinationOf(const QKeyEvent& event);

} // namespace rankscope::ui
