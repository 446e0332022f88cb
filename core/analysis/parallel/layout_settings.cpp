// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/layout_settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace rankscope {

namespace {

constexpr std::int64_t kMaxDegree = 1 << 20;
constexpr std::array<std::string_view, kLayoutAxisCount> kAxisTexts{"pp", "dp", "fsdp", "cp", "ep", "tp"};

Error wrong(std::string_view part) {
  Error error;
  error.kind = ErrorKind::Unsupported;
  error.message = "layout: \"";
  error.message += part;
  error.message += "\" is not one of pp, dp, fsdp, cp, ep, tp with a number of ranks, as in tp=2,pp=4";
  return error;
}

Error twice(std::string_view axis) {
  Error error;
  error.kind = ErrorKind::Unsupported;
  error.message = "layout: ";
  error.message += axis;
  error.message += " is given twice";
  return error;
}

} // namespace

std::string_view axisText(LayoutAxis axis) {
  return kAxisTexts[static_cast<std::size_t>(axis)];
}

RankDimension dimensionOf(LayoutAxis axis) {
  constexpr std::array<RankDimension, kLayoutAxisCount> kDimensions{
      RankDimension::Pipeline, RankDimension::Data,   RankDimension::Sharded,
      RankDimension::Context,  RankDimension::Expert, RankDimension::Tensor};
  return kDimensions[static_cast<std::size_t>(axis)];
}

std::optional<LayoutAxis> axisOf(RankDimension dimension) {
  for (const LayoutAxis axis : kLayoutAxes) {
    if (dimensionOf(axis) == dimension) return axis;
  }
  return std::nullopt;
}

std::int64_t LayoutDegrees::product() const {
  std::int64_t product = 1;
  for (const LayoutAxis axis : kLayoutAxes) {
    if (axis == LayoutAxis::Expert) continue;
    product =
        std::min(product * std::clamp<std::int64_t>((*this)[axis], 1, kMaxDegree), kMaxDegree * kMaxDegree);
    if (product > kMaxDegree) return kMaxDegree * 2;
  }
  return product;
}

std::string layoutText(const LayoutDegrees& degrees, std::string_view times) {
  std::string text;
  for (auto axis = kLayoutAxes.rbegin(); axis != kLayoutAxes.rend(); ++axis) {
    if (degrees[*axis] < 2) continue;
    if (!text.empty()) text += times;
    for (const char c : axisText(*axis))
      text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    text += ' ';
    text += std::to_string(degrees[*axis]);
  }
  return text;
}

Result<LayoutSettings> layoutSettingsOf(std::string_view text) {
  LayoutSettings settings;
  if (text.empty()) return settings;
  LayoutDegrees degrees;
  std::array<bool, kLayoutAxisCount> seen{};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return wrong(part);
    const auto axis = std::ranges::find(kAxisTexts, part.substr(0, equals));
    const std::string_view number = part.substr(equals + 1);
    std::int64_t degree = 0;
    const auto [after, error] = std::from_chars(number.data(), number.data() + number.size(), degree);
    if (axis == kAxisTexts.end() || error != std::errc() || after != number.data() + number.size() ||
        degree < 1 || degree > kMaxDegree)
      return wrong(part);
    const auto place = static_cast<std::size_t>(axis - kAxisTexts.begin());
    if (std::exchange(seen[place], true)) return twice(*axis);
    degrees.of[place] = degree;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  settings.given = degrees;
  return settings;
}

} // namespace rankscope
