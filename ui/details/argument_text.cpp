// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/argument_text.h"

#include "core/base/unit_text.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope::ui {
namespace {

template <class Number> std::optional<Number> numberFrom(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "[[64, 3], [], [10]]" as "64×3, scalar, 10"; empty if it is not a list of lists of numbers.
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

std::string argumentText(const EventField& field) {
  const std::string& value = field.value;
  switch (field.meaning) {
  case FieldMeaning::Plain:
    break;
  case FieldMeaning::Bytes:
    if (const auto bytes = numberFrom<std::int64_t>(value))
      return bytesText(*bytes) + (*bytes > 999 ? " (" + groupedText(*bytes) + " B)" : std::string());
    break;
  case FieldMeaning::Count:
    if (const auto count = numberFrom<std::int64_t>(value)) return groupedText(*count);
    break;
  case FieldMeaning::GigabytesPerSecond:
    if (const auto rate = numberFrom<double>(value)) return rateText(*rate * 1e9);
    break;
  case FieldMeaning::Percent:
    if (const auto share = numberFrom<double>(value)) return percentText(*share);
    break;
  case FieldMeaning::Shape:
    return shapesText('[' + value + ']').value_or(value);
  case FieldMeaning::Shapes:
    if (value.find("[[") != std::string::npos) return shapesText(value).value_or(value);
    break;
  }
  return value;
}

} // namespace rankscope::ui
