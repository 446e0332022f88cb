// SPDX-License-Identifier: GPL-3.0-or-later
// Scans raw JSON text before parsing: finds the end of a value, or a position where an event may begin. Does
// not validate. Positions are pointers within [.., end); end means "not found".
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rankscope {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf"; // of UTF-8

// Bytes that are read first where an event of unknown length begins, and the most that one may have.
inline constexpr std::uint64_t kFirstGuess = std::uint64_t{1} << 14;
inline constexpr std::uint64_t kMaxEventBytes = std::uint64_t{1} << 28;

[[nodiscard]] constexpr bool isJsonSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

[[nodiscard]] inline const char* skipJsonSpace(const char* at, const char* end) {
  while (at < end && isJsonSpace(*at)) ++at;
  return at;
}

// One past the closing quote of the string whose opening quote is at `at`; null if it is not closed.
[[nodiscard]] const char* skipJsonString(const char* at, const char* end);

// One past the value that begins at `at`, including nested values and strings; end + 1 if it is incomplete.
[[nodiscard]] const char* skipJsonValue(const char* at, const char* end);

// Finds positions where an event of the array may begin: a comma between a closing and an opening brace whose
// first key is one with which events begin. May also match inside an event's arguments, so the parser must
// verify it.
class EventBoundary {
 public:
  // firstKey: first key of the first event of the array, accepted in addition to the usual ones.
  explicit EventBoundary(std::string_view firstKey = {}) : m_firstKey(firstKey) {}

  // The comma of the first boundary whose opening brace is in [from, end). Looks back no further than
  // `begin`. Returns end if there is none.
  [[nodiscard]] const char* find(const char* begin, const char* from, const char* end) const;
  // The first opening brace in [from, end) that may begin an event, without checking the text before it. Used
  // to continue after damage. Returns end if there is none.
  [[nodiscard]] const char* findBrace(const char* begin, const char* from, const char* end) const;

 private:
  [[nodiscard]] bool isFirstKey(const char* at, const char* end) const;

  std::string_view m_firstKey;
};

} // namespace rankscope
