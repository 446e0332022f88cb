// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/remote_folder.h"

#include "core/io/files/kept_folders.h"
#include "tests/support/temporary_folder.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

RemoteName named(const std::string& path) {
  return {RemoteStore::S3, "s3://b/" + path, ":s3,env_auth=true:b/" + path, path, {}};
}

class RemoteFolderTest : public testing::Test {
 protected:
  RemoteFolder open(const std::string& path, std::uint64_t maxBytes = std::uint64_t{1} << 30) {
    auto folder = RemoteFolder::open(named(path), {m_root.string(), maxBytes});
    EXPECT_TRUE(folder);
    return std::move(*folder);
  }
  // As rclone would have fetched it.
  static RemoteFile fetched(RemoteFolder& folder, const std::string& path, const std::string& text,
                            const std::string& time = "2026-01-01") {
    const auto staging = folder.newStaging();
    EXPECT_TRUE(staging);
    const fs::path file = fs::path(*staging) / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    RemoteFile listed{path, text.size(), time};
    EXPECT_EQ(folder.take(listed), std::nullopt);
    folder.dropStaging();
    return listed;
  }

  test::TemporaryFolder m_temporary;
  fs::path m_root = m_temporary.path() / "remote";
};

} // namespace

TEST_F(RemoteFolderTest, filesAreFoundAgainWhileTheyAreAsListed) {
  RemoteFolder folder = open("job");
  const RemoteFile file = fetched(folder, "node0/rank0.json", "{}");
  EXPECT_TRUE(fs::exists(folder.pathOf("node0/rank0.json")));
  RemoteFolder again = open("job");
  EXPECT_TRUE(again.has(file));
  EXPECT_FALSE(again.has({file.path, file.bytes + 1, file.modified}));
  EXPECT_FALSE(again.has({file.path, file.bytes, "2026-01-02"}));
  EXPECT_FALSE(open("other").has(file));
  fs::resize_file(again.pathOf(file.path), 1);
  EXPECT_FALSE(again.has(file));
}

TEST_F(RemoteFolderTest, whatTheRemoteHasNoLongerLeaves) {
  RemoteFolder folder = open("job");
  const RemoteFile kept = fetched(folder, "a.json", "a");
  const RemoteFile changed = fetched(folder, "b.json", "b");
  fetched(folder, "c.json", "c");
  const std::array listed{kept, RemoteFile{changed.path, 7, "2026-02-02"}};
  folder.removeOthers(listed);
  EXPECT_TRUE(folder.has(kept));
  for (const char* const gone : {"b.json", "c.json"}) EXPECT_FALSE(fs::exists(folder.pathOf(gone))) << gone;
  EXPECT_TRUE(open("job").has(kept));
}

TEST_F(RemoteFolderTest, aBrokenJournalOnlyCostsFetching) {
  RemoteFolder folder = open("job");
  const RemoteFile file = fetched(folder, "a.json", "a");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(m_root))
    if (entry.path().filename() == ".fetched")
      std::ofstream(entry.path())
          << "no number\tx\ty\n\n\t\t\n18446744073709551616\tx\t../../etc\n1\tbroke off";
  EXPECT_FALSE(open("job").has(file));
}

TEST_F(RemoteFolderTest, stagingOfAProgramThatEndedIsRemoved) {
  RemoteFolder folder = open("job");
  const fs::path root = fs::path(folder.files()).parent_path();
  const fs::path left = root / stagingName({}, 999999999, 0);
  fs::create_directories(left);
  ASSERT_TRUE(folder.newStaging());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_NE(folder.take({"none.json", 1, ""}), std::nullopt);
}

TEST_F(RemoteFolderTest, otherRemotesLeaveWhenThereIsTooMuchButOpenOnesStay) {
  // Left by earlier programs; one of them still runs and has its folder open.
  for (const char* const name : {"old", "new"}) {
    fs::create_directories(m_root / name / "job");
    std::ofstream(m_root / name / "job/a.json") << std::string(1000, 'x');
  }
  fs::last_write_time(m_root / "old", fs::file_time_type::clock::now() - std::chrono::hours(2));
  fs::last_write_time(m_root / "new", fs::file_time_type::clock::now() - std::chrono::hours(1));
  RemoteFolder open1 = open("open", 2500);
  fetched(open1, "a.json", std::string(1000, 'x'));
  EXPECT_EQ(open1.makeRoom(100), std::nullopt);
  EXPECT_FALSE(fs::exists(m_root / "old"));
  EXPECT_TRUE(fs::exists(m_root / "new"));
  RemoteFolder open2 = open("open2", 1);
  EXPECT_EQ(open2.makeRoom(100), std::nullopt);
  EXPECT_FALSE(fs::exists(m_root / "new"));
  EXPECT_TRUE(fs::exists(open1.pathOf("a.json")));
  const auto tooMuch = open2.makeRoom(std::uint64_t{1} << 62);
  ASSERT_NE(tooMuch, std::nullopt);
  EXPECT_NE(tooMuch->text().find("are to be fetched"), std::string::npos);
}

TEST_F(RemoteFolderTest, itIsThereOnlyWhileItHasFiles) {
  RemoteFolder folder = open("job");
  EXPECT_FALSE(fs::exists(m_root));
  const auto staging = folder.newStaging();
  ASSERT_TRUE(staging);
  EXPECT_TRUE(fs::exists(*staging));
  folder.dropStaging(); // nothing was fetched
  EXPECT_TRUE(fs::is_empty(m_root));
  fetched(folder, "a.json", "a");
  EXPECT_TRUE(fs::exists(folder.pathOf("a.json")));
}

TEST_F(RemoteFolderTest, aProgramThatIsEndedRemovesWhatIsNotWhole) {
  RemoteFolder folder = open("job");
  const RemoteFile file = fetched(folder, "a.json", "a");
  const auto staging = folder.newStaging();
  ASSERT_TRUE(staging);
  std::ofstream(fs::path(*staging) / "b.json") << "b";
  dropAllStagingFolders();
  EXPECT_FALSE(fs::exists(*staging));
  EXPECT_TRUE(folder.has(file));
}

TEST_F(RemoteFolderTest, withoutACacheItIsTemporary) {
  auto folder = RemoteFolder::open(named("job"), {});
  ASSERT_TRUE(folder);
  EXPECT_TRUE(folder->files().starts_with(fs::temp_directory_path().string()));
  EXPECT_TRUE(folder->files().ends_with("/job"));
}

} // namespace rankscope
