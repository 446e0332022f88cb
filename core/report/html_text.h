// SPDX-License-Identifier: GPL-3.0-or-later
// Text for an HTML or SVG document. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// Text in an element or a quoted attribute: markup made harmless, invalid UTF-8 and control characters
// replaced.
[[nodiscard]] std::string htmlText(std::string_view text);

// The same for prose: no line ends within a figure or before its unit.
[[nodiscard]] std::string htmlProse(std::string_view text);

// The same again for an element that may be narrow: a long word such as
// "torch.profiler.ProfilerActivity.CUDA" goes to a line of its own, and ends it behind a separator only where
// it is longer than that.
[[nodiscard]] std::string htmlNarrowText(std::string_view text);

} // namespace rankscope
