// SPDX-License-Identifier: GPL-3.0-or-later
// Raw JSON tokens as values: as a parser returns them before conversion. Exact for every integer;
// numbers in quotes count as numbers, because some writers quote them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// Without surrounding white space.
[[nodiscard]] std::string_view trimmedToken(std::string_view token);

// The inside of a quoted token as written, escapes and all; an unquoted token as it is.
[[nodiscard]] std::string_view insideQuotes(std::string_view token);

[[nodiscard]] inline bool isQuoted(std::string_view token) {
  return token.size() >= 2 && token.front() == '"';
}

// With escapes resolved; an invalid escape stays as written and sets `odd`, a lone surrogate becomes U+FFFD.
[[nodiscard]] std::string unescaped(std::string_view inside, bool* odd = nullptr);

// Integers of the whole unsigned and signed 64-bit ranges, quoted or not. A fraction or exponent makes it no
// integer.
[[nodiscard]] std::optional<std::int64_t> signedFromToken(std::string_view token);
[[nodiscard]] std::optional<std::uint64_t> unsignedFromToken(std::string_view token);
[[nodiscard]] std::optional<double> doubleFromToken(std::string_view token);

// How far mending goes: the name's inner quotes are only looked for when nothing milder helped.
enum class Repair { Bytes, NameQuotes };

// An event's damaged text with common damage repaired: bytes that are no UTF-8, raw control
// characters, backslashes that escape nothing, commas before a closing brace, missing closing braces, quotes
// inside a name.
[[nodiscard]] std::string repairedEvent(std::string_view text, Repair mending);

} // namespace rankscope
