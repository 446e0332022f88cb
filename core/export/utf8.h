// SPDX-License-Identifier: GPL-3.0-or-later
// Traces hold bytes that are not UTF-8; files that we write do not. Every maximal part that cannot begin or
// continue a character becomes one U+FFFD, as the Unicode standard recommends (3.9, substitution of maximal
// subparts).
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

[[nodiscard]] bool isValidUtf8(std::string_view text);
[[nodiscard]] std::string validUtf8(std::string_view text);

} // namespace rankscope
