// SPDX-License-Identifier: GPL-3.0-or-later
// Which recordings of a rank are which capture, seen through placeFiles.
#include "core/io/placement/capture_order.h"

#include "tests/unit/io/placement/placed_files.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(CaptureOrder, keepTheCyclesOfAGuessedProcessTogether) {
  const Placed placed = place({File("a_9.1760000000000.pt.trace.json").during(0, 5),
                               File("a_9.1760000010000.pt.trace.json").during(10, 15),
                               File("a_10.1760000000000.pt.trace.json").during(0, 5),
                               File("a_10.1760000010000.pt.trace.json").during(10, 15)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 1, 2}));
}

TEST(CaptureOrder, numberTwoCyclesOfOneWorker) {
  const Placed placed = place({File("worker0.1623143566756.pt.trace.json.gz").during(500, 510),
                               File("worker0.1623143089861.pt.trace.json.gz").during(20, 30)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0}));
  EXPECT_EQ(placed.captures(), (Numbers{2, 1}));
}

TEST(CaptureOrder, numberCyclesByTheNamesStampWhenTheTimeIsUnknown) {
  const Placed placed = place({File("worker0.169.pt.trace.json"), File("worker0.163.pt.trace.json")});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.captures(), (Numbers{2, 1}));
}

TEST(CaptureOrder, alignTheCyclesOfTwoRanks) {
  const Placed placed =
      place({File("rank0.1795207713419878151.pt.trace.json.gz").metadata(0, 2).during(0.000, 0.080),
             File("rank0.1795207713523949247.pt.trace.json.gz").metadata(0, 2).during(0.104, 0.184),
             File("rank1.1795207713420244667.pt.trace.json.gz").metadata(1, 2).during(0.001, 0.081),
             File("rank1.1795207713527441947.pt.trace.json.gz").metadata(1, 2).during(0.108, 0.188)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 1, 2}));
}

TEST(CaptureOrder, giveACycleThatARankMissedToNoOther) {
  const Placed placed = place(
      {File("rank0.1000.pt.trace.json").during(0, 5), File("rank0.2000.pt.trace.json").during(10, 15),
       File("rank0.3000.pt.trace.json").during(20, 25), File("rank1.1001.pt.trace.json").during(0, 5),
       File("rank1.3001.pt.trace.json").during(20, 25), File("rank2.2002.pt.trace.json").during(10, 15)});
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 3, 1, 3, 2}));
}

TEST(CaptureOrder, findMoreCyclesThanAnySingleRankHas) {
  const Placed placed = place(
      {File("rank0.1000.pt.trace.json").during(0, 5), File("rank0.2000.pt.trace.json").during(10, 15),
       File("rank1.2001.pt.trace.json").during(10, 15), File("rank1.3001.pt.trace.json").during(20, 25)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 2, 3}));
}

TEST(CaptureOrder, alignCyclesOfHostsWhoseClocksDisagreeByMoreThanACycle) {
  const Placed placed = place(
      {File("rank0.1000.pt.trace.json").during(0, 0.08), File("rank0.2000.pt.trace.json").during(0.1, 0.18),
       File("rank1.1001.pt.trace.json").during(7, 7.08), File("rank1.2001.pt.trace.json").during(7.1, 7.18)});
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 1, 2}));
}

TEST(CaptureOrder, takeTorchtitansIterationsForCaptures) {
  Files files;
  for (const int step : {20, 100}) {
    for (int rank = 0; rank < 2; ++rank) {
      if (step == 20 && rank == 1) continue;
      files.push_back(File("profiling/traces/iteration_" + std::to_string(step) + "/rank" +
                           std::to_string(rank) + "_trace.json.gz"));
    }
  }
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0, 1}));
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 2})) << "rank 1 did not record iteration 20";
}

TEST(CaptureOrder, takeStagesOfSglangOneAfterAnotherForCaptures) {
  Files files;
  for (int tp = 0; tp < 2; ++tp) {
    files.push_back(File("7.5-TP-" + std::to_string(tp) + "-EXTEND.trace.json.gz").during(0, 5));
    files.push_back(File("7.5-TP-" + std::to_string(tp) + "-DECODE.trace.json.gz").during(6, 9));
  }
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 1, 2}));
}

TEST(CaptureOrder, takeUnnamedTracesAtTheSameTimeForRanksAndOthersForCycles) {
  const Placed ranks = place({File("out_1.json").during(0, 5), File("out_2.json").during(1, 6)});
  EXPECT_EQ(ranks.jobs(), 1);
  EXPECT_EQ(ranks.ranks(), (Numbers{0, 1}));
  const Placed cycles = place({File("out_1.json").during(0, 5), File("out_2.json").during(6, 11)});
  EXPECT_EQ(cycles.jobs(), 1);
  EXPECT_EQ(cycles.ranks(), (Numbers{0, 0}));
  EXPECT_EQ(cycles.captures(), (Numbers{1, 2}));
}

} // namespace rankscope
