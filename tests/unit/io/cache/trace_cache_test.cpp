// SPDX-License-Identifier: GPL-3.0-or-later
// A job from the cache is the job that was read: the same tables to the byte, and never those of other files,
// whatever happened to the sources.
#include "core/io/cache/trace_cache.h"

#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"
#include "tests/unit/io/cache/cached_job.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

namespace rankscope {

namespace {

using namespace test;

class TraceCache : public CachedJobTest {};

} // namespace

TEST_F(TraceCache, everyKindOfJobIsTheSameAgain) {
  for (const test::JobVariant& variant : test::jobVariants()) {
    SCOPED_TRACE(variant.name);
    fs::remove_all(jobFolder());
    makeJob(variant.set);
    static_cast<void>(loadAndKeep());
    expectHit();
  }
}

TEST_F(TraceCache, damagedJobsAreTheSameAgain) {
  using enum test::DamageKind;
  for (const auto kind : {Truncate, InvalidUtf8, ControlCharacter, UnescapedQuote, TrailingComma, MissingEnd,
                          NotANumber, GarbageTail, TruncatedGzip}) {
    SCOPED_TRACE(static_cast<int>(kind));
    fs::remove_all(jobFolder());
    makeJob([&](test::JobOptions& o) {
      o.damage = {kind, 1, 700};
      o.gzip = kind == TruncatedGzip;
      o.metadataLast = true;
    });
    write(jobFolder() / "rank7.json", "no trace");
    write(jobFolder() / "rank8.json", "");
    static_cast<void>(loadAndKeep());
    expectHit();
  }
}

TEST_F(TraceCache, recordedJobsAndPartsOfThemAreTheSameAgain) {
  for (const auto& golden : fs::directory_iterator(fs::path(RANKSCOPE_SOURCE_DIR) / "tests" / "golden")) {
    if (!golden.is_directory()) continue;
    SCOPED_TRACE(golden.path().filename());
    fs::remove_all(jobFolder());
    fs::copy(golden.path() / "input", jobFolder(), fs::copy_options::recursive);
    static_cast<void>(loadAndKeep());
    expectHit();
  }
  fs::remove_all(jobFolder());
  makeJob([](test::JobOptions& o) { o.captures = 2; });
  static_cast<void>(loadAndKeep());
  m_options.capture = 2;
  static_cast<void>(loadAndKeep());
  expectHit();
}

TEST_F(TraceCache, realRecordingsAreTheSameAgain) {
  for (const std::string& set : test::sharedTraceSets()) {
    RANKSCOPE_SKIP_UNLESS(!set.empty(), test::kNoRecordings);
    SCOPED_TRACE(set);
    fs::remove_all(jobFolder());
    fs::create_directory_symlink(test::sharedFolder() / "traces" / set, jobFolder());
    Progress progress;
    if (!loadTraces({jobFolder().string()}, {}, progress).ok()) continue;
    static_cast<void>(loadAndKeep());
    expectHit();
  }
}

TEST_F(TraceCache, aChangedSourceIsReadAgain) {
  makeJob();
  static_cast<void>(loadAndKeep());
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(jobFolder())) sources.push_back(entry.path());
  ASSERT_EQ(sources.size(), 3U);
  const fs::path& source = sources[1];
  const std::string content = contentOf(source);
  const auto expectReadAgain = [&](const char* what) {
    SCOPED_TRACE(what);
    LoadOptions plain;
    const auto now = load();
    EXPECT_FALSE(now->origin().cached);
    EXPECT_EQ(tablesOf(now), tablesOf(load({jobFolder().string()}, plain)));
    EXPECT_TRUE(writeTraceCache(*now, settings()));
    expectHit();
  };
  fs::last_write_time(source, fs::last_write_time(source) + std::chrono::nanoseconds(1000));
  expectReadAgain("time");
  // Same size, same time: the ends are always looked at.
  overwrite(source, content.find("schemaVersion") + 1, "K");
  expectReadAgain("first page");
  overwrite(source, content.size() - 1, " ");
  expectReadAgain("last page");
  overwrite(source, content.find("\"name\": \"", content.size() / 2) + 10,
            std::string(content.size() / 4, ' '));
  expectReadAgain("a part of it");
  const fs::file_time_type changed = fs::last_write_time(source);
  write(source, content + "\n");
  fs::last_write_time(source, changed);
  expectReadAgain("size");
  write(jobFolder() / "rank9.json", "no trace");
  expectReadAgain("a new file");
  fs::remove(jobFolder() / "rank9.json");
  expectReadAgain("a file less");
  fs::create_symlink("nowhere", jobFolder() / "rank9.json");
  expectReadAgain("a new thing that is passed over");
  fs::rename(source, jobFolder() / "rank5.json");
  expectReadAgain("another name");
}

TEST_F(TraceCache, whatChangesWhileItIsReadIsNotKept) {
  makeJob();
  const auto traces = load();
  for (const auto& entry : fs::directory_iterator(jobFolder()))
    fs::last_write_time(entry.path(), fs::last_write_time(entry.path()) + std::chrono::seconds(1));
  EXPECT_FALSE(writeTraceCache(*traces, settings()));
  EXPECT_TRUE(cacheFiles().empty());
}

TEST_F(TraceCache, sourcesAreNotReadAgain) {
  test::TraceText text;
  text.distributedInfo(0, 1);
  for (std::int64_t i = 0; i < 20'000; ++i)
    text.addKernel(0, 7, 1000 * i, 900, "gemm" + std::to_string(i % 50), i);
  const std::string path = (jobFolder() / "rank0.json").string();
  test::writeTraceFile(path, text.text());
  const auto tables = tablesOf(loadAndKeep());
  const std::string content = contentOf(path);
  ASSERT_GT(content.size(), 15 * 4 * 4096U);
  // Between the pages that are looked at nothing but spaces: who reads them finds other kernels.
  const std::uint64_t step = (content.size() - 4096) / 15;
  for (std::uint64_t i = 0; i < 15; ++i) overwrite(path, i * step + 4096, std::string(step - 8192, ' '));
  const auto cached = load();
  EXPECT_TRUE(cached->origin().cached);
  EXPECT_EQ(tablesOf(cached), tables);
  LoadOptions plain;
  EXPECT_NE(tablesOf(load({jobFolder().string()}, plain)), tables);
}

TEST_F(TraceCache, whatWasNotUsedForLongestGoesFirst) {
  std::vector<fs::path> files;
  for (const char* const job : {"a", "b", "c"}) {
    fs::create_directories(m_folder.path() / job);
    test::JobOptions options = test::smallJob();
    test::generateJob(options, m_folder.path() / job);
  }
  const auto use = [&](const char* job, bool expectCached) {
    const auto traces = load({m_folder / job}, m_options);
    EXPECT_EQ(traces->origin().cached, expectCached) << job;
    EXPECT_NE(writeTraceCache(*traces, settings()), expectCached) << job;
  };
  const auto ageAll = [&] {
    for (const fs::path& file : cacheFiles())
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
  };
  use("a", false);
  ageAll();
  use("b", false);
  ageAll();
  use("a", true);
  ageAll();
  m_options.cache->maxBytes = fs::file_size(cacheFiles().front()) * 5 / 2;
  use("c", false);
  EXPECT_EQ(cacheFiles().size(), 2U);
  use("a", true);
  use("c", true);
  use("b", false);
  EXPECT_EQ(cacheFiles().size(), 2U);
  m_options.cache->maxBytes = 1000;
  const auto traces = load({m_folder / "a"}, m_options);
  EXPECT_FALSE(traces->origin().cached);
  EXPECT_FALSE(writeTraceCache(*traces, settings())) << "larger than all that may be kept";
  EXPECT_EQ(cacheFiles().size(), 2U) << "and nothing goes for it";
}

TEST_F(TraceCache, smallJobsAreNotKept) {
  makeJob();
  m_options.cache->minTextBytes = std::uint64_t{1} << 30;
  const auto traces = load();
  EXPECT_FALSE(writeTraceCache(*traces, settings()));
  EXPECT_FALSE(fs::exists(settings().folder));
}

TEST_F(TraceCache, aJobFromTheCacheIsNotWrittenAgain) {
  makeJob();
  static_cast<void>(loadAndKeep());
  EXPECT_FALSE(writeTraceCache(*load(), settings()));
}

TEST_F(TraceCache, manyMayWriteAndReadAtOnce) {
  makeJob();
  const auto traces = load();
  const auto tables = tablesOf(traces);
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> written{0};
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        written += writeTraceCache(*traces, settings()) ? 1 : 0;
        const auto cached = load();
        if (cached == nullptr || !cached->origin().cached || tablesOf(cached) != tables) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(written, 20);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cacheFiles().size(), 1U) << "no drafts are left";
}

TEST_F(TraceCache, anOpenJobOutlivesItsFile) {
  makeJob();
  const auto tables = tablesOf(loadAndKeep());
  const auto cached = load();
  ASSERT_TRUE(cached->origin().cached);
  fs::remove_all(settings().folder);
  EXPECT_EQ(tablesOf(cached), tables);
}

TEST_F(TraceCache, aFolderThatCannotBeWrittenIsNoError) {
  makeJob();
  write(m_folder / "blocked", "a file");
  m_options.cache->folder = m_folder / "blocked/cache";
  const auto traces = load();
  EXPECT_FALSE(writeTraceCache(*traces, settings()));
  EXPECT_FALSE(load()->origin().cached);
}

TEST_F(TraceCache, cancellingLeavesNothing) {
  makeJob();
  const auto traces = load();
  EXPECT_FALSE(writeTraceCache(*traces, settings(), true));
  EXPECT_TRUE(cacheFiles().empty());
  ASSERT_TRUE(writeTraceCache(*traces, settings()));
  Progress progress;
  progress.cancel = true;
  const auto cancelled = loadTraces({jobFolder().string()}, m_options, progress);
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(cacheFiles().size(), 1U) << "a file that was not looked at is not damaged";
}

TEST_F(TraceCache, draftsThatWereLeftBehindGo) {
  makeJob();
  fs::create_directories(settings().folder);
  const fs::path folder = settings().folder;
  for (const char* const name : {"old.trace.1-0.part", "new.trace.1-0.part", "other.txt"})
    write(folder / name, "x");
  for (const char* const name : {"old.trace.1-0.part", "other.txt"})
    fs::last_write_time(folder / name, fs::last_write_time(folder / name) - std::chrono::hours(2));
  static_cast<void>(loadAndKeep());
  EXPECT_FALSE(fs::exists(folder / "old.trace.1-0.part"));
  EXPECT_TRUE(fs::exists(folder / "new.trace.1-0.part")) << "somebody may be writing it";
  EXPECT_TRUE(fs::exists(folder / "other.txt")) << "not ours";
}

TEST_F(TraceCache, theFolderComesFromTheEnvironment) {
  const std::array names{"RANKSCOPE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::map<std::string, std::optional<std::string>> before;
  for (const char* const name : names) {
    const char* const value = std::getenv(name);
    before[name] = value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    unsetenv(name);
  }
  EXPECT_FALSE(userTraceCache());
  setenv("HOME", "/a", 1);
  EXPECT_EQ(userTraceCache()->folder, "/a/.cache/rankscope");
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  EXPECT_EQ(userTraceCache()->folder, "/a/.cache/rankscope");
  setenv("XDG_CACHE_HOME", "/b", 1);
  EXPECT_EQ(userTraceCache()->folder, "/b/rankscope");
  setenv("RANKSCOPE_CACHE_DIR", "/c", 1);
  EXPECT_EQ(userTraceCache()->folder, "/c");
  setenv("RANKSCOPE_CACHE_DIR", "", 1);
  EXPECT_FALSE(userTraceCache());
  for (const auto& [name, value] : before) {
    if (value)
      setenv(name.c_str(), value->c_str(), 1);
    else
      unsetenv(name.c_str());
  }
}

} // namespace rankscope
