// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzy match of typed text and a title: each typed word must occur, case-insensitive; else its letters in
// order within one word that begins with the first of them, or as initials of words. A title that has all
// words as they were typed always scores higher than one in which the letters of a word are scattered; word
// beginnings score higher. Pure function, O(letters · length).
#pragma once

#include <QStringView>

#include <optional>

namespace rankscope::ui {

// Higher is better; empty if it does not match. An empty pattern matches all titles equally. more: words that
// count as the title does, but for what is inside of them: "light" is not found in "Highlights" there.
[[nodiscard]] std::optional<int> fuzzyScore(QStringView pattern, QStringView title, QStringView more = {});

// Whether the letters of a typed word are scattered.
[[nodiscard]] bool isPoorMatch(int score);

} // namespace rankscope::ui
