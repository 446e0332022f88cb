// SPDX-License-Identifier: GPL-3.0-or-later
// Synthetic jobs say of themselves, to the nanosecond, what our tables must say of them, in every dialect and
// layout.
#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace rankscope {

namespace {

using test::FileTruth;
using test::JobOptions;
using test::JobTruth;

Analysis analysisOf(const std::filesystem::path& folder) {
  Progress progress;
  auto loaded = loadTraces({folder.string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return Analysis(*loaded);
}

constexpr int kSteps = 3;

void compareFigures(const RankStatistics& ours, const FileTruth& truth) {
  EXPECT_EQ(ours.gpuSpan, truth.spanNs);
  EXPECT_EQ(ours.gpuBusy, truth.busyNs);
  EXPECT_EQ(ours.idle, truth.idleNs);
  EXPECT_EQ(ours.compute, truth.computeNs);
  EXPECT_EQ(ours.communication, truth.communicationNs);
  EXPECT_EQ(ours.overlap, truth.overlapNs);
  EXPECT_EQ(ours.exposedCommunication, truth.communicationNs - truth.overlapNs);
  EXPECT_EQ(ours.memory, truth.memoryNs);
  // Without marks they are found all the same, by the phases that the job annotates.
  EXPECT_EQ(ours.steps, truth.steps.empty() ? kSteps : static_cast<std::int64_t>(truth.steps.size()));
}

void compareSteps(const std::vector<Step>& ours, const FileTruth& truth) {
  ASSERT_EQ(ours.size(), truth.steps.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].number, truth.steps[i].number);
    EXPECT_EQ(ours[i].range.begin, truth.steps[i].beginNs);
    EXPECT_EQ(ours[i].range.length(), truth.steps[i].durationNs);
  }
}

void compareKernels(const Analysis& analysis, RankIndex rank, const FileTruth& truth) {
  using Sums = std::map<std::pair<std::string, char>, std::pair<std::int64_t, TimeNs>>;
  Sums ours;
  for (const KernelStatistics& kernel : analysis.kernels(rank)) {
    const char kind = "PCM"[static_cast<std::size_t>(kernel.deviceClass)];
    ours[{std::string(analysis.trace().names()[kernel.name]), kind}] = {kernel.calls, kernel.total};
  }
  Sums expected;
  for (const test::NameTruth& name : truth.names)
    expected[{name.name, name.kind}] = {name.calls, name.totalNs};
  EXPECT_EQ(ours, expected);
}

class SyntheticFigures : public testing::TestWithParam<test::JobVariant> {};

} // namespace

TEST_P(SyntheticFigures, areWhatTheJobSaysOfItself) {
  const test::TemporaryFolder folder;
  JobOptions options;
  options.steps = kSteps;
  options.layers = 2;
  options.straggler = {1, 2'000'000, 1, test::StragglerKind::Compute};
  GetParam().set(options);
  const JobTruth truth = generateJob(options, folder.path());
  const Analysis analysis = analysisOf(folder.path());
  ASSERT_EQ(analysis.trace().ranks().size(), truth.files.size());
  for (std::size_t i = 0; i < truth.files.size(); ++i) {
    const RankIndex rank(i);
    const RankEntry& entry = analysis.trace().rank(rank);
    SCOPED_TRACE(truth.files[i].file);
    EXPECT_TRUE(analysis.trace().file(entry.file).path.ends_with(truth.files[i].file));
    EXPECT_EQ(entry.rank, truth.files[i].rank);
    EXPECT_EQ(entry.trace->fileEvents, static_cast<std::uint64_t>(truth.files[i].events));
    EXPECT_EQ(analysis.activity(rank).span, (TimeRange{truth.files[i].firstNs, truth.files[i].lastNs}));
    compareFigures(analysis.statistics(rank), truth.files[i]);
    compareSteps(analysis.steps(rank), truth.files[i]);
    compareKernels(analysis, rank, truth.files[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SyntheticFigures, testing::ValuesIn(test::jobVariants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

} // namespace rankscope
