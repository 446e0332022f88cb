// SPDX-License-Identifier: GPL-3.0-or-later
// Where recordings lie that are too large or not ours to keep beside the tests: a folder next to the
// repository. Tests that need it skip and say so when it is not there.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope {

[[nodiscard]] inline std::filesystem::path sharedFolder() {
  return std::filesystem::path(RANKSCOPE_SOURCE_DIR).parent_path() / "shared";
}

// Names of the folders of recordings in order; one empty name when there are none, for a test to skip on.
[[nodiscard]] inline std::vector<std::string> sharedTraceSets() {
  std::vector<std::string> sets;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(sharedFolder() / "traces", error)) {
    if (entry.is_directory()) sets.push_back(entry.path().filename().string());
  }
  std::sort(sets.begin(), sets.end());
  if (sets.empty()) sets.emplace_back();
  return sets;
}

// The name of a set as part of a test's name.
[[nodiscard]] inline std::string testNameOf(std::string set) {
  if (set.empty()) return "none";
  std::replace_if(
      set.begin(), set.end(),
      [](char c) { return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')); },
      '_');
  return set;
}

} // namespace rankscope
