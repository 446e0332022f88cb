// SPDX-License-Identifier: GPL-3.0-or-later
// An answer of a tool: text for reading and the same as JSON, together below a limit. Says which part of the
// job it is about, and what was cut off.
#pragma once

#include "core/export/result_table.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Of text and JSON of one answer.
inline constexpr std::size_t kMaxAnswer = 24'000;

class McpAnswer {
 public:
  explicit McpAnswer(std::string scope);

  // A heading and the first rows that fit, at most `limit`. total: rows there are; narrow: how to get fewer.
  void addTable(std::string_view title, const ResultTable& table, std::size_t limit, std::uint64_t total,
                std::string_view narrow);
  // Cut if it does not fit.
  void addText(std::string_view text);
  // Replaces these texts by "(masked)".
  void mask(const std::vector<std::string>& texts);

  [[nodiscard]] const std::string& text() const { return m_text; }
  // A JSON object on one line.
  [[nodiscard]] std::string json() const;

 private:
  [[nodiscard]] std::size_t room() const;

  std::string m_text;
  std::string m_scope;
  std::string m_tables; // JSON objects, comma-separated
  bool m_truncated = false;
};

// JSON on one line: a text in quotes; members of an object are joined by the caller.
[[nodiscard]] std::string jsonOf(const ResultTable& table, std::size_t row);

} // namespace rankscope
