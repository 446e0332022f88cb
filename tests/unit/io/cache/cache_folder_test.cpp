// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/cache/cache_folder.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/without_rights.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class CacheFolder : public testing::Test {
 protected:
  // A file of so many bytes that was used so many hours ago.
  void add(const std::string& name, std::size_t bytes, int hoursAgo) {
    const fs::path path = m_folder.path() / name;
    std::ofstream(path, std::ios::binary) << std::string(bytes, 'x');
    fs::last_write_time(path, fs::file_time_type::clock::now() - hoursAgo * 1h);
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(m_folder.path()))
      found.insert(entry.path().filename().string());
    return found;
  }
  bool room(std::uint64_t bytes, std::uint64_t maximum, const std::string& name = "new") {
    return evictUntilFits(m_folder.path().string(), cacheFilePath(m_folder.path().string(), name), bytes,
                          maximum);
  }

  test::TemporaryFolder m_folder;
};

using Names = std::set<std::string>;

} // namespace

TEST_F(CacheFolder, removesWhatWasNotUsedForLongest) {
  add("old.trace", 100, 30);
  add("older.trace", 100, 40);
  add("young.trace", 100, 2);
  EXPECT_TRUE(room(100, 400));
  EXPECT_EQ(names().size(), 3U) << "all have room";
  EXPECT_TRUE(room(101, 400));
  EXPECT_EQ(names(), (Names{"old.trace", "young.trace"}));
  EXPECT_TRUE(room(399, 400));
  EXPECT_EQ(names(), Names{});
}

TEST_F(CacheFolder, marksWhatIsUsed) {
  add("a.trace", 100, 40);
  add("b.trace", 100, 30);
  markUsed((m_folder.path() / "a.trace").string());
  EXPECT_TRUE(room(100, 200));
  EXPECT_EQ(names(), Names{"a.trace"});
  markUsed((m_folder.path() / "gone.trace").string());
  EXPECT_EQ(names(), Names{"a.trace"});
}

TEST_F(CacheFolder, removesNothingForWhatCannotFit) {
  add("a.trace", 100, 30);
  EXPECT_FALSE(room(401, 400));
  EXPECT_EQ(names(), Names{"a.trace"});
}

TEST_F(CacheFolder, touchesNothingButItsOwnFiles) {
  add("notes.txt", 1000, 900);
  add("trace", 1000, 900);
  add("a.trace.bak", 1000, 900);
  add("of_another.part", 1000, 900);
  EXPECT_TRUE(room(100, 100));
  EXPECT_EQ(names().size(), 4U);
}

TEST_F(CacheFolder, removesTemporaryFilesThatNobodyWrites) {
  add("a.trace.123.part", 100, 5);
  add("b.trace.123.part", 100, 0);
  EXPECT_TRUE(room(100, 100));
  EXPECT_EQ(names(), Names{"b.trace.123.part"}) << "the young one is somebody's";
}

TEST_F(CacheFolder, doesNotCountWhatIsReplaced) {
  add("same.trace", 300, 40);
  add("other.trace", 100, 30);
  EXPECT_TRUE(room(300, 400, "same"));
  EXPECT_EQ(names(), (Names{"other.trace", "same.trace"}));
}

TEST_F(CacheFolder, isMadeForItsUserOnly) {
  const std::string folder = m_folder / "a/b";
  EXPECT_TRUE(makeCacheFolder(folder));
  EXPECT_EQ(fs::status(folder).permissions() & (fs::perms::group_all | fs::perms::others_all),
            fs::perms::none);
  EXPECT_TRUE(makeCacheFolder(folder)) << "it is there already";
  add("file", 1, 0);
  EXPECT_FALSE(makeCacheFolder(m_folder / "file/below"));
}

TEST_F(CacheFolder, saysWhyNothingCanBeKept) {
  EXPECT_EQ(cacheFolderProblem(m_folder / "new"), std::nullopt);
  EXPECT_TRUE(fs::is_directory(m_folder / "new"));
  add("file", 1, 0);
  EXPECT_NE(cacheFolderProblem(m_folder / "file/below").value_or("").find("Not a directory"),
            std::string::npos);
  const test::WithoutRights plainUser(m_folder.path());
  fs::permissions(m_folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(cacheFolderProblem(m_folder.path().string()).value_or("").find("Permission denied"),
            std::string::npos);
  fs::permissions(m_folder.path(), fs::perms::owner_all);
}

} // namespace rankscope
