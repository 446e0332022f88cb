// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/stack_weight.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, kStackWeightCount> kWeightTexts{
    "host", "device", "device-exclusive", "exposed", "idle",
    "wait", "bytes",  "net-bytes",        "calls",   "launches"};

} // namespace

std::string_view stackWeightText(StackWeight weight) {
  return kWeightTexts[static_cast<std::size_t>(weight)];
}

std::optional<StackWeight> stackWeightNamed(std::string_view text) {
  const auto found = std::ranges::find(kWeightTexts, text);
  if (found == kWeightTexts.end()) return std::nullopt;
  return static_cast<StackWeight>(found - kWeightTexts.begin());
}

StackUnit unitOf(StackWeight weight) {
  if (weight == StackWeight::Bytes || weight == StackWeight::NetBytes) return StackUnit::Bytes;
  const bool counts = weight == StackWeight::Calls || weight == StackWeight::Launches;
  return counts ? StackUnit::Count : StackUnit::Nanoseconds;
}

} // namespace rankscope
