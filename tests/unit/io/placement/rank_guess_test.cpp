// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that only a group of files together tells, seen through placeFiles.
#include "core/io/placement/rank_guess.h"

#include "tests/unit/io/placement/placed_files.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

TEST(RankGuess, guessRanksFromHostAndProcessInOrder) {
  const Placed placed = place({File("b_7.1760000000000.pt.trace.json").during(0, 5),
                               File("a_10.1760000000000.pt.trace.json").during(0, 5),
                               File("a_9.1760000000000.pt.trace.json").during(0, 5)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{2, 1, 0}));
  for (const FilePlacement& placement : placed.placements) EXPECT_EQ(placement.from, RankSource::Guess);
}

TEST(RankGuess, workRanksOutFromCoordinates) {
  Files files;
  for (int pp = 0; pp < 2; ++pp)
    for (int tp = 0; tp < 4; ++tp)
      files.push_back(File("9.5-TP-" + std::to_string(tp) + "-DP-" + std::to_string(tp / 2) + "-PP-" +
                           std::to_string(pp) + ".trace.json.gz"));
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 2, 3, 4, 5, 6, 7})) << "with dp attention dp follows from tp";
  EXPECT_EQ(placed.placements[0].from, RankSource::Name);
  EXPECT_TRUE(says(placed.placements[0], "coordinates"));

  files.clear();
  for (int pp = 0; pp < 2; ++pp)
    for (int dp = 0; dp < 2; ++dp)
      for (int tp = 0; tp < 2; ++tp)
        files.push_back(File("benchmark-data-" + std::to_string(dp) + "-pipeline-" + std::to_string(pp) +
                             "-tensor-" + std::to_string(tp) + ".json"));
  EXPECT_EQ(place(files).ranks(), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(RankGuess, countRanksAcrossNodesWhenNamesCountWithinThem) {
  Files files;
  for (int node = 0; node < 11; ++node)
    for (int rank = 0; rank < 2; ++rank)
      files.push_back(
          File("node" + std::to_string(node) + "/rank" + std::to_string(rank) + ".json").during(0, 5));
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 1);
  for (int i = 0; i < 22; ++i) EXPECT_EQ(placed.ranks()[static_cast<std::size_t>(i)], i);
  const FilePlacement& last = placed["node10/rank1.json"];
  EXPECT_EQ(last.from, RankSource::Folder);
  EXPECT_EQ(last.host, "node10");
  EXPECT_TRUE(says(last, "node10"));
}

TEST(RankGuess, takeAFolderCalledAsTheHostOfItsFilesForANode) {
  Files files;
  for (const std::string host : {"alpha", "omega"})
    for (int pid = 1; pid <= 2; ++pid)
      files.push_back(
          File("run/" + host + "/" + host + "_" + std::to_string(pid) + ".pt.trace.json").during(0, 5));
  const Placed guessed = place(files);
  EXPECT_EQ(guessed.jobs(), 1);
  EXPECT_EQ(guessed.ranks(), (Numbers{0, 1, 2, 3}));

  files.clear();
  for (const std::string host : {"alpha", "omega"})
    for (int rank = 0; rank < 2; ++rank)
      files.push_back(
          File(host + "/rank" + std::to_string(rank) + ".json").during(0, 5).with([&](FileFacts& f) {
            f.hostName = host + ".cluster.example";
          }));
  const Placed local = place(files);
  EXPECT_EQ(local.jobs(), 1);
  EXPECT_EQ(local.ranks(), (Numbers{0, 1, 2, 3}));
}

TEST(RankGuess, takeLocalRanksForRanksOnOneNodeAndCountThemOverSeveral) {
  const Placed one = place({File("0_trace.json").during(0, 5), File("1_trace.json").during(0, 5)});
  EXPECT_EQ(one.ranks(), (Numbers{0, 1}));
  EXPECT_TRUE(says(one.placements[1], "local rank"));
  const Placed two =
      place({File("node0/0_trace.json").during(0, 5), File("node0/1_trace.json").during(0, 5),
             File("node1/0_trace.json").during(0, 5), File("node1/1_trace.json").during(0, 5)});
  EXPECT_EQ(two.jobs(), 1);
  EXPECT_EQ(two.ranks(), (Numbers{0, 1, 2, 3}));
}

TEST(RankGuess, useOneFolderARank) {
  const Placed placed = place({File("run/rank0/box_1.1760000000000.pt.trace.json").during(0, 5),
                               File("run/rank1/box_2.1760000000000.pt.trace.json").during(0, 5)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1}));
  EXPECT_EQ(placed.placements[1].from, RankSource::Folder);
}

TEST(RankGuess, doNotTakeTheSubjectOfAFolderForItsRank) {
  const Placed placed = place(
      {File("ddp2_leak_rank1/rank0.json").during(0, 5), File("ddp2_leak_rank1/rank1.json").during(0, 5)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1}));
  const Placed unnamed = place({File("leak_rank1/box_1.pt.trace.json").during(0, 5),
                                File("leak_rank1/box_2.pt.trace.json").during(0, 5)});
  EXPECT_EQ(unnamed.jobs(), 1);
  EXPECT_EQ(unnamed.ranks(), (Numbers{0, 1}));
}

TEST(RankGuess, takeDevicesForRanksWhenNothingBetterIsKnown) {
  Files files;
  for (int i = 0; i < 4; ++i)
    files.push_back(
        File("node" + std::to_string(i / 2) + "/box_" + std::to_string(100 - i) + ".pt.trace.json")
            .during(0, 5)
            .with([i](FileFacts& f) {
              f.devices = {i % 2};
              f.deviceCount = 2;
            }));
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(placed.placements[3].from, RankSource::Content);
}

TEST(RankGuess, doNotTakeOneDeviceOfAllForRanks) {
  Files files;
  for (int i = 0; i < 2; ++i)
    files.push_back(File("box_" + std::to_string(i) + ".pt.trace.json").during(0, 5).with([](FileFacts& f) {
      f.devices = {0};
    }));
  const Placed placed = place(files);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1}));
  EXPECT_EQ(placed.placements[0].from, RankSource::Guess);
}

TEST(RankGuess, findTheRankThatItsProcessGroupsMiss) {
  Files files;
  for (int i = 0; i < 4; ++i) {
    File file("box_" + std::to_string(i) + ".pt.trace.json");
    file.during(0, 5).with([](FileFacts& f) { f.peers = {0, 1, 2, 3}; });
    if (i != 2) file.metadata(i, 4);
    files.push_back(file);
  }
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(placed.placements[2].from, RankSource::Content);
}

TEST(RankGuess, completeAJobWithAnOddlyNamedFile) {
  const auto group = [](FileFacts& f) { f.peers = {0, 1, 2}; };
  const Placed placed =
      place({File("rank0.json").metadata(0, 3).during(0, 5), File("rank2.json").metadata(2, 3).during(0, 5),
             File("found_later.json").during(1, 5).with(group)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 2, 1}));
}

} // namespace rankscope
