// SPDX-License-Identifier: GPL-3.0-or-later
// The causes of warnings in words. Constant data.
#pragma once

#include <string_view>

namespace rankscope {

// What a named cause of a warning means, and where to look: both empty for unknown words.
struct NetCause {
  std::string_view meaning, lookAt;
};
[[nodiscard]] NetCause netCause(std::string_view cause);

} // namespace rankscope
