// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the kernels table. UI thread.
#pragma once

#include "ui/tables/result_table_model.h"

#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<ShownColumn> kernelColumns();

} // namespace rankscope::ui
