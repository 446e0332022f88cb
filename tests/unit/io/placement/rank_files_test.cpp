// SPDX-License-Identifier: GPL-3.0-or-later
// Which file is which rank. Covers core/io/placement/file_facts and core/io/placement/rank_candidate.
#include "core/io/placement/rank_files.h"

#include "tests/unit/io/placement/placed_files.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

TEST(RankFiles, placeNothingForNothing) {
  EXPECT_TRUE(placeFiles({}).empty());
}

TEST(RankFiles, takeALoneFileWithoutEvidenceAsRankZeroByGuess) {
  const Placed placed = place({File("trace.json.gz").with([](FileFacts& f) { f.devices = {2}; })});
  EXPECT_EQ(placed["trace.json.gz"].rank, 0);
  EXPECT_EQ(placed["trace.json.gz"].from, RankSource::Guess);
  EXPECT_EQ(placed["trace.json.gz"].job, 0);
  EXPECT_EQ(placed["trace.json.gz"].capture, 1);
}

TEST(RankFiles, followTheOrderOfEvidence) {
  const auto source = [](FileFacts facts) {
    const Placed placed = place({std::move(facts)});
    return std::pair{*placed.placements[0].rank, placed.placements[0].from};
  };
  FileFacts facts = File("rank_5/rank4.json").metadata(1, 8);
  facts.recordedRank = 2;
  facts.traceName = "/tmp/trace_rank_3.json";
  EXPECT_EQ(source(facts), (std::pair{1, RankSource::Metadata}));
  facts.metadataRank.reset();
  EXPECT_EQ(source(facts), (std::pair{2, RankSource::Content}));
  facts.recordedRank.reset();
  EXPECT_EQ(source(facts), (std::pair{4, RankSource::Name}));
  facts.relativePath = "rank_5/trace.json";
  facts.name = factsFromName(facts.relativePath);
  EXPECT_EQ(source(facts), (std::pair{3, RankSource::Name}));
  facts.traceName = "/tmp/tmpk123.json";
  EXPECT_EQ(source(facts), (std::pair{5, RankSource::Folder}));
}

TEST(RankFiles, sayWhereNameAndMetadataDisagree) {
  const Placed placed = place({File("rank4.json").metadata(1, 8)});
  EXPECT_EQ(placed["rank4.json"].rank, 1);
  EXPECT_TRUE(says(placed["rank4.json"], "rank 4"));
}

TEST(RankFiles, useTheFolderOfAFileOpenedByItself) {
  const FileFacts facts =
      File("trace.json").with([](FileFacts& f) { f.path = "/data/run/rank3/trace.json"; });
  EXPECT_EQ(place({facts})["trace.json"].rank, 3);
  EXPECT_EQ(place({facts})["trace.json"].from, RankSource::Folder);
}

TEST(RankFiles, makeOneJobOfRanksWithMetadataInHostPidNames) {
  Files files;
  for (int rank = 0; rank < 8; ++rank)
    files.push_back(File("box_" + std::to_string(900 - rank) + ".1760000000000.pt.trace.json.gz")
                        .metadata(rank, 8)
                        .during(rank * 0.01, 5));
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(placed.captures(), Numbers(8, 1));
  for (const FilePlacement& placement : placed.placements) {
    EXPECT_EQ(placement.host, "box");
    EXPECT_EQ(placement.note, "");
  }
}

TEST(RankFiles, trustMetadataOverTheNodesFolders) {
  Files files;
  for (int node = 0; node < 2; ++node)
    for (int rank = 0; rank < 2; ++rank)
      files.push_back(File("node" + std::to_string(node) + "/rank" + std::to_string(rank) + ".json")
                          .metadata((1 - node) * 2 + rank, 4)
                          .during(0, 5));
  EXPECT_EQ(place(files).ranks(), (Numbers{2, 3, 0, 1}));
}

TEST(RankFiles, trustNamesWhenEveryProcessWasAWorldOfItsOwn) {
  for (const std::optional<int> world : {std::optional<int>(1), std::optional<int>()}) {
    Files files;
    for (int rank = 0; rank < 4; ++rank)
      files.push_back(File("rank" + std::to_string(rank) + ".json").metadata(0, world).during(0, 5));
    const Placed placed = place(files);
    EXPECT_EQ(placed.jobs(), 1);
    EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(placed.placements[0].from, RankSource::Name);
    EXPECT_TRUE(says(placed.placements[0], "world size of 1"));
  }
}

TEST(RankFiles, leaveOutMergedFilesBesideTheirRanks) {
  const auto labels = [](FileFacts& f) { f.mergedLabels = {"[TP00-DP00] 83", "[TP01-DP00] 84"}; };
  const Placed placed =
      place({File("5.5-TP-0.trace.json.gz"), File("5.5-TP-1.trace.json.gz"),
             File("merged-5.5.trace.json.gz").with(labels), File("merged-6.5.trace.json.gz").with(labels)});
  EXPECT_EQ(placed["merged-5.5.trace.json.gz"].job, -1);
  EXPECT_TRUE(says(placed["merged-5.5.trace.json.gz"], "TP00-DP00"));
  EXPECT_EQ(placed["merged-6.5.trace.json.gz"].job, 1) << "the ranks of this profile are not here";
  EXPECT_EQ(placed["merged-6.5.trace.json.gz"].rank, 0);
  EXPECT_TRUE(says(placed["merged-6.5.trace.json.gz"], "one rank"));
}

TEST(RankFiles, recognizeAMergedFileByItsContentWhateverItsName) {
  const Placed placed =
      place({File("rank0.json"),
             File("everything.json").with([](FileFacts& f) { f.mergedLabels = {"[TP00] 1"}; })});
  EXPECT_EQ(placed["everything.json"].job, -1);
}

TEST(RankFiles, leaveOutWhatIsNoRankUnlessItIsAlone) {
  const std::string async = "box_1.async_llm.1760000000000000000.pt.trace.json.gz";
  const Placed beside =
      place({File(async), File("dp0_pp0_tp0_dcp0_ep0_rank0.1760000000000000000.pt.trace.json.gz")});
  EXPECT_EQ(beside[async].job, -1);
  EXPECT_TRUE(says(beside[async], "async_llm"));
  EXPECT_EQ(place({File(async)})[async].job, 0);
}

TEST(RankFiles, leaveOutUnreadableFilesWithTheirReason) {
  const Placed placed = place({File("rank0.json"), File("rank1.json").with([](FileFacts& f) {
                                 f.readable = false;
                                 f.unreadableReason = "the file is empty";
                               })});
  EXPECT_EQ(placed["rank1.json"].job, -1);
  EXPECT_EQ(placed["rank1.json"].note, "the file is empty");
}

TEST(RankFiles, openOtherChromeTracesByThemselvesOnly) {
  const auto other = [](FileFacts& f) { f.fromPyTorch = false; };
  const Placed beside = place(
      {File("run/rank0.json"), File("run/pipeline.json").with(other), File("pipe/rank1.json").with(other)});
  EXPECT_EQ(beside["run/pipeline.json"].job, -1);
  EXPECT_EQ(beside.jobs(), 2);
  EXPECT_NE(beside["pipe/rank1.json"].job, beside["run/rank0.json"].job)
      << "in its own folder it is a job, but not a rank of the other";
  EXPECT_EQ(place({File("pipeline.json").with(other)})["pipeline.json"].rank, 0);
  const Placed legacy =
      place({File("rank0.1.pt.trace.json").with(other), File("rank1.1.pt.trace.json").with(other)});
  EXPECT_EQ(legacy.jobs(), 1);
  EXPECT_EQ(legacy.ranks(), (Numbers{0, 1}));
}

TEST(RankFiles, leaveOutCopiesOfARecording) {
  Files files;
  for (int rank = 0; rank < 2; ++rank) {
    files.push_back(File("rank" + std::to_string(rank) + ".json").metadata(rank, 2).during(rank, 5));
    FileFacts copy = File("backup/rank" + std::to_string(rank) + ".json").metadata(rank, 2);
    copy.beginNs = files.back().beginNs;
    copy.endNs = files.back().endNs;
    files.push_back(copy);
  }
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed["backup/rank1.json"].job, -1);
  EXPECT_TRUE(says(placed["backup/rank1.json"], "/data/rank1.json"));
  EXPECT_EQ(placed["rank1.json"].job, 0);

  for (FileFacts& file : files) file.textBytes = file.relativePath.size();
  EXPECT_EQ(place(files).jobs(), 2) << "texts of different length are no copies";
}

TEST(RankFiles, takeTheHostFromTheBestSource) {
  EXPECT_EQ(place({File("node1/box_1.pt.trace.json").with([](FileFacts& f) { f.hostName = "n1.cluster"; })})
                .placements[0]
                .host,
            "n1.cluster");
  EXPECT_EQ(place({File("node1/box_1.pt.trace.json")}).placements[0].host, "box");
  EXPECT_EQ(place({File("node1/rank0.json")}).placements[0].host, "node1");
  EXPECT_EQ(place({File("rank0.json")}).placements[0].host, "");
}

TEST(RankFiles, sayWhenARankIsOutsideItsWorld) {
  EXPECT_TRUE(says(place({File("rank34.json").world(8)})["rank34.json"], "world size of only 8"));
}

TEST(RankFiles, placeThousandsOfRanks) {
  Files files;
  for (int rank = 0; rank < 4096; ++rank)
    for (int cycle = 0; cycle < 2; ++cycle)
      files.push_back(File("pod-" + std::to_string(rank / 8) + "/rank" + std::to_string(rank) + "." +
                           std::to_string(cycle) + ".pt.trace.json")
                          .metadata(rank, 4096)
                          .during(cycle * 100, cycle * 100 + 5));
  const std::vector<FilePlacement> placements = placeFiles(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    ASSERT_EQ(placements[i].job, 0);
    ASSERT_EQ(placements[i].rank, static_cast<int>(i / 2));
    ASSERT_EQ(placements[i].capture, static_cast<int>(i % 2) + 1);
  }
}

TEST(RankFiles, nameTheSourcesOfRanks) {
  EXPECT_EQ(rankSourceText(RankSource::Metadata), "metadata");
  EXPECT_EQ(rankSourceText(RankSource::Name), "name");
  EXPECT_EQ(rankSourceText(RankSource::Folder), "folder");
  EXPECT_EQ(rankSourceText(RankSource::Content), "content");
  EXPECT_EQ(rankSourceText(RankSource::Guess), "guess");
}

} // namespace rankscope
