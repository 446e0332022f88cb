// SPDX-License-Identifier: GPL-3.0-or-later
// Names of kernels as people read them in a table: what is the same for every kernel is left out (return
// type, the namespaces that all of PyTorch lives in, the types of the arguments), what tells two kernels
// apart stays (template arguments). The beginning is the useful end, so what is still too long is cut at its
// end. Linear in the name.
#pragma once

#include <QString>

namespace rankscope::ui {

[[nodiscard]] QString readableKernel(const QString& name);

} // namespace rankscope::ui
