// SPDX-License-Identifier: GPL-3.0-or-later
// The file of a job in the cache: the same bytes for the same job, and none that can be wrong unnoticed.
#include "core/io/cache/trace_image.h"

#include "core/io/cache/checked_file.h"
#include "tests/unit/io/cache/cached_job.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <span>
#include <sys/resource.h>
#include <xxhash.h>

namespace rankscope {

namespace {

using namespace test;

class TraceImage : public CachedJobTest {};

} // namespace

TEST_F(TraceImage, theFileDoesNotDependOnThreadsOrMemory) {
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

TEST_F(TraceImage, recordingsThatRanksShareAreKeptOnce) {
  makeJob();
  const auto one = loadAndKeep();
  std::vector<RankEntry> twice = one->ranks();
  for (const RankEntry& entry : one->ranks()) twice.push_back(entry);
  for (std::size_t i = one->ranks().size(); i < twice.size(); ++i) twice[i].rank += 100;
  const TraceSet shared(one->jobName(), one->names(), std::move(twice), one->files());
  EXPECT_LT(imageOf(shared, m_folder).size(), imageOf(*one, m_folder).size() + 4096);
}

TEST_F(TraceImage, noByteOfTheFileCanChangeUnnoticed) {
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

TEST_F(TraceImage, filesOfOtherProgramsAreNotReadAndAreReplaced) {
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

TEST_F(TraceImage, aWriteThatFailsHalfWayLeavesNothing) {
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

// A header of nonsense whose own checksum is right.
TEST_F(TraceImage, noHeaderLeadsOutOfTheFile) {
  const std::string path = m_folder / "nonsense";
  {
    CheckedFileWriter file(path, "identity");
    ASSERT_TRUE(file.finish("directory", 1));
  }
  const std::string whole = contentOf(path);
  constexpr std::size_t kWords = 16;
  std::array<std::uint64_t, kWords> header{};
  std::memcpy(header.data(), whole.data(), sizeof header);
  ASSERT_EQ(header.back(), XXH3_64bits(header.data(), sizeof header - 8)) << "the header's form is another";
  const std::array<std::uint64_t, 9> values{
      0, 1, 8, 127, 128, whole.size() - 8, whole.size(), ~std::uint64_t{0}, ~std::uint64_t{0} - 127};
  for (std::size_t first = 3; first < 8; ++first) {
    for (std::size_t second = first; second < 8; ++second) {
      for (const std::uint64_t one : values) {
        for (const std::uint64_t other : values) {
          std::array<std::uint64_t, kWords> wrong = header;
          wrong[first] = one;
          wrong[second] = other;
          wrong.back() = XXH3_64bits(wrong.data(), sizeof wrong - 8);
          std::string bytes = whole;
          std::memcpy(bytes.data(), wrong.data(), sizeof wrong);
          write(path, bytes);
          CheckedFile file;
          if (CheckedFile::open(path, 1, file) != CheckedFileState::Whole) continue;
          if (!file.verify(1, [](std::uint64_t) { return true; })) continue;
          EXPECT_LE(file.identity().size() + file.directory().size(), 2 * whole.size());
          EXPECT_TRUE(file.data(whole.size(), 1).empty());
          EXPECT_EQ(readTraceImage(file, {}, 1), nullptr);
        }
      }
    }
  }
}

// Files whose checksums are right and whose content is not, as a faulty disk before the checksums or a
// program gone wrong would write.
TEST_F(TraceImage, nonsenseUnderRightChecksumsIsNotReadBeyondItsEnds) {
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
