// SPDX-License-Identifier: GPL-3.0-or-later
// How well a few typed letters fit a title: each word typed must occur, its letters in order, upper and lower
// case alike; letters that begin words or follow each other count more. Pure function, O(words · length).
#pragma once

#include <QStringView>

#include <optional>

namespace rankscope::ui {

// Higher is better; nothing when it does not fit. An empty pattern fits everything equally.
[[nodiscard]] std::optional<int> fuzzyScore(QStringView pattern, QStringView title);

} // namespace rankscope::ui
