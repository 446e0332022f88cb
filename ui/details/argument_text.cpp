// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/argument_text.h"

#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace rankscope::ui {
namespace {

template <class Number> std::optional<Number> numberFrom(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool isOneOf(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::ranges::find(keys, key) != keys.end();
}

// "[[64, 3], [], [10]]" as "64×3, scalar, 10"; nothing for what is no list of lists of numbers.
std::optional<std::string> shapesText(std::string_view text) {
  std::string shapes;
  int depth = 0;
  bool any = false;
  for (const char c : text) {
    if (c == '[') {
      if (++depth > 2) return std::nullopt;
      any = false;
    } else if (c == ']') {
      if (depth == 2 && !any) shapes += "scalar";
      --depth;
      any = true;
    } else if (c == ',') {
      shapes += depth == 2 ? "×" : ", ";
    } else if (c >= '0' && c <= '9') {
      shapes += c;
      any = true;
    } else if (c != ' ' && c != '-') {
      return std::nullopt;
    }
  }
  return depth == 0 && !shapes.empty() ? std::optional(shapes) : std::nullopt;
}

} // namespace

std::string argumentText(std::string_view key, std::string_view value) {
  if (isOneOf(key, {"Input Dims", "Input dims", "Concrete Dims", "grid", "block", "Input Strides"})) {
    if (key == "grid" || key == "block" || value.find("[[") != std::string_view::npos)
      if (const auto text =
              shapesText(key == "grid" || key == "block" ? '[' + std::string(value) + ']' : value))
        return *text;
    return std::string(value);
  }
  if (const auto whole = numberFrom<std::int64_t>(value)) {
    if (isOneOf(key, {"bytes", "Bytes", "Total Allocated", "Total Reserved", "shared memory", "Memory size"}))
      return bytesText(*whole) + (*whole > 999 ? " (" + groupedText(*whole) + " B)" : std::string());
    if (isOneOf(key, {"In msg nelems", "Out msg nelems"})) return groupedText(*whole);
  }
  if (const auto number = numberFrom<double>(value)) {
    if (key == "memory bandwidth (GB/s)") return rateText(*number * 1e9);
    if (key == "est. achieved occupancy %") return percentText(*number);
  }
  return std::string(value);
}

} // namespace rankscope::ui
