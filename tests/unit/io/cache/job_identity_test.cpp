// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/cache/job_identity.h"

#include "core/io/load/trace_readers.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

class JobIdentityTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"rank0.json", "rank1.json"}) write(name, std::string(100'000, 'a'));
  }
  void write(const std::string& name, const std::string& content) {
    std::ofstream(m_folder / name, std::ios::binary) << content;
  }
  // Another byte at a place, and the time of change as it was.
  void changeQuietly(const std::string& name, std::size_t at) {
    const auto time = fs::last_write_time(m_folder / name);
    std::fstream file(m_folder / name, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('b');
    file.close();
    fs::last_write_time(m_folder / name, time);
  }
  [[nodiscard]] JobIdentity identity(const std::string& options = "", unsigned threads = 1) const {
    const std::vector<std::string> paths{m_folder.path().string()};
    return identityOf(paths, discoverTraceFiles(paths), options, threads);
  }

  test::TemporaryFolder m_folder;
};

} // namespace

TEST_F(JobIdentityTest, isTheSameForTheSameFilesWhateverTheThreads) {
  const JobIdentity one = identity("x", 1);
  const JobIdentity four = identity("x", 4);
  EXPECT_EQ(one, four);
  EXPECT_EQ(identityBytes(one), identityBytes(four));
  EXPECT_TRUE(isUnchanged(one, 2));
  EXPECT_EQ(one.sourceBytes(), 200'000U);
}

TEST_F(JobIdentityTest, sampledBytesTellFilesApartWhoseTimesAndSizesAreEqual) {
  const JobIdentity before = identity();
  for (const std::size_t at : {std::size_t{0}, std::size_t{99'999}, std::size_t{48'000}}) {
    write("rank0.json", std::string(100'000, 'a'));
    fs::last_write_time(m_folder / "rank0.json", fs::last_write_time(m_folder / "rank1.json"));
    const JobIdentity now = identity();
    changeQuietly("rank0.json", at);
    EXPECT_FALSE(isUnchanged(now, 1)) << "byte " << at;
    EXPECT_NE(identityBytes(identity()), identityBytes(now));
    EXPECT_EQ(identityName(identity()), identityName(before)) << "what was asked for is the same";
  }
}

TEST_F(JobIdentityTest, changesWithSizeTimeAndWhatIsThere) {
  const JobIdentity before = identity();
  fs::last_write_time(m_folder / "rank1.json",
                      fs::last_write_time(m_folder / "rank1.json") + std::chrono::seconds(1));
  EXPECT_FALSE(isUnchanged(before, 1));
  const JobIdentity touched = identity();
  write("rank1.json", std::string(100'001, 'a'));
  EXPECT_FALSE(isUnchanged(touched, 1));
  const JobIdentity grown = identity();
  write("rank2.json", "{}");
  EXPECT_TRUE(isUnchanged(grown, 1)) << "of the files it names";
  EXPECT_NE(identityBytes(identity()), identityBytes(grown));
  fs::remove(m_folder / "rank0.json");
  EXPECT_FALSE(isUnchanged(grown, 1));
}

TEST_F(JobIdentityTest, nameIsOfWhatWasAskedFor) {
  const std::string name = identityName(identity("steps 1-3"));
  EXPECT_EQ(name.size(), 32U);
  EXPECT_TRUE(
      std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }));
  EXPECT_NE(name, identityName(identity("steps 1-4")));
  EXPECT_EQ(name, identityName(identity("steps 1-3", 3)));
}

} // namespace rankscope
