// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel names for tables: parts common to all kernels are dropped (return type, PyTorch namespaces,
// argument types), distinguishing parts stay (template arguments). What a generic kernel computes comes
// first, as in short names: "FillFunctor<float> · vectorized_elementwise_kernel<4, Array<char*, 1>>". The
// beginning matters most, so long names are cut at their end. Linear in the name.
#pragma once

#include <QString>

namespace rankscope::ui {

[[nodiscard]] QString readableKernel(const QString& name);

} // namespace rankscope::ui
