// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix of arrivals against the table of instances and against jobs in which one rank was made late; and
// the sums of collectives against the promised table.
#include "core/report/arrival_matrix.h"

#include "core/analysis/job/scope.h"
#include "core/io/load/trace_loader.h"
#include "core/report/collective_totals_table.h"
#include "core/report/collectives_table.h"
#include "core/report/process_groups.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

namespace rankscope {

namespace {

std::shared_ptr<const TraceSet> loadFolder(const std::filesystem::path& folder) {
  Progress progress;
  auto loaded = loadTraces({folder.string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return *loaded;
}

std::unique_ptr<Analysis> analysisOf(const test::JobOptions& options) {
  const test::TemporaryFolder folder;
  generateJob(options, folder.path());
  return std::make_unique<Analysis>(loadFolder(folder.path()));
}

test::JobOptions lateRank(int ranks, int rank) {
  test::JobOptions options;
  options.ranks = ranks;
  options.layers = 2;
  options.steps = 3;
  options.straggler = {
      .rank = rank, .extraNs = 2'000'000, .fromStep = 0, .kind = test::StragglerKind::Compute};
  return options;
}

std::int64_t wholeAt(const ResultTable& table, std::size_t row, std::string_view column) {
  const Cell cell = table.at(row, *table.columnNamed(column));
  return std::holds_alternative<std::int64_t>(cell) ? std::get<std::int64_t>(cell) : 0;
}

std::int64_t sumOf(const ResultTable& table, std::string_view column) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < table.rowCount(); ++row) sum += wholeAt(table, row, column);
  return sum;
}

} // namespace

TEST(ArrivalMatrix, columnsAreTheInstancesOfTheTableWithTheirSkew) {
  const auto analysis = analysisOf(lateRank(4, 2));
  const std::vector<GroupCategory> categories = groupCategories(*analysis);
  ASSERT_EQ(categories.size(), 1U);
  const ArrivalMatrix matrix(*analysis, categories.front());
  const ResultTable table = collectiveInstancesTable(*analysis);
  ASSERT_EQ(matrix.columnCount(), table.rowCount());
  ASSERT_EQ(matrix.rows().size(), 4U);
  for (std::size_t column = 0; column < matrix.columnCount(); ++column) {
    float minimum = 1e18F;
    float maximum = -1;
    for (std::size_t row = 0; row < 4; ++row) {
      minimum = std::min(minimum, matrix.lateness(column, row));
      maximum = std::max(maximum, matrix.lateness(column, row));
    }
    EXPECT_EQ(minimum, 0) << "somebody is the first";
    EXPECT_EQ(maximum, static_cast<float>(wholeAt(table, column, "skew_us")));
  }
}

TEST(ArrivalMatrix, theRankThatWasMadeLateIsTheLatestRow) {
  const auto analysis = analysisOf(lateRank(16, 11));
  const ArrivalMatrix matrix(*analysis, groupCategories(*analysis).front());
  std::vector<double> late(matrix.rows().size());
  for (std::size_t column = 0; column < matrix.columnCount(); ++column)
    for (std::size_t row = 0; row < late.size(); ++row)
      late[row] += static_cast<double>(matrix.lateness(column, row));
  EXPECT_EQ(std::ranges::max_element(late) - late.begin(), 11);
  EXPECT_GT(matrix.scaleTop(), 0);
}

TEST(ArrivalMatrix, aPlaceIsTheParticipantThatTheCellIsOf) {
  test::JobOptions options = lateRank(8, 3);
  options.parallelism = test::Parallelism::Tensor;
  options.tensorRanks = 2;
  const auto analysis = analysisOf(options);
  const CollectiveMatch& match = analysis->collectives().match;
  for (const GroupCategory& category : groupCategories(*analysis)) {
    const ArrivalMatrix matrix(*analysis, category);
    ASSERT_EQ(matrix.rows().size(), 8U);
    for (std::size_t column = 0; column < matrix.columnCount(); ++column)
      for (std::size_t row = 0; row < 8; ++row) {
        const auto place = matrix.placeOf(match, column, row);
        ASSERT_TRUE(place.has_value());
        EXPECT_EQ(place->part->rank, matrix.rows()[row]);
        EXPECT_EQ(static_cast<float>(place->part->range.begin - place->instance->firstBegin),
                  matrix.lateness(column, row));
      }
  }
}

TEST(ArrivalMatrix, theFirstCollectiveShowsWhenRecordingsBegan) {
  HandMadeJob job;
  for (int rank = 0; rank < 2; ++rank) {
    HandMadeRank events;
    for (int call = 0; call < 4; ++call) {
      const TimeNs late = rank == 0 ? 0 : call == 0 ? 300'000 : 1'000;
      events.collective(20, TimeNs{call} * 1'000'000 + late, 500'000 - late,
                        "ncclDevKernel_AllReduce_Sum_f32");
    }
    job.add(rank, std::move(events));
  }
  const Analysis analysis(job.build());
  const ArrivalMatrix matrix(analysis, groupCategories(analysis).front());
  ASSERT_EQ(matrix.columnCount(), 4U);
  EXPECT_EQ(matrix.startSkew(), 300'000);
  for (std::size_t column = 0; column < 4; ++column)
    for (std::size_t row = 0; row < 2; ++row)
      EXPECT_EQ(matrix.placeOf(analysis.collectives().match, column, row)->ofStart, column == 0);

  const auto late = analysisOf(lateRank(4, 2));
  EXPECT_EQ(ArrivalMatrix(*late, groupCategories(*late).front()).startSkew(), 0);
}

TEST(ArrivalMatrix, groupsOfOneKindStandTogether) {
  test::JobOptions options = lateRank(8, 3);
  options.parallelism = test::Parallelism::Tensor;
  options.tensorRanks = 2;
  const auto analysis = analysisOf(options);
  const std::vector<GroupCategory> categories = groupCategories(*analysis);
  ASSERT_EQ(categories.size(), 2U);
  std::set<std::pair<ParallelDimension, std::size_t>> kinds;
  for (const GroupCategory& category : categories) kinds.insert({category.dimension, category.groups.size()});
  EXPECT_EQ(kinds, (std::set<std::pair<ParallelDimension, std::size_t>>{{ParallelDimension::Tensor, 4},
                                                                        {ParallelDimension::Data, 2}}));
  EXPECT_GE(categories[0].lateness, categories[1].lateness);
}

TEST(ArrivalMatrix, sendsAndReceivesAreAFamilyOfTheirOwn) {
  const Analysis analysis(loadFolder(std::filesystem::path(RANKSCOPE_SOURCE_DIR) /
                                     "tests/fixtures/captures/torch-2.14.1/collectives4"));
  const std::vector<GroupCategory> categories = groupCategories(analysis);
  const auto pairs = std::ranges::count(categories, true, &GroupCategory::pointToPoint);
  EXPECT_EQ(pairs, 1);
  for (const GroupCategory& category : categories)
    for (const InstanceIndex index : category.instances)
      EXPECT_EQ(isPointToPoint(analysis.collectives().match.instance(index).operation),
                category.pointToPoint);
}

TEST(ArrivalMatrix, aRangeHasTheInstancesOfItsTable) {
  const auto whole = analysisOf(lateRank(4, 2));
  const JobRange all = whole->extent();
  const Analysis part(*whole, scopeOfRange(*whole, {all.begin, all.begin + all.length() / 2}));
  const ArrivalMatrix matrix(part, groupCategories(part).front());
  EXPECT_EQ(matrix.columnCount(), collectiveInstancesTable(part).rowCount());
  EXPECT_LT(matrix.columnCount(), collectiveInstancesTable(*whole).rowCount());
}

TEST(ArrivalMatrix, aRankHasOneRowForItsCaptures) {
  test::JobOptions options = lateRank(4, 2);
  const auto once = analysisOf(options);
  options.captures = 3;
  const auto often = analysisOf(options);
  const auto ofOnce = groupCategories(*once);
  const auto ofOften = groupCategories(*often);
  ASSERT_EQ(ofOnce.size(), 1U);
  ASSERT_EQ(ofOften.size(), 1U) << "one entry of the group, not one a capture";
  const ArrivalMatrix single(*once, ofOnce.front());
  const ArrivalMatrix matrix(*often, ofOften.front());
  ASSERT_EQ(matrix.rows().size(), 4U);
  EXPECT_EQ(matrix.columnCount(), 3 * single.columnCount());
  for (const RankIndex rank : often->ranks())
    EXPECT_EQ(matrix.rowOf(rank), std::size_t(often->trace().rank(rank).rank));
  const CollectiveMatch& match = often->collectives().match;
  std::optional<JobTime> before;
  for (std::size_t column = 0; column < matrix.columnCount(); ++column) {
    ASSERT_EQ(matrix.instances(column).size(), 1U);
    const CollectiveInstance& instance = match.instance(matrix.instances(column).front());
    if (before) {
      EXPECT_TRUE(*before < instance.firstBegin) << "captures follow each other";
    }
    before = instance.firstBegin;
    for (std::size_t row = 0; row < 4; ++row) {
      const auto place = matrix.placeOf(match, column, row);
      ASSERT_TRUE(place);
      EXPECT_EQ(often->trace().rank(place->part->rank).rank, static_cast<int>(row));
      EXPECT_EQ(matrix.lateness(column, row),
                static_cast<float>(place->part->range.begin - instance.firstBegin));
    }
  }
}

TEST(ArrivalMatrix, aSingleRankHasNone) {
  EXPECT_TRUE(groupCategories(*analysisOf(lateRank(1, -1))).empty());
}

TEST(CollectiveTotals, sumToWhatTheCollectivesTableSays) {
  const auto analysis = analysisOf(lateRank(4, 2));
  const ResultTable promised = collectivesTable(*analysis);
  const ResultTable byRank = collectivesByRankTable(*analysis);
  const ResultTable totals = collectiveTotalsTable(*analysis);
  ASSERT_EQ(byRank.rowCount(), promised.rowCount());
  for (const char* column : {"calls", "bytes", "total_us", "wait_us", "transfer_us", "exposed_us"})
    EXPECT_EQ(sumOf(byRank, column), sumOf(promised, column)) << column;
  ASSERT_EQ(totals.rowCount(), 1U);
  EXPECT_EQ(wholeAt(totals, 0, "calls"),
            static_cast<std::int64_t>(collectiveInstancesTable(*analysis).rowCount()));
  EXPECT_EQ(wholeAt(totals, 0, "ranks"), 4);
  for (const char* column : {"total_us", "wait_us", "transfer_us", "exposed_us"})
    EXPECT_NEAR(static_cast<double>(wholeAt(totals, 0, column)),
                static_cast<double>(sumOf(promised, column)) / 4, 1)
        << column;
}

TEST(CollectiveTotals, countRanksAndNotTheirCaptures) {
  test::JobOptions options = lateRank(4, 2);
  options.captures = 3;
  const auto analysis = analysisOf(options);
  ASSERT_EQ(analysis->ranks().size(), 12U);
  const ResultTable totals = collectiveTotalsTable(*analysis);
  ASSERT_EQ(totals.rowCount(), 1U);
  EXPECT_EQ(wholeAt(totals, 0, "ranks"), 4);
  EXPECT_NEAR(static_cast<double>(wholeAt(totals, 0, "total_us")),
              static_cast<double>(sumOf(collectivesTable(*analysis), "total_us")) / 4, 1)
      << "of a rank in all its captures, as the number of calls is";
}

TEST(CollectiveTotals, aRowsOccurrencesAreItsCalls) {
  const Analysis analysis(loadFolder(std::filesystem::path(RANKSCOPE_SOURCE_DIR) /
                                     "tests/fixtures/captures/torch-2.14.1/collectives4"));
  for (const ResultTable& table : {collectiveTotalsTable(analysis), collectivesByRankTable(analysis)}) {
    ASSERT_GT(table.rowCount(), 3U);
    for (std::size_t row = 0; row < table.rowCount(); ++row) {
      const CollectiveRowKey key = collectiveRowKey(table, row);
      const auto calls = occurrencesOf(analysis, key);
      EXPECT_EQ(static_cast<std::int64_t>(calls.size()), wholeAt(table, row, "calls"))
          << table.name() << " " << key.operation;
      const auto beginOf = [&](const CollectiveOccurrence& at) {
        return analysis.collectives().match.instance(at.instance).firstBegin;
      };
      EXPECT_TRUE(std::ranges::is_sorted(calls, {}, beginOf));
    }
  }
}

TEST(ProcessGroupsTable, hasEveryGroupOnceWithItsRanks) {
  test::JobOptions options = lateRank(8, 3);
  options.parallelism = test::Parallelism::Tensor;
  options.tensorRanks = 2;
  const auto analysis = analysisOf(options);
  const ResultTable table = processGroupsTable(*analysis);
  std::set<std::string> ranks;
  for (std::size_t row = 0; row < table.rowCount(); ++row)
    ranks.insert(exactText(table, row, *table.columnNamed("ranks")));
  for (const char* text : {"0, 1", "2, 3", "4, 5", "6, 7", "0, 2, 4, 6", "1, 3, 5, 7"})
    EXPECT_TRUE(ranks.contains(text)) << text;
  EXPECT_EQ(sumOf(table, "collectives"),
            static_cast<std::int64_t>(collectiveInstancesTable(*analysis).rowCount()));
}

} // namespace rankscope
