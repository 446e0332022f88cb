// SPDX-License-Identifier: GPL-3.0-or-later
// What a person needs of a name to recognize it. Any thread; linear in the name.
#pragma once

#include "core/model/event_kind.h"

#include <string>
#include <string_view>

namespace rankscope::ui {

// Kernels without return type, namespaces, template and other arguments, but with what they compute where
// only a template argument says so: "MulFunctor · vectorized_elementwise_kernel". Collectives without the
// prefix of their library; Python frames as function and file; everything else as recorded.
[[nodiscard]] std::string shortName(EventKind kind, std::string_view name);

} // namespace rankscope::ui
