// SPDX-License-Identifier: GPL-3.0-or-later
// Locates recordings that are too large for the repository or not ours to publish, in a folder next to it.
// Tests that need them are skipped if they are missing, and ctest lists the skipped tests. If the folder
// exists or the build was configured with RANKSCOPE_REQUIRE_DATA, such tests fail instead.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::test {

[[nodiscard]] std::filesystem::path sharedFolder();
[[nodiscard]] bool everythingMustRun();

// All traces below a folder, sorted; empty if the folder does not exist.
[[nodiscard]] std::vector<std::filesystem::path> recordingsBelow(const std::filesystem::path& folder);
// Sorted names of the folders with recordings; one empty name if there are none, so that a test can skip.
[[nodiscard]] std::vector<std::string> sharedTraceSets();
inline constexpr const char* kNoRecordings = "no recordings in a folder shared beside the repository";

// Our own real traces with known contents; "" is their parent folder.
[[nodiscard]] std::filesystem::path captureFolder(std::string_view name);

// A case of tests/golden, with its input and what is expected of it.
[[nodiscard]] std::filesystem::path goldenCase(std::string_view name);

// The name of a set in the form allowed in test names.
[[nodiscard]] std::string testNameOf(std::string set);

} // namespace rankscope::test

// First statements of a GoogleTest; tests/ui/ui_test.h has the second for Qt. No other skip is allowed.
// For tests with a program that need not be installed: never a failure.
#define RANKSCOPE_SKIP_WITHOUT(program, reason)                                                              \
  do {                                                                                                       \
    if (!(program)) GTEST_SKIP() << (reason);                                                                \
  } while (false)
// For tests with shared data: a failure where everything must run.
#define RANKSCOPE_SKIP_UNLESS(condition, reason)                                                             \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      if (rankscope::test::everythingMustRun()) FAIL() << "may not be skipped here: " << (reason);           \
      GTEST_SKIP() << (reason);                                                                              \
    }                                                                                                        \
  } while (false)
