// SPDX-License-Identifier: GPL-3.0-or-later
// JSON lines that `nsys export --type=jsonlines` (older: `json`) writes: one object a line, 64-bit integers
// as texts, what is 0 left out. They are converted into the tables that the reader of SQLite exports knows;
// the rowid of an event is the offset of its line. Only strings that events refer to are taken over.
// Experimental: written from the documented form, no recorded file was at hand; keys are compared without
// case. For one thread at a time; O(bytes), one line in memory.
#pragma once

#include "core/io/json/json_walk.h"
#include "core/io/nsys/nsys_tables.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

// Whether a text begins like such an export. Looks at the first lines only.
[[nodiscard]] bool isNsysJsonLines(std::string_view text);

// One line: the members of its objects in one list, keys in lower case and without underscores.
class NsysJsonLine {
 public:
  struct Member {
    std::string key;
    std::string_view token; // as written
  };

  // line: in `text`. False if it is no JSON object.
  [[nodiscard]] bool read(std::string_view line, std::string_view text);
  [[nodiscard]] bool holds(std::string_view object) const; // has an object of this key
  // Of the first of these keys that is there; empty otherwise.
  [[nodiscard]] std::string_view token(std::span<const std::string_view> keys) const;
  [[nodiscard]] std::string_view token(std::initializer_list<std::string_view> keys) const {
    return token(std::span(keys.begin(), keys.size()));
  }
  [[nodiscard]] std::int64_t integer(std::initializer_list<std::string_view> keys) const; // 0 if absent
  [[nodiscard]] const std::vector<Member>& members() const { return m_members; }
  // Calls item(token) for each element of a list.
  static bool eachItem(std::string_view list, const std::function<void(std::string_view)>& item);

 private:
  bool flatten(JsonCursor& cursor, int depth);

  JsonStructure m_structure;
  std::string m_copy; // of the last line, which has no bytes after it
  std::vector<Member> m_members;
  std::vector<std::string> m_objects;
};

// A number as written, also in quotes or as true or false.
[[nodiscard]] std::optional<std::int64_t> numberOfToken(std::string_view token);

// The table that a line's event belongs to; empty for other lines.
[[nodiscard]] std::optional<NsysTable> tableOfLine(const NsysJsonLine& line);
// The value of a column, which lines may call otherwise.
[[nodiscard]] std::string_view tokenOfColumn(const NsysJsonLine& line, std::string_view column);

// Calls take(offset, line) for each line that is not empty until it returns false.
void eachLine(std::string_view text, const std::function<bool(std::uint64_t, std::string_view)>& take);

// Texts of these numbers in the string table of an export.
[[nodiscard]] std::map<std::int64_t, std::string> stringsOfLines(std::string_view text,
                                                                 const std::set<std::int64_t>& wanted);

} // namespace rankscope
