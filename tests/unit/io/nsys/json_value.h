// SPDX-License-Identifier: GPL-3.0-or-later
// A JSON text as a tree, for the small files of expected figures. Throws std::runtime_error on an error.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::test {

struct JsonValue {
  enum class Kind : std::uint8_t { Null, Number, Text, List, Object };
  Kind kind = Kind::Null;
  std::int64_t number = 0; // true is 1
  std::string text;
  std::vector<JsonValue> items;
  std::map<std::string, JsonValue> members;

  [[nodiscard]] bool has(const std::string& key) const {
    const auto found = members.find(key);
    return found != members.end() && found->second.kind != Kind::Null;
  }
  [[nodiscard]] const JsonValue& operator[](const std::string& key) const {
    static const JsonValue kNull;
    const auto found = members.find(key);
    return found == members.end() ? kNull : found->second;
  }
  [[nodiscard]] std::int64_t at(std::size_t index) const { return items.at(index).number; }
};

class JsonTree {
 public:
  static JsonValue of(std::string_view text) {
    JsonTree tree(text);
    return tree.value();
  }

 private:
  explicit JsonTree(std::string_view text) : m_text(text) {}

  [[nodiscard]] char here() {
    while (m_at < m_text.size() && std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
      ++m_at;
    if (m_at == m_text.size()) throw std::runtime_error("the JSON text ends early");
    return m_text[m_at];
  }
  [[nodiscard]] bool took(char c) {
    if (here() != c) return false;
    ++m_at;
    return true;
  }

  std::string string() {
    std::string text;
    for (++m_at; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at) {
      if (m_text[m_at] != '\\') {
        text += m_text[m_at];
        continue;
      }
      const char escaped = m_text.at(++m_at);
      if (escaped == 'u') m_at += 4; // none of the figures need it
      text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    }
    ++m_at;
    return text;
  }

  JsonValue value() {
    JsonValue value;
    const char first = here();
    if (first == '"') {
      value.kind = JsonValue::Kind::Text;
      value.text = string();
    } else if (first == '{' || first == '[') {
      ++m_at;
      const char end = first == '{' ? '}' : ']';
      value.kind = first == '{' ? JsonValue::Kind::Object : JsonValue::Kind::List;
      while (!took(end)) {
        if (first == '{') {
          static_cast<void>(here());
          std::string key = string();
          if (!took(':')) throw std::runtime_error("no colon");
          value.members.emplace(std::move(key), this->value());
        } else {
          value.items.push_back(this->value());
        }
        static_cast<void>(took(','));
      }
    } else {
      std::size_t end = m_at;
      while (end < m_text.size() && std::string_view(",]} \n").find(m_text[end]) == std::string_view::npos)
        ++end;
      const std::string word(m_text.substr(m_at, end - m_at));
      m_at = end;
      if (word == "null") return value;
      value.kind = JsonValue::Kind::Number;
      value.number = word == "true" ? 1 : std::strtoll(word.c_str(), nullptr, 10);
    }
    return value;
  }

  std::string_view m_text;
  std::size_t m_at = 0;
};

} // namespace rankscope::test
