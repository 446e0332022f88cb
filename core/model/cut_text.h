// SPDX-License-Identifier: GPL-3.0-or-later
// Diagnostic texts with which readers report a truncated file. Analyses use them to detect ranks that were
// read only in part. Cached diagnostics contain the same texts.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace rankscope {

inline constexpr std::string_view kEndsInsideAnEvent = "the file ends inside an event";
inline constexpr std::string_view kEndOfArrayIsMissing = "the end of the event array is missing";
inline constexpr std::string_view kCompressedEndsEarly = "the compressed data ends too early";
inline constexpr std::string_view kCompressedIsDamaged = "the compressed data is damaged";

[[nodiscard]] inline bool endsTooEarly(std::string_view diagnostic) {
  constexpr std::array kTexts{kEndsInsideAnEvent, kEndOfArrayIsMissing, kCompressedEndsEarly,
                              kCompressedIsDamaged};
  return std::ranges::find(kTexts, diagnostic) != kTexts.end();
}

} // namespace rankscope
