// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/kept_folders.h"

#include "tests/support/temporary_folder.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

class KeptFolders : public testing::Test {
 protected:
  // A folder of 1000 bytes, last used so many hours ago.
  fs::path folder(const std::string& name, int hoursAgo) {
    const fs::path path = m_all.path() / name;
    fs::create_directories(path / "files");
    std::ofstream(path / "files/rank0.json") << std::string(1000, 'x');
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hoursAgo));
    return path;
  }
  // Number of a process that has ended.
  static int endedProcess() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
  }

  test::TemporaryFolder m_all;
};

} // namespace

TEST_F(KeptFolders, TheLeastRecentlyUsedLeavesFirst) {
  const fs::path old = folder("a", 3), middle = folder("b", 2), young = folder("c", 1);
  EXPECT_EQ(bytesBelow(m_all.path().string()), 3000U);
  EXPECT_EQ(removeLeastUsed(m_all.path().string(), 2000), 1000U);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(middle));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(KeptFolders, OpenOnesStay) {
  const fs::path open = folder("a", 3), other = folder("b", 2);
  keepOpen(open.string());
  removeLeastUsed(m_all.path().string(), 0);
  EXPECT_TRUE(fs::exists(open));
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(KeptFolders, WhatAnEndedProgramLeftIsRemovedAndCountsNoMore) {
  const std::string all = m_all.path().string();
  const fs::path kept = folder("a", 2);
  const fs::path left = folder(stagingName({}, endedProcess(), 0), 0);
  const fs::path leftIn = folder("a/" + stagingName({}, endedProcess(), 1), 0);
  const fs::path earlierOfThisNumber = folder(stagingName({}, ::getpid(), 77777), 0);
  const fs::path ofAnother = folder(stagingName({}, ::getppid(), 0), 0);
  const fs::path elsewhere = folder(stagingName("another-machine", endedProcess(), 0), 24);
  const fs::path forgotten = folder(stagingName("another-machine", endedProcess(), 1), 24 * 30);
  const auto mine = newStagingFolder(all);
  ASSERT_TRUE(mine);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(earlierOfThisNumber));
  EXPECT_FALSE(fs::exists(forgotten));
  for (const fs::path& stays : {ofAnother, elsewhere, fs::path(*mine), kept, leftIn})
    EXPECT_TRUE(fs::exists(stays)) << stays;
  EXPECT_EQ(removeLeastUsed(all, 3000), 1000U);
  EXPECT_FALSE(fs::exists(leftIn));
  EXPECT_TRUE(fs::exists(kept)); // nothing complete had to leave for it
  dropStagingFolder(*mine);
  EXPECT_FALSE(fs::exists(*mine));
}

} // namespace rankscope
