// SPDX-License-Identifier: GPL-3.0-or-later
// Fast walk over a JSON text. simdjson's first stage finds the positions of brackets, commas, colons and
// values at gigabytes per second; the cursor moves from position to position, reads no byte twice and builds
// nothing. So the cost of an event depends only on what its reader requests. The first stage validates UTF-8
// and closed strings; the cursor validates the order of brackets, commas and colons that it visits. Skipped
// values are not examined. For one thread; cursors refer to the text and structure of the latest index().
#pragma once

#include "core/io/json/json_scan.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace rankscope {

class JsonCursor {
 public:
  JsonCursor(const char* text, const std::uint32_t* at, const std::uint32_t* last)
      : m_text(text), m_at(at), m_last(last) {}

  // Reading one past the last position is allowed and returns any byte.
  [[nodiscard]] const char* place() const { return m_text + *m_at; }
  [[nodiscard]] char here() const { return *place(); }
  [[nodiscard]] bool atEnd() const { return m_at >= m_last; }

  // Moves past `bracket` if it is at this position.
  [[nodiscard]] bool enter(char bracket) {
    if (atEnd() || here() != bracket) return false;
    ++m_at;
    return true;
  }

  // Returns the value as written, including all of a list or object, and moves past it. Empty if the value is
  // incomplete.
  [[nodiscard]] std::string_view value() {
    const char* const begin = place();
    if (kDepthChange[static_cast<unsigned char>(*begin)] > 0) {
      if (!skip()) return {};
      return {begin, static_cast<std::size_t>(m_text + m_at[-1] + 1 - begin)};
    }
    const char* end = m_text + *++m_at;
    while (end > begin && isJsonSpace(end[-1])) --end;
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  // Moves past the value. False if it is incomplete.
  [[nodiscard]] bool skip() {
    int depth = 0;
    do {
      if (atEnd()) return false;
      depth += kDepthChange[static_cast<unsigned char>(here())];
      ++m_at;
    } while (depth > 0);
    return depth == 0;
  }

  // Calls member(key, cursor) for every member of this object and moves past the object. key: first byte
  // inside the key's quotes. `member` must move the cursor past the value; it returns false to stop. Returns
  // false on a stop and if this is not an object.
  template <class Member> [[nodiscard]] bool eachMember(Member&& member) {
    if (!enter('{')) return false;
    if (!atEnd() && here() == '}') {
      ++m_at;
      return true;
    }
    for (;;) {
      if (m_last - m_at < 4) return false; // key, colon, value and terminator
      const char* const key = place();
      if (*key != '"' || m_text[m_at[1]] != ':' || !isValue(m_text[m_at[2]])) return false;
      m_at += 2;
      if (!member(key + 1, *this)) return false;
      if (atEnd()) return false;
      const char next = here();
      ++m_at;
      if (next == '}') return true;
      if (next != ',') return false;
    }
  }

  // Calls item(cursor) for every element of this list and moves past it; same rules as eachMember.
  template <class Item> [[nodiscard]] bool eachItem(Item&& item) {
    if (!enter('[')) return false;
    if (!atEnd() && here() == ']') {
      ++m_at;
      return true;
    }
    for (;;) {
      if (m_last - m_at < 2 || !isValue(here())) return false;
      if (!item(*this)) return false;
      if (atEnd()) return false;
      const char next = here();
      ++m_at;
      if (next == ']') return true;
      if (next != ',') return false;
    }
  }

 private:
  static bool isValue(char first) { return first != ',' && first != ':' && first != '}' && first != ']'; }

  static constexpr std::array<std::int8_t, 256> kDepthChange = [] {
    std::array<std::int8_t, 256> change{};
    change['{'] = change['['] = 1;
    change['}'] = change[']'] = -1;
    return change;
  }();

  const char* m_text;
  const std::uint32_t* m_at;
  const std::uint32_t* m_last;
};

class JsonStructure {
 public:
  // Number of readable bytes required after a text.
  static constexpr std::size_t kPadding = 64;

  JsonStructure();
  ~JsonStructure();
  JsonStructure(JsonStructure&&) noexcept;

  // False if the text is empty, not UTF-8, or has a raw control character in a string or an unclosed string.
  // Throws std::bad_alloc. length < 4 GB; text[length, length + kPadding) must be readable.
  [[nodiscard]] bool index(const char* text, std::size_t length);
  // Cursor at the first value of the latest indexed text. REQUIRES: index() returned true.
  [[nodiscard]] JsonCursor cursor() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace rankscope
