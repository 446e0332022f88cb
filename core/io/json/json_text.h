// SPDX-License-Identifier: GPL-3.0-or-later
// Converts raw JSON tokens to values. Exact for all integers. Quoted numbers count as numbers, because some
// writers quote them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// The token without surrounding white space.
[[nodiscard]] std::string_view trimmedToken(std::string_view token);

// The contents of a quoted token, with escapes; an unquoted token unchanged.
[[nodiscard]] std::string_view insideQuotes(std::string_view token);

[[nodiscard]] inline bool isQuoted(std::string_view token) {
  return token.size() >= 2 && token.front() == '"';
}

// Resolves escapes. An invalid escape is kept and sets `odd`; a lone surrogate becomes U+FFFD.
[[nodiscard]] std::string unescaped(std::string_view inside, bool* odd = nullptr);

// Any 64-bit integer, quoted or not. Empty if it has a fraction or an exponent.
[[nodiscard]] std::optional<std::int64_t> signedFromToken(std::string_view token);
[[nodiscard]] std::optional<std::uint64_t> unsignedFromToken(std::string_view token);
[[nodiscard]] std::optional<double> doubleFromToken(std::string_view token);

// Level of repair. Quotes inside a name are only repaired if Bytes was not sufficient.
enum class Repair { Bytes, NameQuotes };

// Repairs common damage in the text of an event: invalid UTF-8, raw control characters, invalid escapes,
// commas before a closing brace, missing closing braces, quotes inside a name.
[[nodiscard]] std::string repairedEvent(std::string_view text, Repair mending);

} // namespace rankscope
