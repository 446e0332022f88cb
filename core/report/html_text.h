// SPDX-License-Identifier: GPL-3.0-or-later
// Text for an HTML or SVG document. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// Text in an element or a quoted attribute: markup made harmless, invalid UTF-8 and control characters
// replaced.
[[nodiscard]] std::string htmlText(std::string_view text);

} // namespace rankscope
