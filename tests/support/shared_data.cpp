// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/shared_data.h"

#include <algorithm>
#include <system_error>

namespace rankscope::test {

namespace {

namespace fs = std::filesystem;

// A function, because it is used during initialization before main.
fs::path root() {
  return RANKSCOPE_SOURCE_DIR;
}

bool isRecording(const fs::path& file) {
  const std::string name = file.filename().string();
  return (name.ends_with(".json") || name.ends_with(".json.gz")) && name != "ground_truth.json";
}

} // namespace

fs::path sharedFolder() {
  return root().parent_path() / "shared";
}

bool everythingMustRun() {
  return RANKSCOPE_REQUIRE_DATA != 0 || fs::exists(sharedFolder());
}

std::vector<fs::path> recordingsBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file() && isRecording(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> sharedTraceSets() {
  std::vector<std::string> sets;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(sharedFolder() / "traces", error)) {
    if (!recordingsBelow(entry.path()).empty()) sets.push_back(entry.path().filename().string());
  }
  std::ranges::sort(sets);
  if (sets.empty()) sets.emplace_back();
  return sets;
}

fs::path captureFolder(std::string_view name) {
  return root() / "tests" / "fixtures" / "captures" / name;
}

fs::path goldenCase(std::string_view name) {
  return root() / "tests" / "golden" / name;
}

std::string testNameOf(std::string set) {
  if (set.empty()) return "none";
  const auto isPlain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::ranges::replace_if(
      set, [&](char c) { return !isPlain(c); }, '_');
  return set;
}

} // namespace rankscope::test
