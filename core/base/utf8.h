// SPDX-License-Identifier: GPL-3.0-or-later
// Traces hold bytes that are not UTF-8; files that we write do not. Every maximal part that cannot begin or
// continue a character becomes one U+FFFD, as the Unicode standard recommends (3.9, substitution of maximal
// subparts). Valid text, as nearly all is, costs a pass at the speed of memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

// What stands at a place of a text: a character, or the maximal part of none.
struct Utf8Piece {
  std::size_t length; // at least 1
  bool valid;
};
// REQUIRES: at < text.size().
[[nodiscard]] Utf8Piece utf8PieceAt(std::string_view text, std::size_t at);

[[nodiscard]] bool isValidUtf8(std::string_view text);
[[nodiscard]] std::string validUtf8(std::string_view text);

} // namespace rankscope
