// SPDX-License-Identifier: GPL-3.0-or-later
//
// From files to figures: what the core says of a synthetic job is what the job's maker knows, to the
// nanosecond.
#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <tuple>
#include <unistd.h>

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

class DamagedJob : public testing::Test {
 protected:
  DamagedJob() : m_folder(fs::temp_directory_path() / ("rankscope_synthetic_" + std::to_string(getpid()))) {
    fs::remove_all(m_folder);
  }
  ~DamagedJob() override { fs::remove_all(m_folder); }

  void make(const JobOptions& options) {
    m_truth = generateJob(options, m_folder);
    Progress progress;
    auto loaded = loadTraces({m_folder.string()}, {}, progress);
    ASSERT_TRUE(loaded) << loaded.error().message;
    m_analysis = std::make_unique<Analysis>(loaded.value());
  }

  // The core's figures of the rank and capture that a file holds; invalid when it has none.
  [[nodiscard]] RankIndex rankOf(const FileTruth& file) const {
    const auto& ranks = m_analysis->trace().ranks();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i].rank == file.rank && ranks[i].capture == file.capture + 1)
        return RankIndex{static_cast<std::uint32_t>(i)};
    }
    return {};
  }

  void expectFigures(const FileTruth& file, std::int64_t eventsCutOff = 0) const {
    SCOPED_TRACE(file.file);
    const RankIndex rank = rankOf(file);
    ASSERT_TRUE(rank.valid());
    const RankStatistics& figures = m_analysis->statistics(rank);
    EXPECT_EQ(figures.gpuSpan, file.spanNs);
    EXPECT_EQ(figures.gpuBusy, file.busyNs);
    EXPECT_EQ(figures.idle, file.idleNs);
    EXPECT_EQ(figures.compute, file.computeNs);
    EXPECT_EQ(figures.communication, file.communicationNs);
    EXPECT_EQ(figures.overlap, file.overlapNs);
    EXPECT_EQ(figures.memory, file.memoryNs);
    const RankEntry& entry = m_analysis->trace().rank(rank);
    const auto events = static_cast<std::int64_t>(m_analysis->trace().file(entry.file).events);
    EXPECT_GE(events, file.events);
    EXPECT_LE(events, file.events + eventsCutOff);
    expectSteps(file, rank);
    expectNames(file, rank);
  }

  void expectSteps(const FileTruth& file, RankIndex rank) const {
    const std::vector<Step>& steps = m_analysis->steps(rank);
    ASSERT_EQ(steps.size(), file.steps.size());
    if (steps.empty()) return;
    // The base of the times stands behind the events: a file that was cut has lost it, unless it is found
    // elsewhere.
    const std::int64_t shift = steps[0].range.begin - file.steps[0].beginNs;
    if (shift != 0) {
      ASSERT_TRUE(m_truth.options.damage.rank == file.rank && shift == -file.baseNs) << shift;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(steps[i].number, file.steps[i].number);
      EXPECT_EQ(steps[i].range.begin, file.steps[i].beginNs + shift);
      EXPECT_EQ(steps[i].range.end - steps[i].range.begin, file.steps[i].durationNs);
    }
  }

  void expectNames(const FileTruth& file, RankIndex rank) const {
    using Sums = std::map<std::string, std::tuple<std::string, std::int64_t, std::int64_t>>;
    Sums said, expected;
    for (const KernelStatistics& k : m_analysis->kernels(rank))
      said[std::string(m_analysis->trace().names()[k.name])] = {std::string(deviceClassText(k.deviceClass)),
                                                                k.calls, k.total};
    for (const NameTruth& n : file.names)
      expected[n.name] = {n.kind == 'P'   ? "compute"
                          : n.kind == 'C' ? "communication"
                                          : "memory",
                          n.calls, n.totalNs};
    EXPECT_EQ(said, expected);
  }

  fs::path m_folder;
  JobTruth m_truth;
  std::unique_ptr<Analysis> m_analysis;
};

class DamageKinds : public DamagedJob, public testing::WithParamInterface<std::tuple<DamageKind, Layout>> {};

TEST_P(DamageKinds, costsNoMoreThanTheDamagedEvent) {
  JobOptions options = smallJob();
  options.layout = std::get<1>(GetParam());
  options.damage = {std::get<0>(GetParam()), 1, 600};
  make(options);
  ASSERT_TRUE(m_analysis);
  // Of an event that is cut in two, the part that is left may be kept.
  for (const FileTruth& file : m_truth.files)
    expectFigures(file, options.damage.kind == DamageKind::Truncate ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, DamageKinds,
    testing::Combine(testing::Values(DamageKind::Truncate, DamageKind::InvalidUtf8,
                                     DamageKind::ControlCharacter, DamageKind::UnescapedQuote,
                                     DamageKind::TrailingComma, DamageKind::MissingEnd,
                                     DamageKind::NotANumber, DamageKind::GarbageTail),
                     testing::Values(Layout::Kineto, Layout::Lines, Layout::Compact, Layout::Pretty)));

TEST_F(DamagedJob, cutArchiveGivesWhatCameBeforeTheCutAndLeavesTheOthersWhole) {
  JobOptions options = smallJob();
  options.gzip = true;
  options.damage = {DamageKind::TruncatedGzip, 1, 500};
  make(options);
  ASSERT_TRUE(m_analysis);
  expectFigures(m_truth.files[0]);
  expectFigures(m_truth.files[2]);
  const RankIndex cut = rankOf(m_truth.files[1]);
  ASSERT_TRUE(cut.valid());
  const FileRecord& record = m_analysis->trace().file(m_analysis->trace().rank(cut).file);
  EXPECT_GT(record.events, 0U);
  EXPECT_LT(static_cast<std::int64_t>(record.events), m_truth.files[1].events);
  EXPECT_FALSE(record.note.empty());
}

} // namespace
} // namespace rankscope::test
