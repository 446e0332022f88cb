// SPDX-License-Identifier: GPL-3.0-or-later
// How recordings become a job. Covers core/model/trace_set.
#include "core/io/load/job_assembly.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace rankscope {
namespace {

using test::TemporaryFolder;
using test::TraceText;

constexpr TimeNs kBase = 1'751'410'836'000'000'000;
constexpr TimeNs kOtherBase = kBase + 1'000'000;

// Files that were read, to be given to assemblies in any order.
class ReadFiles {
 public:
  // A file a rank, of these base times; 0: it has none.
  explicit ReadFiles(const std::vector<TimeNs>& bases) {
    for (std::size_t rank = 0; rank < bases.size(); ++rank) {
      TraceText text;
      text.distributedInfo(static_cast<int>(rank), static_cast<int>(bases.size()));
      if (bases[rank] != 0) text.baseTime(bases[rank]);
      text.addCpuOp(1, 2'000'000, 5'000, "op");
      test::writeTraceFile(m_folder / ("rank" + std::to_string(rank) + ".json"), text.text());
    }
    m_paths = {m_folder.path().string()};
    m_found = discoverTraceFiles(m_paths);
    NameSequencer names(m_queue);
    const LoadFilter filter;
    LoadContext context{{m_progress, m_queue, [] { return 1U; }, filter}, names, traceReaders()};
    for (std::size_t i = 0; i < m_found.files.size(); ++i)
      m_loaded.push_back(loadFile(m_found.files[i].path, i, context));
    m_names = names.snapshot();
  }

  [[nodiscard]] JobAssembly assembly() const { return JobAssembly(m_paths, m_found, std::nullopt, false); }
  void give(std::size_t file, JobAssembly& job) const { job.arrived(file, m_loaded[file], m_names); }
  [[nodiscard]] const StringTable& names() const { return m_names; }
  [[nodiscard]] std::size_t size() const { return m_loaded.size(); }
  void fail(std::size_t file, ErrorKind kind) { m_loaded[file] = Error{kind, "no", {}, {}}; }

 private:
  TemporaryFolder m_folder;
  std::vector<std::string> m_paths;
  Discovery m_found;
  Progress m_progress;
  WorkQueue m_queue;
  std::vector<Result<LoadedFile>> m_loaded;
  StringTable m_names;
};

// What placing decides, as a text.
std::string decisionsOf(const TraceSet& set) {
  std::string text = set.jobName() + "\n";
  for (const FileRecord& file : set.files())
    text += file.path + " rank " + std::to_string(file.rank.value_or(-1)) + " from " +
            std::to_string(file.extent.begin) + ": " + file.note + "\n";
  for (const RankEntry& rank : set.ranks())
    text += std::to_string(rank.rank) + " from " + std::to_string(rank.trace->extent.begin) + " base " +
            std::to_string(rank.trace->metadata.baseTime) + "\n";
  return text;
}

// Of the whole job, with no set before the last one.
std::string decisionsAtOnce(const ReadFiles& files) {
  JobAssembly job = files.assembly();
  for (std::size_t i = 0; i < files.size(); ++i) files.give(i, job);
  return decisionsOf(*job.traces(files.names()));
}

// A set after every file, as a window is shown them.
void expectTheSameInAnyOrder(const ReadFiles& files) {
  const std::string atOnce = decisionsAtOnce(files);
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    JobAssembly job = files.assembly();
    std::shared_ptr<const TraceSet> last;
    for (const std::size_t file : order) {
      files.give(file, job);
      last = job.traces(files.names());
    }
    ASSERT_EQ(decisionsOf(*last), atOnce) << testing::PrintToString(order);
  } while (std::ranges::next_permutation(order).found);
}

TEST(JobAssembly, lendsABaseTimeWhateverTheOrderOfArrival) {
  const ReadFiles files({0, kBase, kBase, 0});
  const std::string decisions = decisionsAtOnce(files);
  EXPECT_NE(decisions.find("its base time is missing: taken from the other ranks"), std::string::npos);
  expectTheSameInAnyOrder(files);
}

// The first two to arrive agree, all of them do not.
TEST(JobAssembly, lendsNoneWhenTheFilesDisagreeWhateverTheOrderOfArrival) {
  const ReadFiles files({0, kBase, kOtherBase, kBase});
  EXPECT_EQ(decisionsAtOnce(files).find("its base time is missing"), std::string::npos);
  expectTheSameInAnyOrder(files);
}

// Who agrees on a base was recorded years apart: near whom a file lies shows when all are there.
TEST(JobAssembly, whatLiesNearIsDecidedByAllFiles) {
  const ReadFiles files({0, kBase, -kBase, 0});
  expectTheSameInAnyOrder(files);
}

TEST(JobAssembly, setsShareTheRecordingsThatTheyHaveInCommon) {
  const ReadFiles files({0, kBase, kBase});
  JobAssembly job = files.assembly();
  files.give(0, job);
  files.give(1, job);
  const auto before = job.traces(files.names());
  files.give(2, job);
  const auto after = job.traces(files.names());
  ASSERT_EQ(before->ranks().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(before->ranks()[i].trace, after->ranks()[i].trace);
}

TEST(JobAssembly, tellsWhichFileThereWasNoMemoryFor) {
  ReadFiles files({kBase, kBase, kBase});
  files.fail(1, ErrorKind::OutOfMemory);
  JobAssembly job = files.assembly();
  files.give(2, job);
  EXPECT_EQ(job.outOfMemory(), nullptr);
  files.give(1, job);
  ASSERT_NE(job.outOfMemory(), nullptr);
  EXPECT_FALSE(job.repeatable());
  files.give(0, job);
  EXPECT_EQ(job.traces(files.names())->ranks().size(), 2u);
}

} // namespace
} // namespace rankscope
