// SPDX-License-Identifier: GPL-3.0-or-later
// Keys by position: W, A, S, D and F are at their positions of a US layout on every layout; letters that
// conflict move to the keys freed by these. On layouts without Latin letters all letter keys are those of
// the US layout. Chords with Ctrl, Alt or Meta go by the printed letter.
#pragma once

#include <QKeyCombination>

class QKeyEvent;

namespace rankscope::ui {

// By position if the platform reports it, else the event's key. Independent of modifiers, so that press and
// release give the same key.
[[nodiscard]] int keyByPosition(const QKeyEvent& event);

// The same with modifiers, in the notation of actions: a symbol typed with Shift is its base key ("Shift+["
// for a brace), but '?' and '+' are keys of their own; keypad keys equal the main ones.
[[nodiscard]] QKeyCombination keyCombinationOf(const QKeyEvent& event);

// The symbol at this position on a US layout, with Shift if held: for keys whose own symbol has no action
// ('[' on layouts with an accented letter there). Key_unknown if the platform does not report the position,
// or for letters.
[[nodiscard]] QKeyCombination usCombinationOf(const QKeyEvent& event);

// Whether the key goes by position, not by its label.
[[nodiscard]] bool isByPosition(const QKeyEvent& event);

} // namespace rankscope::ui
