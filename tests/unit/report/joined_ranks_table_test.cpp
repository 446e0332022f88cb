// SPDX-License-Identifier: GPL-3.0-or-later
// What the captures of a rank are together, in the tables and charts that have one row per rank.
#include "core/report/joined_ranks_table.h"

#include "core/report/account_table.h"
#include "core/report/collective_totals_table.h"
#include "core/report/collectives_table.h"
#include "core/report/process_groups.h"
#include "core/report/rank_shares.h"
#include "core/report/report_charts.h"
#include "core/report/steps_table.h"
#include "core/report/tables.h"
#include "core/report/timeline_drawing.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/opened_trace.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>

namespace rankscope {

namespace {

constexpr int kJoinedRanks = 4;
constexpr int kJoinedCaptures = 3;
constexpr int kLateRank = 2;

class JoinedCaptures : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::JobOptions options;
    options.ranks = kJoinedRanks;
    options.captures = kJoinedCaptures;
    options.layers = 2;
    options.steps = 4;
    options.straggler = {
        .rank = kLateRank, .extraNs = 3'000'000, .fromStep = 0, .kind = test::StragglerKind::Compute};
    const test::TemporaryFolder folder;
    generateJob(options, folder.path());
    s_analysis = std::make_shared<const Analysis>(test::loadJob(folder.path().string()));
    s_report = std::make_unique<const JobReport>(s_analysis);
  }
  static void TearDownTestSuite() {
    s_report.reset();
    s_analysis.reset();
  }

  static double numberAt(const ResultTable& table, std::size_t row, std::string_view column) {
    const Cell cell = table.at(row, *table.columnNamed(column));
    if (const auto* const whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
    const auto* const number = std::get_if<double>(&cell);
    return number != nullptr ? *number : -1;
  }
  // Of the rows of a rank.
  static std::vector<double> numbersOf(const ResultTable& table, int rank, std::string_view column) {
    std::vector<double> numbers;
    for (std::size_t row = 0; row < table.rowCount(); ++row)
      if (numberAt(table, row, "rank") == rank) numbers.push_back(numberAt(table, row, column));
    return numbers;
  }
  static double sumOf(const std::vector<double>& numbers) {
    double sum = 0;
    for (const double number : numbers) sum += number;
    return sum;
  }

  static std::shared_ptr<const Analysis> s_analysis;
  static std::unique_ptr<const JobReport> s_report;
};

std::shared_ptr<const Analysis> JoinedCaptures::s_analysis;
std::unique_ptr<const JobReport> JoinedCaptures::s_report;

} // namespace

TEST_F(JoinedCaptures, haveOneRowPerRankWithTheirSums) {
  const ResultTable each = ranksTable(*s_analysis);
  const ResultTable joined = joinedRanksTable(*s_analysis);
  ASSERT_EQ(each.rowCount(), std::size_t{kJoinedRanks * kJoinedCaptures});
  ASSERT_EQ(joined.rowCount(), std::size_t{kJoinedRanks});
  EXPECT_FALSE(joined.columnNamed("capture"));
  for (int rank = 0; rank < kJoinedRanks; ++rank) {
    const auto row = static_cast<std::size_t>(rank);
    EXPECT_EQ(numberAt(joined, row, "rank"), rank);
    for (const char* column :
         {"steps", "events", "gpu_span_us", "compute_us", "communication_us", "overlap_us",
          "exposed_communication_us", "idle_us", "wait_us", "transfer_us", "collectives"})
      EXPECT_EQ(numberAt(joined, row, column), sumOf(numbersOf(each, rank, column))) << column;
    for (const char* column : {"peak_allocated_bytes", "peak_reserved_bytes"})
      EXPECT_EQ(numberAt(joined, row, column), std::ranges::max(numbersOf(each, rank, column))) << column;
    EXPECT_EQ(numberAt(joined, row, "straggler"), rank == kLateRank ? 1 : 0);
  }
}

TEST_F(JoinedCaptures, haveMeansOverTheKeptStepsOfAll) {
  const ResultTable joined = joinedRanksTable(*s_analysis);
  const ResultTable steps = stepsTable(*s_analysis);
  const auto means = joinedRecordings(s_analysis->trace(), rankShares(*s_analysis, ShareOver::StepMean),
                                      ShareOver::StepMean);
  for (int rank = 0; rank < kJoinedRanks; ++rank) {
    const auto row = static_cast<std::size_t>(rank);
    double sum = 0;
    double count = 0;
    for (std::size_t step = 0; step < steps.rowCount(); ++step) {
      if (numberAt(steps, step, "rank") != rank || numberAt(steps, step, "kept") != 1) continue;
      sum += numberAt(steps, step, "duration_us");
      ++count;
    }
    ASSERT_GT(count, 4) << "steps of several captures";
    EXPECT_NEAR(numberAt(joined, row, "step_mean_us"), sum / count, 1);
    const RankShare& share = means[row];
    EXPECT_NEAR(numberAt(joined, row, "step_mean_us"),
                static_cast<double>(share.compute() + share.exposed + share.other), 3)
        << "as the bars beside it";
    EXPECT_NEAR(numberAt(joined, row, "overlap_pct"),
                100 * numberAt(joined, row, "overlap_us") / numberAt(joined, row, "communication_us"), 1e-9);
    EXPECT_GT(numberAt(joined, row, "gpu_utilization_pct"), 0);
    EXPECT_LE(numberAt(joined, row, "gpu_utilization_pct"), 100);
    if (rank == kLateRank)
      EXPECT_GT(numberAt(joined, row, "slowdown"), 1.2);
    else
      EXPECT_NEAR(numberAt(joined, row, "slowdown"), 1, 0.1);
  }
  EXPECT_GT(numberAt(joined, kLateRank, "z_score"), 1);
}

TEST_F(JoinedCaptures, ofOneCaptureAreItsRows) {
  const Analysis part(*s_analysis, [] {
    AnalysisScope scope;
    for (const RankIndex rank : s_analysis->ranks()) {
      if (s_analysis->trace().rank(rank).capture != 2) continue;
      scope.ranks.push_back(rank);
      scope.windows.push_back(kWholeRecording);
    }
    return scope;
  }());
  const ResultTable each = ranksTable(part);
  const ResultTable joined = joinedRanksTable(part);
  ASSERT_EQ(joined.rowCount(), std::size_t{kJoinedRanks});
  ASSERT_EQ(joined.columns(), each.columns());
  for (std::size_t row = 0; row < each.rowCount(); ++row)
    for (std::size_t column = 0; column < each.columns().size(); ++column)
      EXPECT_EQ(exactText(joined, row, column), exactText(each, row, column)) << each.columns()[column].name;
}

TEST_F(JoinedCaptures, areOneProcessGroupAndOneRowOfCollectivesPerRank) {
  const ResultTable groups = processGroupsTable(*s_analysis);
  ASSERT_EQ(groups.rowCount(), 1U);
  EXPECT_EQ(numberAt(groups, 0, "collectives"),
            static_cast<double>(collectiveInstancesTable(*s_analysis).rowCount()));
  const ResultTable each = collectivesTable(*s_analysis);
  const ResultTable byRank = collectivesByRankTable(*s_analysis);
  ASSERT_EQ(byRank.rowCount(), std::size_t{kJoinedRanks});
  for (int rank = 0; rank < kJoinedRanks; ++rank) {
    const auto row = static_cast<std::size_t>(rank);
    for (const char* column : {"calls", "bytes", "total_us", "wait_us", "transfer_us", "exposed_us"})
      EXPECT_EQ(numberAt(byRank, row, column), sumOf(numbersOf(each, rank, column))) << column;
    const std::vector<double> speeds = numbersOf(each, rank, "busbw_gb_s");
    EXPECT_GE(numberAt(byRank, row, "busbw_gb_s"), std::ranges::min(speeds));
    EXPECT_LE(numberAt(byRank, row, "busbw_gb_s"), std::ranges::max(speeds));
    EXPECT_EQ(static_cast<double>(occurrencesOf(*s_analysis, collectiveRowKey(byRank, row)).size()),
              numberAt(byRank, row, "calls"));
  }
  double waits = 0;
  for (int rank = 0; rank < kJoinedRanks; ++rank) waits += sumOf(numbersOf(each, rank, "wait_us"));
  EXPECT_NEAR(numberAt(groups, 0, "wait_us"), waits / kJoinedRanks, 1);
}

TEST_F(JoinedCaptures, areOneRankOfTheAccount) {
  const AccountView mean = accountView(*s_report, {});
  EXPECT_EQ(mean.ranks, std::size_t{kJoinedRanks});
  EXPECT_EQ(mean.recordings, std::size_t{kJoinedRanks * kJoinedCaptures});
  const ResultTable joined = joinedRanksTable(*s_analysis);
  for (const RankIndex rank : s_analysis->ranks()) {
    const AccountView view = accountView(*s_report, {rank, std::nullopt});
    EXPECT_EQ(view.ranks, 1U);
    EXPECT_EQ(view.recordings, std::size_t{kJoinedCaptures});
    EXPECT_EQ(accountSteps(*s_report, rank).size(), std::size_t{kJoinedCaptures * 4});
    const auto row = static_cast<std::size_t>(s_analysis->trace().rank(rank).rank);
    EXPECT_NEAR(view.stepTime, numberAt(joined, row, "step_mean_us"), 1);
  }
}

TEST_F(JoinedCaptures, areOneBarOfTheReport) {
  const std::vector<ReportChart> charts = reportCharts(*s_report);
  const auto chartOf = [&](std::string_view title) -> const ReportChart& {
    return *std::ranges::find(charts, title, &ReportChart::title);
  };
  const auto count = [](const std::string& text, std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(chartOf("Ranks").svg, ">rank "), std::size_t{kJoinedRanks});
  EXPECT_EQ(chartOf("Ranks").caption, "mean over steps of 3 captures");
  for (const std::string& svg : {chartOf("Steps").svg, chartOf("Steps").narrow}) {
    EXPECT_EQ(count(svg, ", capture "), std::size_t{kJoinedCaptures * 4});
    EXPECT_EQ(count(svg, "…"), 0U) << "labels are whole";
    EXPECT_GT(count(svg, "(not in means)"), 0U) << "the longest ones";
  }
}

TEST_F(JoinedCaptures, haveNamesInTheTimelineOfTheReport) {
  Finding everywhere = s_report->findings().front();
  everywhere.place = s_analysis->extent();
  const auto whole = timelineDrawing(*s_report, &everywhere);
  ASSERT_TRUE(whole);
  EXPECT_NE(whole->svg.find(">rank 0 (2)<"), std::string::npos);
  EXPECT_NE(whole->caption.find("the capture of a rank is in parentheses"), std::string::npos)
      << whole->caption;
  const auto ofFinding = timelineDrawing(*s_report, &s_report->findings().front());
  ASSERT_TRUE(ofFinding);
  EXPECT_NE(ofFinding->caption.find("; capture "), std::string::npos) << ofFinding->caption;
  EXPECT_NE(ofFinding->svg.find(">rank 2<"), std::string::npos);
}

} // namespace rankscope
