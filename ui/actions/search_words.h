// SPDX-License-Identifier: GPL-3.0-or-later
// Words that people who know other viewers of traces search an action by, and that its title does not have:
// the command palette finds the action by them, but does not show them. Pure functions.
#pragma once

#include <QString>
#include <QStringList>

namespace rankscope::ui {

// Of the action with this id, separated by spaces; empty if there are none.
[[nodiscard]] QString searchWords(const QString& action);

// Ids of all actions that have such words.
[[nodiscard]] QStringList actionsWithSearchWords();

} // namespace rankscope::ui
