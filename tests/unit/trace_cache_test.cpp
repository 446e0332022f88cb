// SPDX-License-Identifier: GPL-3.0-or-later
// A job from the cache is the job that was read: the same tables to the byte, and never those of other files,
// whatever happened to the cache or to the sources.
#include "core/analysis/analysis.h"
#include "core/export/csv.h"
#include "core/io/cache_folder.h"
#include "core/io/checked_file.h"
#include "core/io/trace_image.h"
#include "core/io/trace_loader.h"
#include "core/report/summary_json.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::string contentOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const fs::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

// Changes some bytes of a file and leaves its time as it was.
void overwrite(const fs::path& path, std::uint64_t at, std::string_view bytes) {
  const fs::file_time_type changed = fs::last_write_time(path);
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
  }
  fs::last_write_time(path, changed);
}

// All that the program says of a job.
std::map<std::string, std::string> tablesOf(std::shared_ptr<const TraceSet> traces) {
  const Analysis analysis(std::move(traces));
  std::map<std::string, std::string> tables;
  for (const TableSpec& spec : tableSpecs()) tables[std::string(spec.name)] = toCsv(spec.make(analysis));
  tables["summary"] = summaryJson(analysis, {});
  return tables;
}

// Every byte that is kept of a job, behind where it comes from.
std::string imageOf(const TraceSet& traces, const TemporaryFolder& folder) {
  const std::string path = folder / "image";
  CheckedFileWriter file(path, "");
  const std::string directory = writeTraceImage(traces, file, false);
  EXPECT_TRUE(file.finish(directory, 1));
  return contentOf(path);
}

class TraceCache : public testing::Test {
 protected:
  TraceCache() {
    fs::create_directories(jobFolder());
    m_options.cache = TraceCacheSettings{m_folder / "cache", std::uint64_t{1} << 30, 0};
  }

  [[nodiscard]] fs::path jobFolder() const { return m_folder.path() / "job"; }
  [[nodiscard]] const TraceCacheSettings& settings() const { return *m_options.cache; }

  [[nodiscard]] std::shared_ptr<const TraceSet> load(const std::vector<std::string>& paths,
                                                     const LoadOptions& options) const {
    Progress progress;
    auto loaded = loadTraces(paths, options, progress);
    EXPECT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_EQ(progress.bytesDone, progress.bytesTotal);
    EXPECT_EQ(progress.filesDone, progress.filesTotal);
    return loaded.ok() ? *loaded : nullptr;
  }
  [[nodiscard]] std::shared_ptr<const TraceSet> load() const {
    return load({jobFolder().string()}, m_options);
  }

  // Loads a job that is not in the cache and keeps it.
  [[nodiscard]] std::shared_ptr<const TraceSet> loadAndKeep() const {
    auto traces = load();
    EXPECT_FALSE(traces->origin().cached);
    EXPECT_TRUE(writeTraceCache(*traces, settings()));
    return traces;
  }

  [[nodiscard]] std::vector<fs::path> cacheFiles() const {
    std::vector<fs::path> files;
    if (!fs::exists(settings().folder)) return files;
    for (const auto& entry : fs::directory_iterator(settings().folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }
  [[nodiscard]] fs::path theCacheFile() const {
    const std::vector<fs::path> files = cacheFiles();
    EXPECT_EQ(files.size(), 1U);
    return files.empty() ? fs::path() : files.front();
  }

  void makeJob(const std::function<void(test::JobOptions&)>& change = {}) const {
    test::JobOptions options = test::smallJob();
    if (change) change(options);
    test::generateJob(options, jobFolder());
    fs::remove(jobFolder() / "ground_truth.json");
  }

  // From the cache, and the same as read without it.
  void expectHit() const {
    LoadOptions plain = m_options;
    plain.cache.reset();
    const auto fresh = load({jobFolder().string()}, plain);
    for (const unsigned threads : {1U, 3U}) {
      LoadOptions options = m_options;
      options.threadCount = threads;
      const auto cached = load({jobFolder().string()}, options);
      ASSERT_TRUE(cached->origin().cached);
      EXPECT_EQ(tablesOf(cached), tablesOf(fresh));
      EXPECT_TRUE(imageOf(*cached, m_folder) == imageOf(*fresh, m_folder));
    }
  }

  TemporaryFolder m_folder;
  LoadOptions m_options;
};

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

TEST_F(TraceCache, theFileDoesNotDependOnThreadsOrMemory) {
  makeJob([](test::JobOptions& o) { o.withStack = true; });
  std::vector<std::string> files;
  for (const unsigned threads : {1U, 4U, 4U}) {
    fs::remove_all(settings().folder);
    m_options.threadCount = threads;
    static_cast<void>(loadAndKeep());
    files.push_back(contentOf(theCacheFile()));
  }
  EXPECT_TRUE(files[0] == files[1]);
  EXPECT_TRUE(files[1] == files[2]);
}

TEST_F(TraceCache, recordingsThatRanksShareAreKeptOnce) {
  makeJob();
  const auto one = loadAndKeep();
  std::vector<RankEntry> twice = one->ranks();
  for (const RankEntry& entry : one->ranks()) twice.push_back(entry);
  for (std::size_t i = one->ranks().size(); i < twice.size(); ++i) twice[i].rank += 100;
  const TraceSet shared(one->jobName(), one->names(), std::move(twice), one->files());
  EXPECT_LT(imageOf(shared, m_folder).size(), imageOf(*one, m_folder).size() + 4096);
}

TEST_F(TraceCache, noByteOfTheFileCanChangeUnnoticed) {
  makeJob([](test::JobOptions& o) { o.ranks = 1, o.steps = 1; });
  const auto tables = tablesOf(loadAndKeep());
  const fs::path path = theCacheFile();
  const std::string whole = contentOf(path);
  const auto identity = load()->origin().identity;
  ASSERT_NE(identity, nullptr);
  const auto opens = [&] {
    Progress progress;
    return openCachedTraces(settings(), identity, 2, progress) != nullptr;
  };
  ASSERT_TRUE(opens());
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < whole.size(); at += at < 2048 || at + 2048 > whole.size() ? 1 : 97)
    places.push_back(at);
  for (const std::size_t at : places) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ (1 << at % 8));
    write(path, wrong);
    EXPECT_FALSE(opens()) << at;
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{127}, std::size_t{128},
                                   whole.size() / 2, whole.size() - 8, whole.size() - 1}) {
    write(path, whole.substr(0, length));
    EXPECT_FALSE(opens()) << length;
    EXPECT_FALSE(fs::exists(path)) << "what is damaged is removed";
  }
  write(path, whole + std::string(8, '\0'));
  EXPECT_FALSE(opens());
  // What the user sees: the job, read from its files, and the next time from the cache again.
  for (const std::size_t at : {std::size_t{3}, whole.size() / 3, whole.size() - 3}) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x40);
    write(path, wrong);
    EXPECT_EQ(tablesOf(loadAndKeep()), tables);
    EXPECT_TRUE(contentOf(path) == whole);
  }
}

TEST_F(TraceCache, filesOfOtherProgramsAreNotReadAndAreReplaced) {
  makeJob();
  const auto traces = loadAndKeep();
  const fs::path path = theCacheFile();
  const std::string ours = contentOf(path);
  {
    CheckedFileWriter other(path.string(), identityBytes(*traces->origin().identity));
    const std::string directory = writeTraceImage(*traces, other, false);
    ASSERT_TRUE(other.finish(directory, 4711));
  }
  EXPECT_FALSE(contentOf(path) == ours);
  static_cast<void>(loadAndKeep());
  EXPECT_TRUE(contentOf(path) == ours);
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
  for (int i = 0; i < 20'000; ++i) text.addKernel(0, 7, 1000 * i, 900, "gemm" + std::to_string(i % 50), i);
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
  m_options.cache->mostBytes = fs::file_size(cacheFiles().front()) * 5 / 2;
  use("c", false);
  EXPECT_EQ(cacheFiles().size(), 2U);
  use("a", true);
  use("c", true);
  use("b", false);
  EXPECT_EQ(cacheFiles().size(), 2U);
  m_options.cache->mostBytes = 1000;
  const auto traces = load({m_folder / "a"}, m_options);
  EXPECT_FALSE(traces->origin().cached);
  EXPECT_FALSE(writeTraceCache(*traces, settings())) << "larger than all that may be kept";
  EXPECT_EQ(cacheFiles().size(), 2U) << "and nothing goes for it";
}

TEST_F(TraceCache, smallJobsAreNotKept) {
  makeJob();
  m_options.cache->leastSourceBytes = std::uint64_t{1} << 30;
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
  std::atomic<int> written{0};
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        written += writeTraceCache(*traces, settings()) ? 1 : 0;
        Progress progress;
        const auto cached = openCachedTraces(settings(), traces->origin().identity, 1, progress);
        if (cached == nullptr || tablesOf(cached) != tables) ++wrong;
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

TEST_F(TraceCache, aWriteThatFailsHalfWayLeavesNothing) {
  makeJob();
  const auto traces = load();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{10'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  const bool written = writeTraceCache(*traces, settings());
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(written);
  EXPECT_TRUE(cacheFiles().empty());
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

// Files whose checksums are right and whose content is not, as a faulty disk before the checksums or a
// program gone wrong would write.
TEST_F(TraceCache, nonsenseUnderRightChecksumsIsNotReadBeyondItsEnds) {
  makeJob([](test::JobOptions& o) { o.ranks = 1, o.steps = 1, o.withStack = true; });
  const auto traces = load();
  const std::string path = m_folder / "nonsense";
  std::string directory;
  std::string body;
  {
    CheckedFileWriter file(path, "");
    directory = writeTraceImage(*traces, file, false);
    ASSERT_TRUE(file.finish(directory, 1));
    const std::string whole = contentOf(path);
    body = whole.substr(128, whole.rfind(directory) - 128);
  }
  const auto open = [&](const std::string& itsBody, const std::string& itsDirectory) {
    CheckedFileWriter writer(path, "");
    writer.append(std::as_bytes(std::span(itsBody)));
    EXPECT_TRUE(writer.finish(itsDirectory, 1));
    CheckedFile file;
    EXPECT_EQ(CheckedFile::open(path, 1, file), CheckedFileState::Whole);
    EXPECT_TRUE(file.verify(1, [](std::uint64_t) { return true; }));
    return readTraceImage(file, {}, 1);
  };
  ASSERT_NE(open(body, directory), nullptr);
  const auto walk = [](const TraceSet& set) {
    std::size_t sum = 0;
    for (const RankEntry& entry : set.ranks()) {
      const RankTrace& trace = *entry.trace;
      EXPECT_TRUE(isSound(trace, set.names().size()));
      for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
        sum += set.names()[trace.events.name[e]].size() + trace.rowOf(e).value + trace.launchedBy(e).size();
        if (trace.isDeviceEvent(e)) sum += trace.deviceDetail(e).launch.value;
      }
    }
    return sum;
  };
  std::size_t opened = 0;
  std::uint64_t random = 12345;
  const auto next = [&] {
    return random = random * 6364136223846793005U + 1442695040888963407U, random >> 33;
  };
  for (int round = 0; round < 600; ++round) {
    std::string wrongBody = body;
    std::string wrongDirectory = directory;
    std::string& wrong = round % 2 == 0 ? wrongDirectory : wrongBody;
    for (std::uint64_t i = 0; i < 1 + next() % 3; ++i)
      wrong[next() % wrong.size()] = static_cast<char>(next() % 2 == 0 ? 0xff : next());
    if (round % 7 == 0) wrongDirectory.resize(next() % wrongDirectory.size());
    if (const auto set = open(wrongBody, wrongDirectory)) {
      ++opened;
      EXPECT_GT(walk(*set), 0U);
    }
  }
  EXPECT_GT(opened, 0U) << "changed times are no harm";
}

} // namespace rankscope
