// SPDX-License-Identifier: GPL-3.0-or-later
// Diagnostic texts with which readers report what a recording lacks although its program could have recorded
// or exported it: a title, and how to get it. Findings show them as recording quality. Cached diagnostics
// contain the same texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

inline constexpr std::string_view kMissingPartStart = "missing: ";
inline constexpr std::string_view kMissingPartAdvice = " - ";

// "missing: No NVTX ranges - Add ..."
[[nodiscard]] inline std::string missingPartText(std::string_view title, std::string_view advice) {
  std::string text(kMissingPartStart);
  return text.append(title).append(kMissingPartAdvice).append(advice);
}

// Title and advice; empty for other diagnostics.
[[nodiscard]] inline std::optional<std::pair<std::string_view, std::string_view>>
missingPartOf(std::string_view diagnostic) {
  const std::size_t advice = diagnostic.find(kMissingPartAdvice);
  if (!diagnostic.starts_with(kMissingPartStart) || advice == std::string_view::npos) return std::nullopt;
  return std::pair(diagnostic.substr(kMissingPartStart.size(), advice - kMissingPartStart.size()),
                   diagnostic.substr(advice + kMissingPartAdvice.size()));
}

} // namespace rankscope
