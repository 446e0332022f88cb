// SPDX-License-Identifier: GPL-3.0-or-later
//
// What goes wrong around the program: disks that are full, folders that may not be written, ends at any
// moment. The old file is whole, the message names the file and the reason, and the next try is fine.
#include "core/export/whole_file.h"
#include "tests/support/child_process.h"
#include "tests/unit/io/cache/cached_job.h"

#include <atomic>
#include <csignal>
#include <thread>

namespace rankscope::test {
namespace {

constexpr rlim_t kRoom = 32 << 10;

std::size_t entriesIn(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Exit status and standard error of the headless program behind a shell's words.
struct Output {
  int status = -1;
  std::string error;
};

Output shell(const TemporaryFolder& folder, const std::string& before, const std::string& arguments) {
  const std::string errors = folder / "errors";
  const std::string command = before + " '" RANKSCOPE_CLI "' " + arguments + " 2>'" + errors + "'";
  const int status = std::system(("sh -c \"" + command + "\"").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentOf(errors)};
}

TEST(FullDisk, leavesTheOldFileWholeAndNamesItAndTheReason) {
  const TemporaryFolder folder;
  const std::string path = folder / "table.csv";
  ASSERT_FALSE(writeWholeFile(path, "old"));
  EXPECT_EQ(inChild([&] {
              limitFiles(kRoom);
              const auto error = writeWholeFile(path, std::string(4 * kRoom, 'x'));
              if (!error) return 1;
              return error->file == path && error->message.find("File too large") != std::string::npos ? 0
                                                                                                       : 2;
            }),
            0);
  EXPECT_EQ(contentOf(path), "old");
  EXPECT_EQ(entriesIn(folder.path()), 1u);
}

TEST(KilledWriter, leavesTheOldReportWhole) {
  const TemporaryFolder folder;
  const std::string path = folder / "table.csv";
  ASSERT_FALSE(writeWholeFile(path, "old"));
  for (const rlim_t byte : {rlim_t{0}, rlim_t{1}, kRoom, 4 * kRoom - 1}) {
    EXPECT_EQ(inChild([&] {
                dieAtByte(byte);
                return writeWholeFile(path, std::string(4 * kRoom, 'x')) ? 1 : 0;
              }),
              -1)
        << byte;
    EXPECT_EQ(contentOf(path), "old") << byte;
  }
  EXPECT_FALSE(writeWholeFile(path, "new"));
  EXPECT_EQ(contentOf(path), "new");
}

class Faults : public CachedJobTest {};

TEST_F(Faults, aReportOnAFullDiskLeavesOldTablesWhole) {
  makeJob();
  const std::string out = m_folder / "report";
  fs::create_directories(out);
  write(fs::path(out) / "kernels.csv", "old");
  // 4 blocks of 512 bytes: the first tables fit, others do not.
  const Output said = shell(m_folder, "ulimit -f 4; exec",
                            "report '" + jobFolder().string() + "' --no-cache --quiet --out '" + out + "'");
  EXPECT_EQ(said.status, 1) << said.error;
  EXPECT_NE(said.error.find(out + "/"), std::string::npos) << said.error;
  EXPECT_NE(said.error.find("File too large"), std::string::npos) << said.error;
  for (const auto& entry : fs::directory_iterator(out)) {
    const std::string content = contentOf(entry.path());
    EXPECT_EQ(entry.path().extension(), ".csv") << entry.path();
    EXPECT_TRUE(content == "old" || content.ends_with("\r\n") || content.ends_with("\n")) << entry.path();
  }
}

TEST_F(Faults, aTableForAFullDeviceIsAnError) {
  makeJob();
  const Output said =
      shell(m_folder, "exec >/dev/full;", "table kernels '" + jobFolder().string() + "' --no-cache --quiet");
  EXPECT_EQ(said.status, 1);
  EXPECT_NE(said.error.find("standard output: cannot write"), std::string::npos) << said.error;
}

TEST_F(Faults, aCacheOnAFullDiskIsNotKeptAndTheOldOneStays) {
  makeJob();
  static_cast<void>(loadAndKeep());
  const fs::path kept = theCacheFile();
  const std::string before = contentOf(kept);
  ASSERT_GT(before.size(), kRoom);
  LoadOptions plain = m_options;
  plain.cache.reset();
  EXPECT_EQ(inChild([&] {
              limitFiles(kRoom);
              CheckedFileWriter file(kept.string(), "another");
              const std::string directory =
                  writeTraceImage(*load({jobFolder().string()}, plain), file, false);
              return file.finish(directory, 1) ? 1 : 0;
            }),
            0);
  EXPECT_TRUE(contentOf(kept) == before);
  EXPECT_EQ(cacheFiles().size(), 1u) << "no draft is left";
  expectHit();
}

TEST_F(Faults, aWriterOfTheCacheKilledAtAnyMomentLeavesTheOldFileWhole) {
  makeJob();
  static_cast<void>(loadAndKeep());
  const fs::path kept = theCacheFile();
  const std::string before = contentOf(kept);
  for (int moment = 0; moment < 6; ++moment) {
    EXPECT_EQ(inChild([&] {
                CheckedFileWriter file(kept.string(), "another");
                const std::vector<std::byte> piece(std::size_t{700} << 10);
                for (int i = 0; i < moment; ++i) file.addData(piece);
                std::raise(SIGKILL);
                return 0;
              }),
              -1);
    EXPECT_TRUE(contentOf(kept) == before);
  }
  EXPECT_GT(cacheFiles().size(), 1u) << "drafts that were left behind";
  expectHit();
}

TEST_F(Faults, aFolderThatCannotBeMadeIsReportedAndTheJobOpens) {
  makeJob([](JobOptions& options) { options.steps = 3; });
  write(m_folder.path() / "file", "in the way");
  LoadOptions options = m_options;
  options.cache->folder = m_folder / "file/cache";
  const auto traces = load({jobFolder().string()}, options);
  ASSERT_TRUE(traces);
  EXPECT_FALSE(traces->ranks().empty());
  EXPECT_FALSE(writeTraceCache(*traces, *options.cache));
  EXPECT_EQ(contentOf(m_folder.path() / "file"), "in the way");
}

// Sanitizers need more addresses than any limit gives.
#ifndef RANKSCOPE_SANITIZED

// Stacks of 4,096 threads need 32 GB of addresses. Whatever the limit, the work is done where one thread can
// do it; half as much again is left for the stacks that stay.
TEST_F(Faults, addressesThatRunOutLeaveTheWorkToFewerThreads) {
  makeJob();
  const std::string out = m_folder / "out";
  const auto summary = [&](int kilobytes, const std::string& threads) {
    return shell(m_folder, "ulimit -v " + std::to_string(kilobytes) + "; exec",
                 "summary '" + jobFolder().string() + "' --no-cache --quiet --threads " + threads + " >'" +
                     out + "'");
  };
  int enough = 40'000;
  while (enough < 1'000'000 && summary(enough, "1").status != 0) enough += 10'000;
  ASSERT_LT(enough, 1'000'000);
  const std::string whole = contentOf(out);
  ASSERT_FALSE(whole.empty());
  for (const int kilobytes :
       {3 * enough / 2, 2 * enough, 3 * enough, 4 * enough, 6 * enough, 1'000'000, 4'000'000}) {
    for (int again = 0; again < 5; ++again) {
      const Output said = summary(kilobytes, "4096");
      EXPECT_EQ(said.status, 0) << kilobytes << ", one thread needs " << enough << ": " << said.error;
      EXPECT_EQ(contentOf(out), whole) << kilobytes;
    }
  }
}

#endif

// A load that is cancelled when it has come so far; 0 of `parts`: at once.
TEST_F(Faults, aLoadMayBeCancelledAtAnyMoment) {
  makeJob([](JobOptions& options) { options.gzip = true; });
  constexpr std::uint64_t kParts = 24;
  std::size_t cancelled = 0;
  for (std::uint64_t part = 0; part <= kParts; ++part) {
    Progress progress;
    std::atomic<bool> over{false};
    std::thread watch([&] {
      while (!over && (progress.bytesTotal == 0 || progress.bytesDone * kParts < progress.bytesTotal * part))
        std::this_thread::yield();
      progress.cancel = true;
    });
    LoadOptions options;
    options.threadCount = 2;
    const auto loaded = loadTraces({jobFolder().string()}, options, progress);
    over = true;
    watch.join();
    if (loaded) {
      EXPECT_FALSE((*loaded)->ranks().empty());
    } else {
      EXPECT_EQ(loaded.error().kind, ErrorKind::Cancelled) << loaded.error().text();
      ++cancelled;
    }
  }
  EXPECT_GT(cancelled, 0u);
  EXPECT_TRUE(load());
}

} // namespace
} // namespace rankscope::test
