// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/text_source.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace rankscope {

namespace {

// Several times what is decompressed at once.
std::string longText() {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < 1'500'000) text += "line " + std::to_string(random() % 100'000) + '\n';
  return text;
}

} // namespace

TEST(TextSource, givesAnyStretchOfPlainAndCompressedFilesAlike) {
  const test::TemporaryFolder folder;
  const std::string text = longText();
  for (const char* name : {"a.json", "a.json.gz"}) {
    test::writeTraceFile(folder / name, text);
    const auto file = FileBytes::open(folder / name);
    ASSERT_TRUE(file.ok());
    ASSERT_EQ(file->compressed(), std::string(name).ends_with(".gz"));
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{262'143}, std::size_t{262'144},
                                 std::size_t{1'000'001}, text.size() - 5}) {
      for (const std::size_t length : {std::size_t{1}, std::size_t{100}, std::size_t{400'000}}) {
        const auto part = readText(*file, at, length);
        ASSERT_TRUE(part.ok()) << part.error().text();
        EXPECT_EQ(*part, text.substr(at, length)) << name << " at " << at;
      }
    }
  }
}

TEST(TextSource, beyondTheEndIsAnErrorWithItsPlace) {
  const test::TemporaryFolder folder;
  for (const char* name : {"a.json", "a.json.gz"}) {
    test::writeTraceFile(folder / name, "0123456789");
    const auto file = FileBytes::open(folder / name);
    ASSERT_TRUE(file.ok());
    for (const std::uint64_t at : {std::uint64_t{10}, std::uint64_t{5'000'000}}) {
      const auto part = readText(*file, at, 1);
      ASSERT_FALSE(part.ok());
      EXPECT_EQ(part.error().file, folder / name);
      EXPECT_EQ(part.error().byteOffset, at);
    }
    EXPECT_EQ(*readText(*file, 8, 100), "89");
  }
}

} // namespace rankscope
