// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/steps_table.h"

#include "core/report/gaps_table.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

std::shared_ptr<const TraceSet> jobWithWarmUp() {
  HandMadeRank rank;
  TimeNs begin = 0;
  for (int step = 1; step <= 4; ++step) {
    const TimeNs length = step == 1 ? 500 * kUs : 100 * kUs;
    rank.annotation(begin, length, "ProfilerStep#" + std::to_string(step));
    rank.launched(begin + 2 * kUs, 7, begin + 10 * kUs, length - 20 * kUs, "gemm");
    begin += length;
  }
  return HandMadeJob().add(0, std::move(rank)).build();
}

std::string lastColumn(const ResultTable& table) {
  std::string text;
  for (std::size_t row = 0; row < table.rowCount(); ++row)
    text += exactText(table, row, table.columns().size() - 1) + " ";
  return text;
}

} // namespace

TEST(StepsTable, saysWhichStepsMeansAreMadeOf) {
  const auto job = jobWithWarmUp();
  const Analysis analysis(job);
  EXPECT_EQ(stepsTable(analysis).columns().back().name, "kept");
  EXPECT_EQ(lastColumn(stepsTable(analysis)), "0 1 1 1 ");
  const Analysis all(job, nullptr, {.alignClocks = true, .allSteps = true});
  EXPECT_EQ(lastColumn(stepsTable(all)), "1 1 1 1 ");
}

TEST(StepsTable, judgesTheStepsOfARangeByTheWholeRecording) {
  const auto job = jobWithWarmUp();
  const Analysis whole(job);
  AnalysisScope scope{{RankIndex(0)}, {}};
  const StepWindow& second = whole.stepWindows(RankIndex(0)).steps.at(1);
  scope.windows.push_back(RankRange::of(second.range));
  EXPECT_EQ(lastColumn(stepsTable(Analysis(whole, scope))), "1 ");
}

TEST(GapsTable, saysTheLeafOfTheLargestPart) {
  HandMadeRank rank;
  rank.launched(0, 7, 10 * kUs, 10 * kUs, "a").launched(200 * kUs, 7, 210 * kUs, 10 * kUs, "b");
  // A stream that waits while another one works.
  rank.launched(202 * kUs, 8, 210 * kUs, 10 * kUs, "c").launched(204 * kUs, 8, 240 * kUs, 10 * kUs, "d");
  rank.launched(206 * kUs, 7, 220 * kUs, 30 * kUs, "e");
  const Analysis analysis(HandMadeJob().add(0, std::move(rank)).build());
  const ResultTable table = gapsTable(analysis, jobAccount(analysis, 1));
  ASSERT_EQ(table.columns().back().name, "leaf");
  std::string busy;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    const std::string stream = exactText(table, row, 3);
    if (stream == "8") busy = exactText(table, row, 11);
    if (stream.empty()) {
      EXPECT_EQ(exactText(table, row, 11), "host.dispatch.forward");
    }
  }
  EXPECT_EQ(busy, "");
}

} // namespace rankscope
