// SPDX-License-Identifier: GPL-3.0-or-later
// A regular expression that looks for itself anywhere in a text, case of ASCII letters aside, in time
// proportional to text times pattern whatever the two are: nothing a user can type makes it run away or
// overflow a thread's stack, as backtracking ones do with names of many thousand characters.
//   x  .  [a-z]  [^a-z]  \d \w \s \D \W \S  \b  ^  $  (x|y)  (?:x)  x* x+ x? x{2} x{2,} x{2,5}  \. and the
//   like
// Bytes are matched; a character outside ASCII is the sequence of its bytes. Constant after it was made; any
// thread.
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
  // The error's byteOffset is the place in the pattern.
  [[nodiscard]] static Result<TextPattern> parse(std::string_view pattern);

  // Whether some part of the text matches.
  [[nodiscard]] bool foundIn(std::string_view text) const;

 private:
  friend class PatternParser;
  enum class Step : std::uint8_t { Bytes, Split, Jump, TextBegin, TextEnd, WordEdge };
  struct Instruction {
    Step step = Step::Jump;
    std::int32_t to = 0;     // Jump and Split: relative; one past the last instruction is the end
    std::int32_t orTo = 0;   // Split: the other way
    std::uint32_t bytes = 0; // Bytes: which of m_sets
  };

  std::vector<Instruction> m_program;
  std::vector<std::bitset<256>> m_sets;
};

// Whether text holds part, case of ASCII letters aside. REQUIRES: part has no capital ASCII letters.
[[nodiscard]] bool holdsFolded(std::string_view text, std::string_view part);
// ASCII capitals made small.
[[nodiscard]] std::string folded(std::string_view text);

} // namespace rankscope
