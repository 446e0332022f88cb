// SPDX-License-Identifier: GPL-3.0-or-later
// The folder that paths have in common, by their text: nothing is looked up. Pure; O(length).
#pragma once

#include <algorithm>
#include <filesystem>

namespace rankscope {

// Of two folders the deepest that both are or lie in; empty if they have none in common. REQUIRES: normal
// form.
[[nodiscard]] inline std::filesystem::path commonFolder(const std::filesystem::path& a,
                                                        const std::filesystem::path& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  std::filesystem::path common;
  for (auto part = a.begin(); part != end; ++part) common /= *part;
  return common;
}

} // namespace rankscope
