// SPDX-License-Identifier: GPL-3.0-or-later
// Names as the texts of findings say them: kernels without their template arguments, leaves of the account in
// a sentence, optimizers with what makes them fewer launches. Pure. Private to the findings.
#pragma once

#include "core/analysis/account/leaves.h"

#include <string>
#include <string_view>

namespace rankscope {

// "vectorized_elementwise_kernel (CUDAFunctor_add)" of at::native::vectorized_elementwise_kernel<4, ...>.
[[nodiscard]] std::string shortKernelName(std::string_view name);

// "SGD" of an annotation "Optimizer.step#SGD.step"; empty for other names.
[[nodiscard]] std::string optimizerName(std::string_view annotation);
// What makes its launches fewer: not all have fused=True on GPUs.
[[nodiscard]] std::string optimizerFix(const std::string& optimizer);

// "waiting for the DataLoader", "synchronization", ...: what a rank spends the time of a leaf on.
[[nodiscard]] std::string_view leafPhrase(Leaf leaf);

} // namespace rankscope
