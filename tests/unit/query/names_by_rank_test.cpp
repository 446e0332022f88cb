// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of names divided by rank (core/query/names_by_rank), and the tables that show them and what they are
// taken from (core/report/range_tables, core/report/hits_table).
#include "core/query/event_search.h"
#include "core/query/names_by_rank.h"
#include "core/report/hits_table.h"
#include "core/report/range_tables.h"
#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace rankscope {

namespace {

const std::atomic<bool> kGoOn{false};

// Rank 0 runs gemm twice; rank 2 once, longer; only rank 0 copies.
std::shared_ptr<const TraceSet> twoRanks() {
  HandMadeJob job;
  HandMadeRank first;
  first.kernel(7, 1000, 100, "gemm").kernel(7, 2000, 50, "gemm").device(EventKind::Copy, 9, 2500, 10, "copy");
  first.op(900, 40, "gemm"); // of another kind
  HandMadeRank second;
  second.kernel(7, 1500, 400, "gemm");
  job.add(0, std::move(first)).add(2, std::move(second));
  return job.build();
}

RangeStatistics statisticsOf(const TraceSet& traces, TimeRange range) {
  return rangeStatistics(traces, {range, {}}, 2, kGoOn).value();
}

std::vector<WantedName> allNames(const RangeStatistics& statistics) {
  std::vector<WantedName> wanted;
  for (const NameSums& sums : statistics.names) wanted.push_back({sums.name, sums.kind});
  return wanted;
}

SearchHits hitsOf(const TraceSet& traces, std::string_view query) {
  return findEvents(traces, searchQueryFromText(query).value(), 2, kGoOn);
}

std::vector<std::string> textsOf(const ResultTable& table, std::size_t row) {
  std::vector<std::string> texts;
  for (std::size_t column = 0; column < table.columns().size(); ++column)
    texts.push_back(exactText(table, row, column));
  return texts;
}

using Texts = std::vector<std::string>;

} // namespace

TEST(NamesByRank, sumUpToWhatTheNamesHave) {
  const auto job = twoRanks();
  for (const TimeRange range : {kAllTime, TimeRange{950, 1600}, TimeRange{2020, 2600}}) {
    const RangeStatistics statistics = statisticsOf(*job, range);
    const auto rows = rangeNamesByRank(*job, statistics, allNames(statistics), 2, kGoOn);
    ASSERT_TRUE(rows);
    for (const NameSums& whole : statistics.names) {
      std::uint64_t count = 0;
      TimeNs total = 0;
      for (const RankNameSums& row : *rows) {
        if (row.of.name != whole.name || row.of.kind != whole.kind) continue;
        count += row.of.sums.count;
        total += row.of.sums.total;
        EXPECT_GT(row.of.sums.count, 0U) << "a rank without events is left out";
      }
      EXPECT_EQ(count, whole.sums.count);
      EXPECT_EQ(total, whole.sums.total);
    }
  }
}

TEST(NamesByRank, standInTheOrderAskedForThenByRank) {
  const auto job = twoRanks();
  const RangeStatistics statistics = statisticsOf(*job, kAllTime);
  std::vector<WantedName> wanted = allNames(statistics);
  for (const bool backwards : {false, true}) {
    if (backwards) std::ranges::reverse(wanted);
    const auto rows = rangeNamesByRank(*job, statistics, wanted, 1, kGoOn);
    ASSERT_TRUE(rows);
    std::vector<std::pair<std::size_t, RankIndex>> places;
    for (const RankNameSums& row : *rows) {
      const auto at = std::ranges::find(wanted, WantedName{row.of.name, row.of.kind});
      ASSERT_NE(at, wanted.end());
      places.emplace_back(at - wanted.begin(), row.rank);
    }
    EXPECT_TRUE(std::ranges::is_sorted(places));
    EXPECT_EQ(places.size(), 4U) << "gemm on two ranks, the operator and the copy on one";
  }
}

TEST(NamesByRank, ofHitsAreOfTheHitsAlone) {
  const auto job = twoRanks();
  const SearchHits hits = hitsOf(*job, "gemm kind:kernel dur>60ns");
  const RangeStatistics statistics = hitStatistics(*job, hits, 2, kGoOn).value();
  const auto rows = hitNamesByRank(*job, hits, statistics, allNames(statistics), 2, kGoOn);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].of.sums.total, 100);
  EXPECT_EQ((*rows)[1].of.sums.total, 400);
}

TEST(NamesByRank, areNothingWhenToldToStop) {
  const auto job = twoRanks();
  const RangeStatistics statistics = statisticsOf(*job, kAllTime);
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(rangeNamesByRank(*job, statistics, allNames(statistics), 2, stop));
  const SearchHits hits = hitsOf(*job, "gemm");
  EXPECT_FALSE(hitNamesByRank(*job, hits, statistics, allNames(statistics), 2, stop));
}

TEST(RangeTables, carryTheStatisticsExactly) {
  const auto job = twoRanks();
  const RangeStatistics statistics = statisticsOf(*job, {1000, 2025});
  const ResultTable names = rangeNamesTable(*job, statistics);
  ASSERT_EQ(names.rowCount(), 1U);
  // Rank 0: 100 and half of 50; rank 2: 400.
  EXPECT_EQ(textsOf(names, 0),
            (Texts{"gemm", "kernel", "3", "0.525", "0.525", "0.175", "0.025", "0.4", "1"}));
  const ResultTable kinds = rangeKindsTable(statistics);
  ASSERT_EQ(kinds.rowCount(), 1U);
  EXPECT_EQ(exactText(kinds, 0, *kinds.columnNamed("busy_us")), "0.525");
  EXPECT_EQ(exactText(kinds, 0, *kinds.columnNamed("busy_pct")), "25.61") << "of both ranks' time";
  const ResultTable ranks = rangeRanksTable(*job, statistics);
  ASSERT_EQ(ranks.rowCount(), 2U);
  EXPECT_EQ(exactText(ranks, 1, *ranks.columnNamed("rank")), "2");
  EXPECT_EQ(exactText(ranks, 1, *ranks.columnNamed("compute_us")), "0.4");
  EXPECT_EQ(exactText(ranks, 1, *ranks.columnNamed("exposed_us")), "0");
  const auto rows = rangeNamesByRank(*job, statistics, allNames(statistics), 1, kGoOn);
  ASSERT_TRUE(rows);
  const ResultTable byRank = rangeNamesByRankTable(*job, *rows);
  ASSERT_EQ(byRank.rowCount(), 2U);
  EXPECT_EQ(textsOf(byRank, 0),
            (Texts{"gemm", "kernel", "0", "1", "2", "0.125", "0.125", "0.063", "0.025", "0.1", "1"}));
  EXPECT_EQ(textsOf(byRank, 1),
            (Texts{"gemm", "kernel", "2", "1", "1", "0.4", "0.4", "0.4", "0.4", "0.4", "0"}));
}

TEST(HitsTable, namesEachHitAndWhereItLies) {
  const auto job = twoRanks();
  const SearchHits hits = hitsOf(*job, "kind:kernel,copy");
  std::vector<EventRef> refs;
  for (std::size_t rank = 0; rank < hits.ranks.size(); ++rank) {
    for (const EventIndex event : hits.ranks[rank]->byTime) refs.push_back({RankIndex(rank), event});
  }
  std::ranges::reverse(refs);
  const ResultTable table = hitsTable(*job, refs);
  ASSERT_EQ(table.rowCount(), 4U);
  // The first event of the job begins at 900.
  EXPECT_EQ(textsOf(table, 0), (Texts{"0.6", "0.4", "gemm", "kernel", "2", "1", "node0", "0", "7"}));
  EXPECT_EQ(textsOf(table, 1), (Texts{"1.6", "0.01", "copy", "memcpy", "0", "1", "node0", "0", "9"}));
  EXPECT_EQ(textsOf(table, 3), (Texts{"0.1", "0.1", "gemm", "kernel", "0", "1", "node0", "0", "7"}));
}

} // namespace rankscope
