// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mcp/mcp_arguments.h"

#include <algorithm>
#include <fmt/format.h>

namespace rankscope {

namespace {

template <class T> const T* typed(const McpArguments& arguments, std::string_view name) {
  const auto found = arguments.values.find(name);
  if (found == arguments.values.end()) return nullptr;
  const T* const value = std::get_if<T>(&found->second);
  if (value == nullptr) throw McpUsage(fmt::format("{}: has another type", name));
  return value;
}

} // namespace

std::string McpArguments::text(std::string_view name) const {
  const auto* const value = typed<std::string>(*this, name);
  if (value == nullptr) throw McpUsage(fmt::format("{}: is missing", name));
  return *value;
}

std::string McpArguments::textOr(std::string_view name, std::string_view otherwise) const {
  return has(name) ? text(name) : std::string(otherwise);
}

std::int64_t McpArguments::number(std::string_view name) const {
  const auto* const value = typed<std::int64_t>(*this, name);
  if (value == nullptr) throw McpUsage(fmt::format("{}: is missing", name));
  return *value;
}

std::size_t McpArguments::limitOr(std::size_t otherwise, std::size_t most) const {
  if (!has("limit")) return otherwise;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(number("limit"), 1, static_cast<std::int64_t>(most)));
}

std::vector<std::string> McpArguments::list(std::string_view name) const {
  const auto* const value = typed<std::vector<std::string>>(*this, name);
  return value == nullptr ? std::vector<std::string>() : *value;
}

} // namespace rankscope
