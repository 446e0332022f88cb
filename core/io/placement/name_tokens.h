// SPDX-License-Identifier: GPL-3.0-or-later
// Splits a name into words, numbers and separators. Parsers take the tokens that they recognize; the rest
// identifies the job. Holds views into the name. Cost: linear in the name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

class NameTokens {
 public:
  enum class Kind : std::uint8_t { Word, Number, Mark };
  struct Token {
    Kind kind = Kind::Mark;
    std::string_view text;
    std::string lower;
    bool taken = false;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit NameTokens(std::string_view name);

  [[nodiscard]] std::size_t size() const { return m_tokens.size(); }
  [[nodiscard]] const Token& operator[](std::size_t i) const { return m_tokens[i]; }

  // Indices out of range match nothing.
  [[nodiscard]] bool isWord(std::size_t i, std::string_view lower) const;
  [[nodiscard]] bool isWordOf(std::size_t i, std::initializer_list<std::string_view> lower) const;
  [[nodiscard]] bool isMark(std::size_t i, std::string_view anyOf) const;
  // An untaken number of minDigits to maxDigits digits.
  [[nodiscard]] bool isNumber(std::size_t i, std::size_t minDigits, std::size_t maxDigits) const;
  [[nodiscard]] std::int64_t number(std::size_t i) const;

  // Index of the number directly after the word at i, or after one of "-_=.: [("; kNone if there is none.
  [[nodiscard]] std::size_t numberAfter(std::size_t i, std::size_t maxDigits) const;

  // Takes [first, last], and the closing bracket if the number is in brackets.
  void take(std::size_t first, std::size_t last);
  // The untaken text, without separators at the ends or repeated ones.
  [[nodiscard]] std::string rest() const;

 private:
  std::vector<Token> m_tokens;
};

// Parses digits; empty if there are none, other characters, or too many digits.
[[nodiscard]] std::optional<std::int64_t> wholeNumber(std::string_view digits);

} // namespace rankscope
