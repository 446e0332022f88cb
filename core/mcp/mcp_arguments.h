// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a call of a tool, and what can be wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rankscope {

// Arguments of a call. Values are texts, numbers, or lists of texts.
class McpArguments {
 public:
  using Value = std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>>;

  std::map<std::string, Value, std::less<>> values;

  // Throws McpUsage if a value is of another type, or if there is none.
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::string textOr(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  // Within [1, most].
  [[nodiscard]] std::size_t limitOr(std::size_t otherwise, std::size_t most) const;
  [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return values.contains(name); }
};

// What is wrong with a call, for who made it.
class McpUsage : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace rankscope
