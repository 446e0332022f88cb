// SPDX-License-Identifier: GPL-3.0-or-later
// Which files are one job, seen through placeFiles.
#include "core/io/placement/job_split.h"

#include "tests/unit/io/placement/placed_files.h"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace rankscope {

TEST(JobSplit, keepReplicasBelowAnIterationApart) {
  Files files;
  for (const char* replica : {"replica_0", "replica_1"})
    for (int rank = 0; rank < 2; ++rank)
      files.push_back(
          File("traces/iteration_10/" + std::string(replica) + "/rank" + std::to_string(rank) + "_trace.json")
              .metadata(rank, 2)
              .during(0, 5));
  EXPECT_EQ(place(files).jobNumbers(), (Numbers{0, 0, 1, 1}));
}

TEST(JobSplit, makeAJobOfEveryRoleOfVerl) {
  Files files;
  for (const char* role : {"actor", "ref"})
    for (int rank = 0; rank < 2; ++rank)
      files.push_back(
          File("outputs/profile/" + std::string(role) + "/prof_rank-" + std::to_string(rank) + ".json.gz"));
  EXPECT_EQ(place(files).jobNumbers(), (Numbers{0, 0, 1, 1}));
  // Roles on GPUs of their own do not complement each other to one job either.
  EXPECT_EQ(place({File("p/actor/prof_rank-0.json.gz").during(0, 5),
                   File("p/ref/prof_rank-1.json.gz").during(0, 5)})
                .jobs(),
            2);
}

TEST(JobSplit, makeAJobOfEveryProfileOfSglang) {
  Files files;
  for (const char* id : {"1760000000.5", "1760000100.5"})
    for (int tp = 0; tp < 2; ++tp)
      files.push_back(File(std::string(id) + "-TP-" + std::to_string(tp) + ".trace.json.gz").metadata(tp, 2));
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobNumbers(), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 0, 1}));
}

TEST(JobSplit, makeOneJobOfTheCapturesThatNsysNumbers) {
  Files files;
  for (int capture = 1; capture <= 2; ++capture)
    for (int rank = 0; rank < 2; ++rank)
      files.push_back(File("trace_rank" + std::to_string(rank) + "." + std::to_string(capture) + ".sqlite")
                          .during(10 * capture, 10 * capture + 5)
                          .with([](FileFacts& facts) { facts.otherProgram = true; }));
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(placed.captures(), (Numbers{1, 1, 2, 2}));
}

TEST(JobSplit, neverMergeWorldsOfDifferentSize) {
  const Placed placed = place({File("box_1.1760000000000.pt.trace.json").metadata(0, 2).during(0, 5),
                               File("box_2.1760000000000.pt.trace.json").metadata(1, 2).during(0, 5),
                               File("box_3.1760000000000.pt.trace.json").metadata(2, 4).during(0, 5),
                               File("box_4.1760000000000.pt.trace.json").metadata(3, 4).during(0, 5)});
  EXPECT_EQ(placed.jobNumbers(), (Numbers{0, 0, 1, 1}));
}

TEST(JobSplit, neverMergeFoldersThatEachHoldAllRanks) {
  for (const bool together : {true, false}) {
    for (const bool metadata : {true, false}) {
      Files files;
      for (const char* run : {"runA", "runB"}) {
        for (int rank = 0; rank < 8; ++rank) {
          File file(std::string(run) + "/rank" + std::to_string(rank) + ".json");
          const double begin = together || run[3] == 'A' ? 0 : 5000;
          file.during(begin + rank * 0.1, begin + 5);
          if (metadata) file.metadata(rank, 8);
          files.push_back(file);
        }
      }
      const Placed placed = place(files);
      EXPECT_EQ(placed.jobNumbers(), (Numbers{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
      EXPECT_EQ(placed.captures(), Numbers(16, 1));
    }
  }
}

TEST(JobSplit, joinNodeFoldersWithRanksOfTheirOwn) {
  for (const std::string node : {"node", "gpu-rack-b-", "run/host"}) {
    Files files;
    for (int rank = 0; rank < 8; ++rank)
      files.push_back(File(node + std::to_string(rank / 4) + "/rank" + std::to_string(rank) + ".json")
                          .metadata(rank, 8)
                          .during(0, 5));
    const Placed placed = place(files);
    EXPECT_EQ(placed.jobs(), 1) << node;
    EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  }
}

TEST(JobSplit, doNotJoinNeighborFoldersRecordedAtOtherTimes) {
  EXPECT_EQ(place({File("alpha/rank0.json").metadata(0, 2).during(0, 5),
                   File("beta/rank1.json").metadata(1, 2).during(90000, 90005)})
                .jobs(),
            2);
}

TEST(JobSplit, joinHostsNamedInTheFilesOfOneFolder) {
  Files files;
  for (int rank = 0; rank < 4; ++rank)
    files.push_back(
        File((rank < 2 ? "alice-rank" : "bob-rank") + std::to_string(rank) + ".json").during(0, 5));
  EXPECT_EQ(place(files).jobs(), 1);
}

TEST(JobSplit, keepUnrelatedTracesInOneFolderApart) {
  const Placed placed = place({File("gaunernst_bert-small-uncased__1016001.json.gz").during(0, 1),
                               File("google_owlv2-large-patch14-ensemble__1016001.json.gz").during(50, 51),
                               File("trace.json.gz").during(0, 1)});
  EXPECT_EQ(placed.jobs(), 3);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0, 0}));
}

TEST(JobSplit, takeTracesOfOnePatternFromOtherDaysForOtherJobs) {
  const Placed unranked =
      place({File("qwen_1016001.json").during(0, 5), File("qwen_1016002.json").during(90000, 90005)});
  EXPECT_EQ(unranked.jobs(), 2);
  const Placed ranked = place({File("control_1.json").metadata(3, 8).during(0, 5),
                               File("control_2.json").metadata(3, 8).during(90000, 90005),
                               File("control_3.json").metadata(4, 8).during(90000, 90005)});
  EXPECT_EQ(ranked.jobNumbers(), (Numbers{1, 0, 0}));
  const Placed worker = place(
      {File("worker0.1.pt.trace.json").during(0, 5), File("worker0.2.pt.trace.json").during(90000, 90005)});
  EXPECT_EQ(worker.captures(), (Numbers{1, 2})) << "one name holds them together";
}

TEST(JobSplit, keepTwoRunsInOneLogFolderApart) {
  // One run after the other into the same folder: other processes, the same ranks.
  Files files;
  for (int run = 0; run < 2; ++run)
    for (int rank = 0; rank < 4; ++rank) {
      if (run == 0 && rank == 1) continue;
      files.push_back(File("box_" + std::to_string(1000 * run + 500 - rank) + ".pt.trace.json")
                          .metadata(rank, 4)
                          .during(run * 300, run * 300 + 5));
    }
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobs(), 2);
  EXPECT_EQ(placed.jobNumbers(), (Numbers{1, 1, 1, 0, 0, 0, 0}))
      << "the second run is whole, so it comes first";
  EXPECT_EQ(placed.captures(), Numbers(7, 1));

  for (FileFacts& file : files) file.metadataRank.reset();
  EXPECT_EQ(place(files).jobNumbers(), (Numbers{1, 1, 1, 0, 0, 0, 0}))
      << "also when the ranks have to be guessed";
}

TEST(JobSplit, keepReplicasWithTheSameRanksApart) {
  Files files;
  for (int global = 0; global < 8; ++global)
    files.push_back(File("rank" + std::to_string(global) + ".json")
                        .metadata(global % 4, 4)
                        .during(0.1 * (9 - global), 5));
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobNumbers(), (Numbers{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_TRUE(says(placed["rank7.json"], "rank 3"));
}

TEST(JobSplit, keepSingleProcessJobsApart) {
  Files files;
  for (int i = 0; i < 3; ++i)
    files.push_back(File("box_" + std::to_string(i) + ".pt.trace.json").metadata(0, 1).during(0, 5));
  EXPECT_EQ(place(files).jobs(), 3);
}

TEST(JobSplit, orderJobsByRanksThenEventsThenPath) {
  const auto many = [](FileFacts& f) { f.events = 1000; };
  const Placed placed =
      place({File("a/rank0.json").metadata(0, 1), File("b/rank0.json").metadata(0, 1),
             File("c/rank0.json").metadata(0, 1).with(many), File("d/rank0.json").metadata(0, 2).during(0, 1),
             File("d/rank1.json").metadata(1, 2).during(0, 1)});
  EXPECT_EQ(placed.jobNumbers(), (Numbers{2, 3, 1, 0, 0}));
}

TEST(JobSplit, keepJobsOfDifferentNameApart) {
  const auto named = [](const char* name) { return [name](FileFacts& f) { f.jobName = name; }; };
  EXPECT_EQ(place({File("box_1.pt.trace.json").metadata(0, 2).during(0, 5).with(named("a")),
                   File("box_2.pt.trace.json").metadata(1, 2).during(0, 5).with(named("b"))})
                .jobs(),
            2);
  EXPECT_EQ(place({File("x-rank-0.json").during(0, 5), File("x-rank-1.json").during(0, 5),
                   File("y-rank-0.json").during(0, 5), File("y-rank-1.json").during(0, 5)})
                .jobNumbers(),
            (Numbers{0, 0, 1, 1}));
}

TEST(JobSplit, openAWholeCollectionAsItsJobs) {
  // Folders of unrelated captures, as a user has them: none may swallow another's rank.
  Files files;
  const auto job = [&](const std::string& folder, int ranks, std::optional<int> world, double at) {
    for (int rank = 0; rank < ranks; ++rank) {
      File file(folder + "/rank" + std::to_string(rank) + ".17952076769828992" + std::to_string(10 + rank) +
                ".pt.trace.json.gz");
      file.during(at, at + 2);
      if (world) file.metadata(rank, *world);
      files.push_back(file);
    }
  };
  job("torch-2.6.0/ddp4_healthy", 4, 4, 0);
  job("torch-2.6.0/ddp4_straggler", 4, 4, 1);
  job("torch-2.6.0/ddp2_leak_rank1", 2, 2, 60);
  job("torch-2.6.0/fsdp2", 2, 2, 61);
  job("torch-2.6.0/infer1", 1, std::nullopt, 62);
  job("torch-2.14.1/infer1", 1, std::nullopt, 62);
  const Placed placed = place(files);
  std::map<std::string, std::set<int>> jobsOfFolder;
  for (std::size_t i = 0; i < files.size(); ++i)
    jobsOfFolder[files[i].relativePath.substr(0, files[i].relativePath.rfind('/'))].insert(
        placed.placements[i].job);
  EXPECT_EQ(placed.jobs(), 6);
  for (const auto& [folder, jobs] : jobsOfFolder) EXPECT_EQ(jobs.size(), 1u) << folder;
}

namespace {

File ofNsight(const std::string& path, int rank) {
  File file(path);
  file.with([&](FileFacts& facts) {
    facts.otherProgram = true;
    facts.metadataRank = rank;
    facts.metadataFrom = RankSource::Environment;
  });
  return file;
}

File onHost(File file, const std::string& host) {
  return file.with([&](FileFacts& facts) { facts.hostName = host; });
}

} // namespace

TEST(JobSplit, takeRanksOfTwoProfilersForTwoCaptures) {
  const Placed placed = place({onHost(File("trace_rank0.json").metadata(0, 2), "a").during(0, 10),
                               onHost(File("trace_rank1.json").metadata(1, 2), "a").during(3, 10),
                               onHost(ofNsight("report_rank0.sqlite", 0), "a").during(1, 9),
                               onHost(ofNsight("report_rank1.sqlite", 1), "a").during(1, 9)});
  EXPECT_EQ(placed.jobNumbers(), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(placed.captures(), (Numbers{1, 1, 2, 2}));
  EXPECT_TRUE(says(placed["report_rank0.sqlite"], "rank 0 was recorded by both profilers"));
  EXPECT_EQ(placed["trace_rank0.json"].note, "");
}

TEST(JobSplit, takeRanksOfTwoProfilersForOneCaptureWhereNoneIsInBoth) {
  const Placed placed = place({onHost(File("trace_rank0.json").metadata(0, 2), "a").during(0, 10),
                               onHost(ofNsight("trace_rank1.sqlite", 1), "a").during(1, 9)});
  EXPECT_EQ(placed.jobNumbers(), (Numbers{0, 0}));
  EXPECT_EQ(placed.captures(), (Numbers{1, 1}));
}

TEST(JobSplit, keepProfilersApartThatRecordedOtherHostsOrTimes) {
  const auto jobs = [](const char* host, double begin) {
    return place({onHost(File("trace_rank0.json").metadata(0, 2), "a").during(0, 10),
                  onHost(File("trace_rank1.json").metadata(1, 2), "a").during(0, 10),
                  onHost(ofNsight("report_rank0.sqlite", 0), host).during(begin, begin + 9),
                  onHost(ofNsight("report_rank1.sqlite", 1), host).during(begin, begin + 9)})
        .jobs();
  };
  EXPECT_EQ(jobs("a", 1), 1);
  EXPECT_EQ(jobs("b", 1), 2);
  EXPECT_EQ(jobs("a", 5000), 2);
}

} // namespace rankscope
