// SPDX-License-Identifier: GPL-3.0-or-later
// Where recordings lie that are too large or not ours to keep beside the tests, a folder next to the
// repository; and the rule for tests that cannot run without them: they are skipped, and ctest lists them.
// If the folder exists or the build was configured with RANKSCOPE_REQUIRE_DATA, they fail instead.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::test {

[[nodiscard]] std::filesystem::path sharedFolder();
[[nodiscard]] bool everythingMustRun();

// All traces below a folder, sorted; none where there is no such folder.
[[nodiscard]] std::vector<std::filesystem::path> recordingsBelow(const std::filesystem::path& folder);
// Names of the folders of recordings in order; one empty name when there are none, for a test to skip on.
[[nodiscard]] std::vector<std::string> sharedTraceSets();
inline constexpr const char* kNoRecordings = "no recordings in a folder shared beside the repository";

// Real traces of our own, with what is known of them; "" is the folder of all.
[[nodiscard]] std::filesystem::path captureFolder(std::string_view name);

// The name of a set as part of a test's name.
[[nodiscard]] std::string testNameOf(std::string set);

} // namespace rankscope::test

// First in a test of GoogleTest; tests/ui/ui_test.h has the same for Qt's. Nothing else skips.
#define RANKSCOPE_SKIP_UNLESS(condition, reason)                                                             \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      if (rankscope::test::everythingMustRun()) FAIL() << "may not be skipped here: " << (reason);           \
      GTEST_SKIP() << (reason);                                                                              \
    }                                                                                                        \
  } while (false)
