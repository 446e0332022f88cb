// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/rank_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope {

void PrintTo(RankSource source, std::ostream* out) {
  *out << rankSourceText(source);
}

namespace {

constexpr TimeNs kSecond = 1'000'000'000;
constexpr TimeNs kStart = 1'760'000'000 * kSecond;

// A readable Kineto file of 100 events, to be given what it says.
class File {
 public:
  explicit File(std::string relativePath) {
    m_facts.path = "/data/" + relativePath;
    m_facts.name = factsFromName(relativePath);
    m_facts.relativePath = std::move(relativePath);
    m_facts.events = 100;
  }
  File& metadata(int rank, std::optional<int> world = {}) {
    m_facts.metadataRank = rank;
    m_facts.metadataWorldSize = world;
    return *this;
  }
  File& world(int size) {
    m_facts.metadataWorldSize = size;
    return *this;
  }
  // Seconds after a common start. No two recordings end at the same nanosecond, unless one is a copy.
  File& during(double begin, double end) {
    m_facts.beginNs = kStart + static_cast<TimeNs>(begin * 1e9);
    m_facts.endNs = kStart + static_cast<TimeNs>(end * 1e9) + ++s_recordings;
    return *this;
  }
  File& with(auto change) {
    change(m_facts);
    return *this;
  }
  operator FileFacts() const { return m_facts; }

 private:
  static inline TimeNs s_recordings = 0;
  FileFacts m_facts;
};

using Files = std::vector<FileFacts>;

struct Placed {
  std::vector<FilePlacement> placements;
  Files files;

  const FilePlacement& operator[](const std::string& relativePath) const {
    for (std::size_t i = 0; i < files.size(); ++i)
      if (files[i].relativePath == relativePath) return placements[i];
    throw std::out_of_range(relativePath);
  }
  [[nodiscard]] int jobs() const {
    int jobs = 0;
    for (const FilePlacement& placement : placements) jobs = std::max(jobs, placement.job + 1);
    return jobs;
  }
  [[nodiscard]] std::vector<int> ranks() const {
    std::vector<int> ranks;
    for (const FilePlacement& placement : placements) ranks.push_back(placement.rank.value_or(-1));
    return ranks;
  }
  [[nodiscard]] std::vector<int> captures() const {
    std::vector<int> captures;
    for (const FilePlacement& placement : placements) captures.push_back(placement.capture);
    return captures;
  }
  [[nodiscard]] std::vector<int> jobNumbers() const {
    std::vector<int> numbers;
    for (const FilePlacement& placement : placements) numbers.push_back(placement.job);
    return numbers;
  }
};

// Places the files in several orders and checks what must hold for every answer.
Placed place(Files files) {
  const std::vector<FilePlacement> placements = placeFiles(files);
  EXPECT_EQ(placements.size(), files.size());
  std::set<std::tuple<int, int, int>> taken;
  std::set<int> jobs;
  for (const FilePlacement& placement : placements) {
    EXPECT_EQ(placement.job >= 0, placement.rank.has_value());
    EXPECT_EQ(placement.job >= 0, placement.capture >= 1);
    if (placement.job < 0) {
      EXPECT_FALSE(placement.note.empty()) << "left out without a reason";
      continue;
    }
    EXPECT_TRUE(placement.from != RankSource::Guess || !placement.note.empty()) << "guessed without a note";
    jobs.insert(placement.job);
    EXPECT_TRUE(taken.emplace(placement.job, *placement.rank, placement.capture).second)
        << "two files at rank " << *placement.rank << ", capture " << placement.capture;
  }
  EXPECT_TRUE(jobs.empty() || (*jobs.begin() == 0 && *jobs.rbegin() + 1 == static_cast<int>(jobs.size())));

  std::vector<std::size_t> order(files.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(11);
  for (int round = 0; round < 5; ++round) {
    std::ranges::shuffle(order, random);
    Files shuffled;
    for (const std::size_t i : order) shuffled.push_back(files[i]);
    const std::vector<FilePlacement> again = placeFiles(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i)
      EXPECT_EQ(again[i], placements[order[i]])
          << files[order[i]].relativePath << " depends on the order of input";
  }
  return {placements, std::move(files)};
}

bool says(const FilePlacement& placement, const std::string& text) {
  return placement.note.find(text) != std::string::npos;
}

using Numbers = std::vector<int>;

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

TEST(RankFiles, guessRanksFromHostAndProcessInOrder) {
  const Placed placed = place({File("b_7.1760000000000.pt.trace.json").during(0, 5),
                               File("a_10.1760000000000.pt.trace.json").during(0, 5),
                               File("a_9.1760000000000.pt.trace.json").during(0, 5)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{2, 1, 0}));
  for (const FilePlacement& placement : placed.placements) EXPECT_EQ(placement.from, RankSource::Guess);
}

TEST(RankFiles, keepTheCyclesOfAGuessedProcessTogether) {
  const Placed placed = place({File("a_9.1760000000000.pt.trace.json").during(0, 5),
                               File("a_9.1760000010000.pt.trace.json").during(10, 15),
                               File("a_10.1760000000000.pt.trace.json").during(0, 5),
                               File("a_10.1760000010000.pt.trace.json").during(10, 15)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 1, 2}));
}

TEST(RankFiles, numberTwoCyclesOfOneWorker) {
  const Placed placed = place({File("worker0.1623143566756.pt.trace.json.gz").during(500, 510),
                               File("worker0.1623143089861.pt.trace.json.gz").during(20, 30)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0}));
  EXPECT_EQ(placed.captures(), (Numbers{2, 1}));
}

TEST(RankFiles, numberCyclesByTheNamesStampWhenTheTimeIsUnknown) {
  const Placed placed = place({File("worker0.169.pt.trace.json"), File("worker0.163.pt.trace.json")});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.captures(), (Numbers{2, 1}));
}

TEST(RankFiles, alignTheCyclesOfTwoRanks) {
  const Placed placed =
      place({File("rank0.1795207713419878151.pt.trace.json.gz").metadata(0, 2).during(0.000, 0.080),
             File("rank0.1795207713523949247.pt.trace.json.gz").metadata(0, 2).during(0.104, 0.184),
             File("rank1.1795207713420244667.pt.trace.json.gz").metadata(1, 2).during(0.001, 0.081),
             File("rank1.1795207713527441947.pt.trace.json.gz").metadata(1, 2).during(0.108, 0.188)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 1, 2}));
}

TEST(RankFiles, giveACycleThatARankMissedToNoOther) {
  const Placed placed = place(
      {File("rank0.1000.pt.trace.json").during(0, 5), File("rank0.2000.pt.trace.json").during(10, 15),
       File("rank0.3000.pt.trace.json").during(20, 25), File("rank1.1001.pt.trace.json").during(0, 5),
       File("rank1.3001.pt.trace.json").during(20, 25), File("rank2.2002.pt.trace.json").during(10, 15)});
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 3, 1, 3, 2}));
}

TEST(RankFiles, findMoreCyclesThanAnySingleRankHas) {
  const Placed placed = place(
      {File("rank0.1000.pt.trace.json").during(0, 5), File("rank0.2000.pt.trace.json").during(10, 15),
       File("rank1.2001.pt.trace.json").during(10, 15), File("rank1.3001.pt.trace.json").during(20, 25)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 2, 3}));
}

TEST(RankFiles, alignCyclesOfHostsWhoseClocksDisagreeByMoreThanACycle) {
  const Placed placed = place(
      {File("rank0.1000.pt.trace.json").during(0, 0.08), File("rank0.2000.pt.trace.json").during(0.1, 0.18),
       File("rank1.1001.pt.trace.json").during(7, 7.08), File("rank1.2001.pt.trace.json").during(7.1, 7.18)});
  EXPECT_EQ(placed.captures(), (Numbers{1, 2, 1, 2}));
}

TEST(RankFiles, takeTorchtitansIterationsForCaptures) {
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

TEST(RankFiles, keepReplicasBelowAnIterationApart) {
  Files files;
  for (const char* replica : {"replica_0", "replica_1"})
    for (int rank = 0; rank < 2; ++rank)
      files.push_back(
          File("traces/iteration_10/" + std::string(replica) + "/rank" + std::to_string(rank) + "_trace.json")
              .metadata(rank, 2)
              .during(0, 5));
  EXPECT_EQ(place(files).jobNumbers(), (Numbers{0, 0, 1, 1}));
}

TEST(RankFiles, makeAJobOfEveryRoleOfVerl) {
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

TEST(RankFiles, makeAJobOfEveryProfileOfSglang) {
  Files files;
  for (const char* id : {"1760000000.5", "1760000100.5"})
    for (int tp = 0; tp < 2; ++tp)
      files.push_back(File(std::string(id) + "-TP-" + std::to_string(tp) + ".trace.json.gz").metadata(tp, 2));
  const Placed placed = place(files);
  EXPECT_EQ(placed.jobNumbers(), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 0, 1}));
}

TEST(RankFiles, takeStagesOfSglangOneAfterAnotherForCaptures) {
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

TEST(RankFiles, workRanksOutFromCoordinates) {
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

TEST(RankFiles, neverMergeWorldsOfDifferentSize) {
  const Placed placed = place({File("box_1.1760000000000.pt.trace.json").metadata(0, 2).during(0, 5),
                               File("box_2.1760000000000.pt.trace.json").metadata(1, 2).during(0, 5),
                               File("box_3.1760000000000.pt.trace.json").metadata(2, 4).during(0, 5),
                               File("box_4.1760000000000.pt.trace.json").metadata(3, 4).during(0, 5)});
  EXPECT_EQ(placed.jobNumbers(), (Numbers{0, 0, 1, 1}));
}

TEST(RankFiles, neverMergeFoldersThatEachHoldAllRanks) {
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

TEST(RankFiles, joinNodeFoldersWithRanksOfTheirOwn) {
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

TEST(RankFiles, doNotJoinNeighbourFoldersRecordedAtOtherTimes) {
  EXPECT_EQ(place({File("alpha/rank0.json").metadata(0, 2).during(0, 5),
                   File("beta/rank1.json").metadata(1, 2).during(90000, 90005)})
                .jobs(),
            2);
}

TEST(RankFiles, joinHostsNamedInTheFilesOfOneFolder) {
  Files files;
  for (int rank = 0; rank < 4; ++rank)
    files.push_back(
        File((rank < 2 ? "alice-rank" : "bob-rank") + std::to_string(rank) + ".json").during(0, 5));
  EXPECT_EQ(place(files).jobs(), 1);
}

TEST(RankFiles, countRanksAcrossNodesWhenNamesCountWithinThem) {
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

TEST(RankFiles, takeAFolderCalledAsTheHostOfItsFilesForANode) {
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

TEST(RankFiles, trustMetadataOverTheNodesFolders) {
  Files files;
  for (int node = 0; node < 2; ++node)
    for (int rank = 0; rank < 2; ++rank)
      files.push_back(File("node" + std::to_string(node) + "/rank" + std::to_string(rank) + ".json")
                          .metadata((1 - node) * 2 + rank, 4)
                          .during(0, 5));
  EXPECT_EQ(place(files).ranks(), (Numbers{2, 3, 0, 1}));
}

TEST(RankFiles, takeLocalRanksForRanksOnOneNodeAndCountThemOverSeveral) {
  const Placed one = place({File("0_trace.json").during(0, 5), File("1_trace.json").during(0, 5)});
  EXPECT_EQ(one.ranks(), (Numbers{0, 1}));
  EXPECT_TRUE(says(one.placements[1], "within its node"));
  const Placed two =
      place({File("node0/0_trace.json").during(0, 5), File("node0/1_trace.json").during(0, 5),
             File("node1/0_trace.json").during(0, 5), File("node1/1_trace.json").during(0, 5)});
  EXPECT_EQ(two.jobs(), 1);
  EXPECT_EQ(two.ranks(), (Numbers{0, 1, 2, 3}));
}

TEST(RankFiles, useOneFolderARank) {
  const Placed placed = place({File("run/rank0/box_1.1760000000000.pt.trace.json").during(0, 5),
                               File("run/rank1/box_2.1760000000000.pt.trace.json").during(0, 5)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1}));
  EXPECT_EQ(placed.placements[1].from, RankSource::Folder);
}

TEST(RankFiles, doNotTakeTheSubjectOfAFolderForItsRank) {
  const Placed placed = place(
      {File("ddp2_leak_rank1/rank0.json").during(0, 5), File("ddp2_leak_rank1/rank1.json").during(0, 5)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1}));
  const Placed unnamed = place({File("leak_rank1/box_1.pt.trace.json").during(0, 5),
                                File("leak_rank1/box_2.pt.trace.json").during(0, 5)});
  EXPECT_EQ(unnamed.jobs(), 1);
  EXPECT_EQ(unnamed.ranks(), (Numbers{0, 1}));
}

TEST(RankFiles, takeDevicesForRanksWhenNothingBetterIsKnown) {
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

TEST(RankFiles, doNotTakeOneDeviceOfAllForRanks) {
  Files files;
  for (int i = 0; i < 2; ++i)
    files.push_back(File("box_" + std::to_string(i) + ".pt.trace.json").during(0, 5).with([](FileFacts& f) {
      f.devices = {0};
    }));
  const Placed placed = place(files);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 1}));
  EXPECT_EQ(placed.placements[0].from, RankSource::Guess);
}

TEST(RankFiles, findTheRankThatItsProcessGroupsMiss) {
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

TEST(RankFiles, completeAJobWithAnOddlyNamedFile) {
  const auto group = [](FileFacts& f) { f.peers = {0, 1, 2}; };
  const Placed placed =
      place({File("rank0.json").metadata(0, 3).during(0, 5), File("rank2.json").metadata(2, 3).during(0, 5),
             File("found_later.json").during(1, 5).with(group)});
  EXPECT_EQ(placed.jobs(), 1);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 2, 1}));
}

TEST(RankFiles, keepUnrelatedTracesInOneFolderApart) {
  const Placed placed = place({File("gaunernst_bert-small-uncased__1016001.json.gz").during(0, 1),
                               File("google_owlv2-large-patch14-ensemble__1016001.json.gz").during(50, 51),
                               File("trace.json.gz").during(0, 1)});
  EXPECT_EQ(placed.jobs(), 3);
  EXPECT_EQ(placed.ranks(), (Numbers{0, 0, 0}));
}

TEST(RankFiles, takeUnnamedTracesAtTheSameTimeForRanksAndOthersForCycles) {
  const Placed ranks = place({File("out_1.json").during(0, 5), File("out_2.json").during(1, 6)});
  EXPECT_EQ(ranks.jobs(), 1);
  EXPECT_EQ(ranks.ranks(), (Numbers{0, 1}));
  const Placed cycles = place({File("out_1.json").during(0, 5), File("out_2.json").during(6, 11)});
  EXPECT_EQ(cycles.jobs(), 1);
  EXPECT_EQ(cycles.ranks(), (Numbers{0, 0}));
  EXPECT_EQ(cycles.captures(), (Numbers{1, 2}));
}

TEST(RankFiles, takeTracesOfOnePatternFromOtherDaysForOtherJobs) {
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

TEST(RankFiles, keepTwoRunsInOneLogFolderApart) {
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

TEST(RankFiles, keepReplicasWithTheSameRanksApart) {
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

TEST(RankFiles, trustNamesWhenEveryProcessWasAWorldOfItsOwn) {
  for (const std::optional<int> world : {std::optional<int>(1), std::optional<int>()}) {
    Files files;
    for (int rank = 0; rank < 4; ++rank)
      files.push_back(File("rank" + std::to_string(rank) + ".json").metadata(0, world).during(0, 5));
    const Placed placed = place(files);
    EXPECT_EQ(placed.jobs(), 1);
    EXPECT_EQ(placed.ranks(), (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(placed.placements[0].from, RankSource::Name);
    EXPECT_TRUE(says(placed.placements[0], "world of one"));
  }
}

TEST(RankFiles, keepSingleProcessJobsApart) {
  Files files;
  for (int i = 0; i < 3; ++i)
    files.push_back(File("box_" + std::to_string(i) + ".pt.trace.json").metadata(0, 1).during(0, 5));
  EXPECT_EQ(place(files).jobs(), 3);
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

TEST(RankFiles, recogniseAMergedFileByItsContentWhateverItsName) {
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
  const auto other = [](FileFacts& f) { f.kineto = false; };
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

TEST(RankFiles, orderJobsByRanksThenEventsThenPath) {
  const auto many = [](FileFacts& f) { f.events = 1000; };
  const Placed placed =
      place({File("a/rank0.json").metadata(0, 1), File("b/rank0.json").metadata(0, 1),
             File("c/rank0.json").metadata(0, 1).with(many), File("d/rank0.json").metadata(0, 2).during(0, 1),
             File("d/rank1.json").metadata(1, 2).during(0, 1)});
  EXPECT_EQ(placed.jobNumbers(), (Numbers{2, 3, 1, 0, 0}));
}

TEST(RankFiles, keepJobsOfDifferentNameApart) {
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

TEST(RankFiles, sayWhenARankIsOutsideItsWorld) {
  EXPECT_TRUE(says(place({File("rank34.json").world(8)})["rank34.json"], "only 8 ranks"));
}

TEST(RankFiles, openAWholeCollectionAsItsJobs) {
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

} // namespace
} // namespace rankscope
