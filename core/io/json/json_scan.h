// SPDX-License-Identifier: GPL-3.0-or-later
// The few questions about raw JSON text that come before parsing: where does this value end, where may an
// event begin. Nothing is validated here; positions are pointers into [.., end), and end means "not found".
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rankscope {

[[nodiscard]] constexpr bool isJsonSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

[[nodiscard]] inline const char* skipJsonSpace(const char* at, const char* end) {
  while (at < end && isJsonSpace(*at)) ++at;
  return at;
}

// One past the closing quote of the string whose opening quote is at `at`; null when it is not closed.
[[nodiscard]] const char* skipJsonString(const char* at, const char* end);

// One past the value that begins at `at`, strings and nesting respected; end + 1 when the text stops before
// it does.
[[nodiscard]] const char* skipJsonValue(const char* at, const char* end);

// Finds where an event of the array may begin: a comma between a closing and an opening brace whose first key
// is one that events begin with. A guess that parsing verifies: such a place can lie inside an event's
// arguments.
class EventBoundary {
 public:
  // firstKey: that of the first event of the array, beside the usual ones.
  explicit EventBoundary(std::string_view firstKey = {}) : m_firstKey(firstKey) {}

  // The comma of the first boundary whose opening brace lies in [from, end), looking back no further than
  // `begin`. end when there is none.
  [[nodiscard]] const char* find(const char* begin, const char* from, const char* end) const;
  // The first opening brace in [from, end) of what may be an event without a hint before it: where
  // to go on behind damage. end when there is none.
  [[nodiscard]] const char* findBrace(const char* begin, const char* from, const char* end) const;

 private:
  [[nodiscard]] bool isFirstKey(const char* at, const char* end) const;

  std::string_view m_firstKey;
};

} // namespace rankscope
