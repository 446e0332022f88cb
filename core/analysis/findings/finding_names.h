// SPDX-License-Identifier: GPL-3.0-or-later
// Names as the texts of findings say them: kernels without their template arguments. Pure. Private to the
// findings.
#pragma once

#include "core/model/string_table.h"

#include <string>
#include <string_view>

namespace rankscope {

// "vectorized_elementwise_kernel (CUDAFunctor_add)" of at::native::vectorized_elementwise_kernel<4, ...>.
[[nodiscard]] std::string shortKernelName(std::string_view name);

// "SGD" of a job with annotations "Optimizer.step#SGD.step"; "AdamW" where there is none.
[[nodiscard]] std::string optimizerName(const StringTable& names);

} // namespace rankscope
