// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/whole_file.h"
#include "tests/support/failing_memory.h"
#include "tests/support/without_rights.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <new>
#include <sstream>
#include <string>
#include <unistd.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  void SetUp() override {
    m_folder = fs::path(testing::TempDir()) / ("whole_file_" + std::to_string(getpid()) + "_" +
                                               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(m_folder);
  }
  void TearDown() override { fs::remove_all(m_folder); }

  [[nodiscard]] std::string at(const std::string& name) const { return (m_folder / name).string(); }
  [[nodiscard]] static std::string contentOf(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::ptrdiff_t entryCount() const {
    return std::distance(fs::directory_iterator(m_folder), fs::directory_iterator());
  }

  fs::path m_folder;
};

} // namespace

TEST_F(WholeFile, replacesWhatWasThereAndLeavesNothingElse) {
  ASSERT_FALSE(writeWholeFile(at("t.csv"), "a much longer content than later"));
  ASSERT_FALSE(writeWholeFile(at("t.csv"), std::string_view("x\0y", 3)));
  EXPECT_EQ(contentOf(at("t.csv")), std::string("x\0y", 3));
  EXPECT_EQ(entryCount(), 1);
}

TEST_F(WholeFile, whoHasTheOldFileOpenKeepsIt) {
  ASSERT_FALSE(writeWholeFile(at("t.csv"), "old"));
  std::ifstream reader(at("t.csv"));
  ASSERT_FALSE(writeWholeFile(at("t.csv"), "new"));
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
}

TEST_F(WholeFile, theNewFileHasThePermissionsOfTheOldOne) {
  ASSERT_FALSE(writeWholeFile(at("t.csv"), "old"));
  fs::permissions(at("t.csv"), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_FALSE(writeWholeFile(at("t.csv"), "new"));
  EXPECT_EQ(fs::status(at("t.csv")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(WholeFile, byALinkTheFileItselfIsWritten) {
  ASSERT_FALSE(writeWholeFile(at("t.csv"), "old"));
  fs::create_symlink("t.csv", at("link"));
  ASSERT_FALSE(writeWholeFile(at("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(contentOf(at("t.csv")), "new");
  EXPECT_EQ(entryCount(), 2);
}

TEST_F(WholeFile, devicesAreWrittenInto) {
  EXPECT_FALSE(writeWholeFile("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const auto error = writeWholeFile("/dev/full", "x");
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("No space left"), std::string::npos) << error->message;
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(WholeFile, whatMayNotBeWrittenStays) {
  const test::WithoutRights plainUser(m_folder);
  ASSERT_FALSE(writeWholeFile(at("t.csv"), "old"));
  fs::permissions(at("t.csv"), fs::perms::owner_read);
  EXPECT_TRUE(writeWholeFile(at("t.csv"), "new"));
  EXPECT_EQ(contentOf(at("t.csv")), "old");
}

TEST_F(WholeFile, runningOutOfMemoryAtAnyRequestLeavesNoTemporaryFile) {
  const std::string path = at("t.csv");
  int thrown = 0;
  for (std::int64_t moment = 0;; ++moment) {
    ASSERT_LT(moment, 1000);
    ASSERT_FALSE(writeWholeFile(path, "old"));
    bool ended = false;
    test::failOneRequestAfter(moment);
    try {
      static_cast<void>(writeWholeFile(path, "new"));
    } catch (const std::bad_alloc&) {
      ended = true;
    }
    const bool refused = test::refusedRequests() > 0;
    test::letMemoryLast();
    EXPECT_EQ(contentOf(path), ended ? "old" : "new") << moment;
    EXPECT_EQ(entryCount(), 1) << moment;
    thrown += ended ? 1 : 0;
    if (!refused) break;
  }
  EXPECT_GT(thrown, 0);
}

TEST_F(WholeFile, saysWhyItCouldNotWrite) {
  const auto error = writeWholeFile(at("missing/t.csv"), "x");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->file, at("missing/t.csv"));
  EXPECT_NE(error->message.find("No such file"), std::string::npos) << error->message;
}

TEST_F(WholeFile, aFolderInThePlaceOfTheFileIsAnErrorAndStays) {
  fs::create_directories(at("t.csv") + "/inside");
  EXPECT_TRUE(writeWholeFile(at("t.csv"), "x"));
  EXPECT_TRUE(fs::exists(at("t.csv") + "/inside"));
  EXPECT_EQ(entryCount(), 1);
}

} // namespace rankscope
