// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/atomic_file.h"
#include "tests/support/temporary_folder.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string contentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

} // namespace

TEST(AtomicFile, isSeenOnlyWhenItIsWhole) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "table";
  std::ofstream(path) << "old";
  {
    AtomicFile file(path, 0600);
    file.append(bytes("0123"));
    file.append(bytes("45"));
    file.writeAt(1, bytes("xy"));
    EXPECT_EQ(contentOf(path), "old");
    EXPECT_TRUE(file.commit());
    EXPECT_EQ(contentOf(path), "0xy345");
  }
  EXPECT_EQ(namesIn(folder.path()), std::vector<std::string>{"table"});
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(AtomicFile, isRemovedWhenAnExceptionComesBeforeTheCommit) {
  const test::TemporaryFolder folder;
  const auto write = [&] {
    AtomicFile file(folder / "table", 0600);
    file.append(bytes("half of it"));
    EXPECT_EQ(namesIn(folder.path()).size(), 1U);
    throw std::runtime_error("in between");
  };
  EXPECT_THROW(write(), std::runtime_error);
  EXPECT_TRUE(namesIn(folder.path()).empty());
}

TEST(AtomicFile, keepsItsFirstErrorAndTheOldFile) {
  const test::TemporaryFolder folder;
  AtomicFile nowhere(folder / "missing/table", 0600);
  EXPECT_EQ(nowhere.error(), ENOENT);
  nowhere.append(bytes("x"));
  nowhere.sync();
  EXPECT_FALSE(nowhere.commit());
  EXPECT_EQ(nowhere.error(), ENOENT);

  fs::create_directories(folder.path() / "table/inside");
  AtomicFile overAFolder(folder / "table", 0600);
  overAFolder.append(bytes("x"));
  EXPECT_TRUE(overAFolder.good());
  EXPECT_FALSE(overAFolder.commit());
  EXPECT_NE(overAFolder.error(), 0);
  EXPECT_EQ(namesIn(folder.path()), std::vector<std::string>{"table"});
}

TEST(AtomicFile, twoOfTheSamePathDoNotCollide) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "table";
  AtomicFile first(path, 0600);
  AtomicFile second(path, 0600);
  first.append(bytes("first"));
  second.append(bytes("second"));
  EXPECT_EQ(namesIn(folder.path()).size(), 2U);
  EXPECT_TRUE(second.commit());
  EXPECT_TRUE(first.commit());
  EXPECT_EQ(contentOf(path), "first");
}

TEST(AtomicFile, leavesATemporaryFileOfAnotherProcessAlone) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "table";
  std::string next;
  {
    const AtomicFile probe(path, 0600);
    // table.PROCESS-NUMBER.part
    next = namesIn(folder.path()).at(0);
  }
  const std::size_t number = next.rfind('-') + 1;
  const int used = std::stoi(next.substr(number));
  next = next.substr(0, number) + std::to_string(used + 1) + ".part";
  std::ofstream(folder / next) << "of another one";
  AtomicFile file(path, 0600);
  file.append(bytes("own"));
  EXPECT_TRUE(file.commit());
  EXPECT_EQ(contentOf(path), "own");
  EXPECT_EQ(contentOf(folder / next), "of another one");
}

} // namespace rankscope
