// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the tables of the Network tab, with their titles and definitions.
#pragma once

#include "ui/tables/result_table_model.h"

#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<ShownColumn> communicatorColumns();
[[nodiscard]] std::vector<ShownColumn> algorithmColumns();
[[nodiscard]] std::vector<ShownColumn> fitColumns();
[[nodiscard]] std::vector<ShownColumn> bucketColumns();
[[nodiscard]] std::vector<ShownColumn> linkColumns();
[[nodiscard]] std::vector<ShownColumn> nicColumns();
[[nodiscard]] std::vector<ShownColumn> settingColumns();
[[nodiscard]] std::vector<ShownColumn> problemColumns();
[[nodiscard]] std::vector<ShownColumn> warningColumns();
[[nodiscard]] std::vector<ShownColumn> fileColumns();

} // namespace rankscope::ui
