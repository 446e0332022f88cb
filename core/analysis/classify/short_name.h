// SPDX-License-Identifier: GPL-3.0-or-later
// Short, recognizable names. Any thread; linear in the name.
#pragma once

#include "core/model/event_kind.h"

#include <string>
#include <string_view>

namespace rankscope {

// Kernels without return type, namespaces and arguments; generic kernels with the function from their
// template arguments: "MulFunctor · vectorized_elementwise_kernel". Collectives without the library prefix,
// but for "ncclDevKernel_Generic"; Python frames as function and file; everything else as recorded.
[[nodiscard]] std::string shortName(EventKind kind, std::string_view name);
// The same if only the name is known, from its form.
[[nodiscard]] std::string shortName(std::string_view name);

// Whether it is the one kernel of NCCL for all operations that have none of their own:
// "ncclDevKernel_Generic".
[[nodiscard]] bool isForAllOperations(std::string_view collective);

} // namespace rankscope
