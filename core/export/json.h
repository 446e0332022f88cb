// SPDX-License-Identifier: GPL-3.0-or-later
// Writes JSON (RFC 8259): valid UTF-8, indented by two spaces, members in the order of writing, numbers with
// the same digits as in CSV, null for unknown.
#pragma once

#include "core/export/result_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// The text in quotes with escapes. Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string jsonString(std::string_view text);

// A table as an array of objects, one per line, each with all columns.
[[nodiscard]] std::string toJson(const ResultTable& table);

// Writes nested objects and arrays with commas and brackets. Names are empty inside an array and at the root.
class JsonWriter {
 public:
  void beginObject(std::string_view name = {});
  void endObject();
  void beginArray(std::string_view name = {});
  void endArray();
  void text(std::string_view name, std::string_view value);
  void integer(std::string_view name, std::int64_t value);
  // A number as text, or any other valid JSON.
  void literal(std::string_view name, std::string_view json);
  void null(std::string_view name) { literal(name, "null"); }

  // Returns the document, ending in a line break. REQUIRES: all objects and arrays have been closed.
  [[nodiscard]] std::string take();

 private:
  void startValue(std::string_view name);
  void end(char bracket);

  std::string m_json;
  std::vector<bool> m_hasValues; // by depth
};

} // namespace rankscope
