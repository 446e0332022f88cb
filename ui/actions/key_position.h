// SPDX-License-Identifier: GPL-3.0-or-later
// Which key was pressed by where it lies on the keyboard: W, A, S, D and F are where they are on a US layout,
// whatever letter another layout prints there, and the letters that stand in their way move to the keys that
// these leave free. On layouts without Latin letters every letter key is the US one. What is pressed together
// with Ctrl, Alt or Meta goes by the letter that is printed, as everywhere on the desktop.
#pragma once

#include <QKeyCombination>

class QKeyEvent;

namespace rankscope::ui {

// By position where the platform tells it, else the event's own key; whatever else is held, so that a key
// that goes up is the one that went down.
[[nodiscard]] int keyByPosition(const QKeyEvent& event);

// The same with its modifiers, as actions write it: a sign that is typed with Shift is the key it is on
// ("Shift+[" for a brace), but '?' and '+' are keys of their own; the number pad's keys are the others'.
[[nodiscard]] QKeyCombination keyCombinationOf(const QKeyEvent& event);

// The sign that lies there on a US layout, with Shift if it is held: for a key whose own sign means nothing
// ('[' where a layout prints a letter with an accent). Key_unknown where the platform does not tell, or where
// a US layout has a letter.
[[nodiscard]] QKeyCombination usCombinationOf(const QKeyEvent& event);

// Whether the place of the key counts, not what is printed on it.
[[nodiscard]] bool isByPosition(const QKeyEvent& event);

} // namespace rankscope::ui
