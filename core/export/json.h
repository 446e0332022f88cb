// SPDX-License-Identifier: GPL-3.0-or-later
// JSON (RFC 8259) as this project writes it: valid UTF-8, two spaces of indentation, members in the order in
// which they were written, numbers with the same digits as in the CSV, null for what is not known.
#pragma once

#include "core/export/result_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// The text in quotes, escaped; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string jsonString(std::string_view text);

// A table as an array of objects, one object a line, all columns in every object.
[[nodiscard]] std::string toJson(const ResultTable& table);

// Writes nested objects and arrays and keeps commas and brackets right. A name is empty inside an array and
// at the root.
class JsonWriter {
 public:
  void beginObject(std::string_view name = {});
  void endObject();
  void beginArray(std::string_view name = {});
  void endArray();
  void text(std::string_view name, std::string_view value);
  void integer(std::string_view name, std::int64_t value);
  // A number as it stands, or anything else that is already JSON.
  void literal(std::string_view name, std::string_view json);
  void null(std::string_view name) { literal(name, "null"); }

  // All that was written, ending in a line break. REQUIRES: everything begun has ended.
  [[nodiscard]] std::string take();

 private:
  void startValue(std::string_view name);
  void end(char bracket);

  std::string m_json;
  std::vector<bool> m_hasValues; // by depth
};

} // namespace rankscope
