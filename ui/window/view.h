// SPDX-License-Identifier: GPL-3.0-or-later
// The window's tabs.
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>

namespace rankscope::ui {

enum class View : std::uint8_t { Timeline, Overview, Distributed, Operators, Kernels, Memory, Files };

// By the name that the command line gives them; nothing for others.
[[nodiscard]] std::optional<View> viewNamed(const QString& name);
[[nodiscard]] QStringList viewNames(); // in the order of the tabs
[[nodiscard]] QString viewTitle(View view);

} // namespace rankscope::ui
