// SPDX-License-Identifier: GPL-3.0-or-later
// What a column of a table means, as the guide's page of columns defines it, and its unit: what the tooltip
// of its head says. UI thread; the page is read once.
#pragma once

#include "core/export/result_table.h"

#include <QString>

#include <string_view>

namespace rankscope::ui {

// Of the column of this table; of a table that the guide does not list, what the same name means elsewhere.
// Empty if the guide does not know the column. Plain text.
[[nodiscard]] QString columnDefinition(std::string_view table, std::string_view column);

// "Unit: µs in exports; shown in ns to s". Empty for text.
[[nodiscard]] QString unitNote(Unit unit);

} // namespace rankscope::ui
