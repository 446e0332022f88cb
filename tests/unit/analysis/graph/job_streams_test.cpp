// SPDX-License-Identifier: GPL-3.0-or-later
// Generated jobs with rows of synchronization and with a second compute stream: the graph knows waits that
// were recorded, finds nearly the same path without them, and predicts a job of two streams without its
// straggler.
#include "tests/support/job_streams.h"

#include "core/analysis/graph/what_if.h"
#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace rankscope {

namespace {

struct Job {
  Job(const test::JobOptions& options, const test::StreamOptions& streams) {
    const test::TemporaryFolder folder;
    truth = test::generateJob(options, streams, folder.path());
    Progress progress;
    auto loaded = loadTraces({folder.path().string()}, {}, progress);
    trace = loaded.ok() ? *loaded : nullptr;
    report = std::make_unique<JobReport>(std::make_shared<const Analysis>(trace));
  }
  [[nodiscard]] const WhatIf& whatIf() const { return report->whatIf(2); }
  [[nodiscard]] std::size_t edges(GraphEdge kind) const {
    return static_cast<std::size_t>(std::ranges::count(whatIf().graph().kinds, kind));
  }
  [[nodiscard]] CategoryTimes categories() const {
    CategoryTimes sum;
    for (const WindowPath& window : whatIf().path().windows) {
      const CategoryTimes of = categoryTimes(window.segments);
      for (std::size_t i = 0; i < kPathCategoryCount; ++i) sum.of[i] += of.of[i];
    }
    return sum;
  }

  test::JobTruth truth;
  std::shared_ptr<const TraceSet> trace;
  std::unique_ptr<JobReport> report;
};

test::JobOptions options() {
  test::JobOptions job;
  job.steps = 4;
  job.layers = 6;
  job.seed = 5;
  return job;
}

void expectRecording(const WhatIf& whatIf) {
  const MaxPlusGraph& graph = whatIf.graph().graph;
  EXPECT_EQ(replayedTimes(graph, graph.lags), graph.time);
  for (const WindowPath& path : whatIf.path().windows)
    EXPECT_EQ(categoryTimes(path.segments).total(), whatIf.graph().windows[path.window].range.length());
}

} // namespace

TEST(JobStreams, syncRowsChangeNothingButWhatIsKnown) {
  const Job without(options(), {});
  const Job with(options(), {.syncRows = true});
  ASSERT_NE(with.trace, nullptr);
  EXPECT_EQ(without.edges(GraphEdge::Event), 0U);
  EXPECT_GT(with.edges(GraphEdge::Event), 0U);
  expectRecording(with.whatIf());
  EXPECT_EQ(with.whatIf().base(), without.whatIf().base());
  // Each category of the path within 1 % of the windows.
  const CategoryTimes inferred = without.categories(), recorded = with.categories();
  const auto whole = static_cast<double>(recorded.total());
  for (std::size_t i = 0; i < kPathCategoryCount; ++i)
    EXPECT_NEAR(static_cast<double>(recorded.of[i]), static_cast<double>(inferred.of[i]), 0.01 * whole)
        << pathCategoryText(static_cast<PathCategory>(i));
}

TEST(JobStreams, aSecondComputeStreamIsPredictedWithoutItsStraggler) {
  for (const bool rows : {false, true}) {
    test::JobOptions job = options();
    job.straggler = {2, 5'000'000, 0, test::StragglerKind::Compute};
    const Job slow(job, {.syncRows = rows, .secondStream = true});
    job.straggler = {};
    const Job healthy(job, {.syncRows = rows, .secondStream = true});
    expectRecording(slow.whatIf());
    // Compute runs on two streams, and the sums know both.
    std::size_t streams = 0;
    for (const Track& track : slow.trace->rank(RankIndex(0)).trace->tracks)
      streams += track.role == StreamRole::Compute ? 1 : 0;
    EXPECT_GE(streams, 2U);
    EXPECT_GT(slow.edges(rows ? GraphEdge::Event : GraphEdge::InferredEvent), 0U);
    const auto scenario = scenarioFromText("rank_as_peers=2");
    const WhatIfAnswer answer = slow.whatIf().answer(*scenario);
    ASSERT_EQ(answer.refused, "");
    const double gain = slow.whatIf().base() - healthy.whatIf().base();
    EXPECT_GT(gain, 3'000'000);
    EXPECT_NEAR(answer.gain, gain, 0.03 * slow.whatIf().base()) << rows;
  }
}

} // namespace rankscope
