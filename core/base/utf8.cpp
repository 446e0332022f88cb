// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"

#include <simdjson.h>

namespace rankscope {

namespace {

// Properties of a sequence by its first byte (Unicode, table 3-7): length, and bounds of the second byte.
struct Sequence {
  std::size_t length;
  unsigned char low;
  unsigned char high;
};

Sequence sequenceFrom(unsigned char first) {
  if (first < 0x80) return {1, 0, 0};
  if (first < 0xc2) return {0, 0, 0};
  if (first < 0xe0) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first < 0xf0) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first < 0xf4) return {4, 0x80, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

} // namespace

Utf8Piece utf8PieceAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Sequence sequence = sequenceFrom(byte(at));
  if (sequence.length <= 1) return {1, sequence.length == 1};
  std::size_t length = 1;
  unsigned char low = sequence.low;
  unsigned char high = sequence.high;
  while (length < sequence.length && at + length < text.size() && byte(at + length) >= low &&
         byte(at + length) <= high) {
    ++length;
    low = 0x80;
    high = 0xbf;
  }
  return {length, length == sequence.length};
}

bool isValidUtf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

std::string validUtf8(std::string_view text) {
  if (isValidUtf8(text)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Piece piece = utf8PieceAt(text, at);
    if (piece.valid)
      result += text.substr(at, piece.length);
    else
      result += "\xef\xbf\xbd";
    at += piece.length;
  }
  return result;
}

} // namespace rankscope
