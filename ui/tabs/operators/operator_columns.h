// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the table of operators as they are shown, and what to record where a detail is missing.
// UI thread.
#pragma once

#include "core/report/operator_rows.h"
#include "ui/tables/result_table_model.h"

#include <QString>

#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<ShownColumn> operatorColumns();

// A sentence for a table that has no rows of this detail.
[[nodiscard]] QString whyNoOperators(OperatorDetail detail);

} // namespace rankscope::ui
