// SPDX-License-Identifier: GPL-3.0-or-later
// One JSON text as the places where its brackets, commas, colons and values begin, which simdjson's first
// stage finds at gigabytes a second, and a cursor that walks from place to place. It looks at no byte twice
// and builds nothing: what an event costs is what its reader asks for. The first stage proves that the text
// is UTF-8 and that its strings close; the cursor proves the order of brackets, commas and colons as far as
// it walks. Nothing that it skips is looked into. One thread at a time; cursors refer to the text and to the
// structure of the latest index().
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

  // The place after the last one is readable, and holds any byte.
  [[nodiscard]] const char* place() const { return m_text + *m_at; }
  [[nodiscard]] char here() const { return *place(); }
  [[nodiscard]] bool atEnd() const { return m_at >= m_last; }

  // Past the opening bracket when it is here.
  [[nodiscard]] bool enter(char bracket) {
    if (atEnd() || here() != bracket) return false;
    ++m_at;
    return true;
  }

  // The value here as it was written, a list or an object to its closing bracket, and past it. Empty when it
  // does not end.
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

  // Past the value here, whatever it is. False when it does not end.
  [[nodiscard]] bool skip() {
    int depth = 0;
    do {
      if (atEnd()) return false;
      depth += kDepthChange[static_cast<unsigned char>(here())];
      ++m_at;
    } while (depth > 0);
    return depth == 0;
  }

  // member(key, cursor) for every member of the object here, and past it. key: the first byte inside the
  // key's quotes. member leaves the cursor behind the value and returns false to give up. False also for
  // anything that is no object.
  template <class Member> [[nodiscard]] bool eachMember(Member&& member) {
    if (!enter('{')) return false;
    if (!atEnd() && here() == '}') {
      ++m_at;
      return true;
    }
    for (;;) {
      if (m_last - m_at < 4) return false; // key, colon, value, and what ends it
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

  // item(cursor) for every element of the list here, and past it, by the same rules.
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
  // Bytes behind a text that must be readable.
  static constexpr std::size_t kPadding = 64;

  JsonStructure();
  ~JsonStructure();
  JsonStructure(JsonStructure&&) noexcept;

  // False when the text is empty, no UTF-8, holds a raw control character in a string or a string that does
  // not close. Throws std::bad_alloc. length < 4 GB; text[length, length + kPadding) is readable.
  [[nodiscard]] bool index(const char* text, std::size_t length);
  // At the first value of the text that was indexed last. REQUIRES: index() returned true.
  [[nodiscard]] JsonCursor cursor() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace rankscope
