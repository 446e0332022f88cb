// SPDX-License-Identifier: GPL-3.0-or-later
// A regular expression searched anywhere in a text, ignoring the case of ASCII letters. Time is proportional
// to text length times pattern length for any input. Unlike with backtracking, no pattern takes exponential
// time or overflows the stack on names of many thousand characters. Supported:
//   x  .  [a-z]  [^a-z]  \d \w \s \D \W \S  \b  ^  $  (x|y)  (?:x)  x* x+ x? x{2} x{2,} x{2,5}  \. etc.
// Matches bytes; a non-ASCII character is the sequence of its bytes. Immutable and thread-safe.
#pragma once

#include "core/base/result.h"

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope {

class TextPattern {
 public:
  TextPattern() = default; // matches every text
  // On an error, byteOffset is the position in the pattern.
  [[nodiscard]] static Result<TextPattern> parse(std::string_view pattern);

  // Whether the pattern matches anywhere in the text.
  [[nodiscard]] bool foundIn(std::string_view text) const;

 private:
  friend class PatternParser;
  enum class Step : std::uint8_t { Bytes, Split, Jump, TextBegin, TextEnd, WordEdge };
  struct Instruction {
    Step step = Step::Jump;
    std::int32_t to = 0;     // Jump and Split: relative target; one past the last instruction is the end
    std::int32_t orTo = 0;   // Split: second target
    std::uint32_t bytes = 0; // Bytes: index into m_sets
  };

  std::vector<Instruction> m_program;
  std::vector<std::bitset<256>> m_sets;
};

// Whether text contains part, ignoring the case of ASCII letters. REQUIRES: part has no ASCII capitals.
[[nodiscard]] bool holdsFolded(std::string_view text, std::string_view part);
// The text with ASCII letters in lower case.
[[nodiscard]] std::string folded(std::string_view text);

} // namespace rankscope
