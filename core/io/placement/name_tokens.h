// SPDX-License-Identifier: GPL-3.0-or-later
// A name cut into words, numbers and single marks, of which readers take what they understand; what nobody
// took is the job's part of the name. Keeps views into the name it was made from. Cost: linear in the name.
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

  // Out of range is no word, number or mark.
  [[nodiscard]] bool isWord(std::size_t i, std::string_view lower) const;
  [[nodiscard]] bool isWordOf(std::size_t i, std::initializer_list<std::string_view> lower) const;
  [[nodiscard]] bool isMark(std::size_t i, std::string_view anyOf) const;
  // A number of minDigits to maxDigits digits that nobody took.
  [[nodiscard]] bool isNumber(std::size_t i, std::size_t minDigits, std::size_t maxDigits) const;
  [[nodiscard]] std::int64_t number(std::size_t i) const;

  // The number right after the word at i, or after one mark of "-_=.: [(" that follows it; kNone without.
  [[nodiscard]] std::size_t numberAfter(std::size_t i, std::size_t maxDigits) const;

  // Takes [first, last]; with a number that stood in brackets also the closing one.
  void take(std::size_t first, std::size_t last);
  // What was not taken, without separators at the ends or left double.
  [[nodiscard]] std::string rest() const;

 private:
  std::vector<Token> m_tokens;
};

// Digits to a number; nothing when there are none, other characters, or too many.
[[nodiscard]] std::optional<std::int64_t> wholeNumber(std::string_view digits);

} // namespace rankscope
