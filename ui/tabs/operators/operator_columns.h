// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the operators table, and what to record if a detail is missing. UI thread.
#pragma once

#include "core/report/operator_rows.h"
#include "ui/tables/result_table_model.h"

#include <QString>

#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<ShownColumn> operatorColumns();
// Of the table `compiled_regions`.
[[nodiscard]] std::vector<ShownColumn> compiledColumns();

// The text of an empty table with this detail.
[[nodiscard]] QString whyNoOperators(OperatorDetail detail, const TraceSet& traces);

} // namespace rankscope::ui
