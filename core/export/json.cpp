// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/json.h"

#include "core/base/utf8.h"

#include <cassert>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

std::string jsonString(std::string_view text) {
  const std::string valid = validUtf8(text);
  std::string json = "\"";
  json.reserve(valid.size() + 2);
  for (const char c : valid) {
    switch (c) {
    case '"':
      json += "\\\"";
      break;
    case '\\':
      json += "\\\\";
      break;
    case '\n':
      json += "\\n";
      break;
    case '\r':
      json += "\\r";
      break;
    case '\t':
      json += "\\t";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20)
        json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      else
        json += c;
    }
  }
  json += '"';
  return json;
}

std::string toJson(const ResultTable& table) {
  std::string json = "[";
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    json += row == 0 ? "\n  {" : ",\n  {";
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      if (column > 0) json += ", ";
      json += jsonString(table.columns()[column].name);
      json += ": ";
      if (table.isEmpty(row, column))
        json += "null";
      else if (table.columns()[column].unit == Unit::Text)
        json += jsonString(exactText(table, row, column));
      else
        json += exactText(table, row, column);
    }
    json += '}';
  }
  json += table.rowCount() == 0 ? "]\n" : "\n]\n";
  return json;
}

void JsonWriter::startValue(std::string_view name) {
  if (!m_hasValues.empty()) {
    if (m_hasValues.back()) m_json += ',';
    m_hasValues.back() = true;
    m_json += '\n';
    m_json.append(2 * m_hasValues.size(), ' ');
  }
  if (!name.empty()) m_json += jsonString(name) + ": ";
}

void JsonWriter::beginObject(std::string_view name) {
  startValue(name);
  m_json += '{';
  m_hasValues.push_back(false);
}

void JsonWriter::beginArray(std::string_view name) {
  startValue(name);
  m_json += '[';
  m_hasValues.push_back(false);
}

void JsonWriter::end(char bracket) {
  assert(!m_hasValues.empty());
  const bool hasValues = m_hasValues.back();
  m_hasValues.pop_back();
  if (hasValues) {
    m_json += '\n';
    m_json.append(2 * m_hasValues.size(), ' ');
  }
  m_json += bracket;
}

void JsonWriter::endObject() {
  end('}');
}

void JsonWriter::endArray() {
  end(']');
}

void JsonWriter::text(std::string_view name, std::string_view value) {
  startValue(name);
  m_json += jsonString(value);
}

void JsonWriter::integer(std::string_view name, std::int64_t value) {
  startValue(name);
  m_json += std::to_string(value);
}

void JsonWriter::literal(std::string_view name, std::string_view json) {
  startValue(name);
  m_json += json;
}

std::string JsonWriter::take() {
  assert(m_hasValues.empty());
  return std::exchange(m_json, {}) + "\n";
}

} // namespace rankscope
