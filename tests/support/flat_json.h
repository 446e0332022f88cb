// SPDX-License-Identifier: GPL-3.0-or-later
// A JSON file as one map: "links_strict|P2P/CUMEM" to "53", list elements by number. For oracles, which are
// well formed.
#pragma once

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace rankscope::test {

class FlatJson {
 public:
  using Values = std::map<std::string, std::string>;

  [[nodiscard]] static Values of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    FlatJson reader(text.str());
    reader.value("");
    return std::move(reader.m_values);
  }

  // Members of an object: name to value, without those of objects within it.
  [[nodiscard]] static Values below(const Values& all, const std::string& object) {
    Values found;
    const std::string prefix = object + "|";
    for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at)
      found.emplace(at->first.substr(prefix.size()), at->second);
    return found;
  }

 private:
  explicit FlatJson(std::string text) : m_text(std::move(text)) {}

  void blanks() {
    while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0) ++m_at;
  }
  std::string quoted() {
    std::string word;
    for (++m_at; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at) {
      if (m_text[m_at] != '\\') {
        word += m_text[m_at];
        continue;
      }
      ++m_at;
      if (m_text[m_at] == 'n')
        word += '\n';
      else if (m_text[m_at] == 't')
        word += '\t';
      else if (m_text[m_at] == 'r')
        word += '\r';
      else if (m_text[m_at] == 'u') { // of oracles only below 0x100
        word += static_cast<char>(std::stoi(m_text.substr(m_at + 1, 4), nullptr, 16));
        m_at += 4;
      } else
        word += m_text[m_at];
    }
    ++m_at;
    return word;
  }
  void value(const std::string& path) {
    blanks();
    const char first = m_text[m_at];
    if (first == '"') {
      m_values[path] = quoted();
      return;
    }
    if (first != '{' && first != '[') {
      const std::size_t end = m_text.find_first_of(",]} \n\r\t", m_at);
      m_values[path] = m_text.substr(m_at, end - m_at);
      m_at = end;
      return;
    }
    std::size_t index = 0;
    for (++m_at, blanks(); m_text[m_at] != '}' && m_text[m_at] != ']'; blanks()) {
      if (m_text[m_at] == ',') {
        ++m_at;
        continue;
      }
      std::string name = std::to_string(index++);
      if (first == '{') {
        name = quoted();
        blanks();
        ++m_at; // ':'
      }
      if (!path.empty()) name.insert(0, "|").insert(0, path);
      value(name);
    }
    ++m_at;
  }

  std::string m_text;
  std::size_t m_at = 0;
  Values m_values;
};

} // namespace rankscope::test
