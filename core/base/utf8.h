// SPDX-License-Identifier: GPL-3.0-or-later
// Replaces invalid UTF-8 of traces before it is written to files. Every maximal invalid subpart becomes one
// U+FFFD, as the Unicode standard recommends (3.9, substitution of maximal subparts). Valid text costs one
// pass at memory speed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

// A character at a position of a text, or a maximal invalid subpart.
struct Utf8Piece {
  std::size_t length; // at least 1
  bool valid;
};
// REQUIRES: at < text.size().
[[nodiscard]] Utf8Piece utf8PieceAt(std::string_view text, std::size_t at);

[[nodiscard]] bool isValidUtf8(std::string_view text);
[[nodiscard]] std::string validUtf8(std::string_view text);

} // namespace rankscope
