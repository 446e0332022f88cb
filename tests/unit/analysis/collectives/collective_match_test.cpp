// SPDX-License-Identifier: GPL-3.0-or-later
// Which calls belong together, what they waited and how the clocks differ, against jobs that know it.
#include "core/analysis/collectives/collective_match.h"

#include "core/analysis/collectives/sequence_align.h"
#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace rankscope {

namespace {

using test::CollectiveTruth;
using test::JobOptions;
using test::JobTruth;

JobOptions twoNodes() {
  JobOptions options;
  options.ranks = 8;
  options.ranksPerNode = 4;
  options.steps = 4;
  options.layers = 3;
  options.straggler = {5, 3'000'000, 0, test::StragglerKind::Compute};
  return options;
}

struct Job {
  JobTruth truth;
  std::shared_ptr<const TraceSet> trace;
  std::unique_ptr<Analysis> analysis;
};

Job jobOf(const JobOptions& options, AnalysisOptions how = {}) {
  const test::TemporaryFolder folder;
  Job job;
  job.truth = generateJob(options, folder.path());
  Progress progress;
  auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  job.trace = *loaded;
  job.analysis = std::make_unique<Analysis>(job.trace, nullptr, how);
  return job;
}

// The truth's collective of each call: a recording holds its last ones when it began late.
std::vector<std::vector<std::size_t>> truthOfCalls(const Job& job) {
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t r = 0; r < job.trace->ranks().size(); ++r) {
    const RankEntry& entry = job.trace->ranks()[r];
    std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>> own;
    for (std::size_t c = 0; c < job.truth.collectives.size(); ++c) {
      const CollectiveTruth& truth = job.truth.collectives[c];
      if (truth.capture + 1 != entry.capture) continue;
      for (const auto& p : truth.participants) {
        if (p.rank == entry.rank) own.emplace_back(p.beginNs, p.endNs, c);
      }
    }
    std::ranges::sort(own);
    // Two streams may begin a collective at one time; the shorter one then comes first on both sides.
    const std::vector<CollectiveCall>& calls = job.analysis->collectiveCalls(RankIndex(r));
    std::vector<std::size_t> order(calls.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::pair(calls[i].range.begin, calls[i].range.end); });
    EXPECT_LE(calls.size(), own.size());
    std::vector<std::size_t>& mine = result.emplace_back(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i)
      mine[order[i]] = std::get<2>(own[own.size() - calls.size() + i]);
  }
  return result;
}

// Every instance holds the calls of one collective and all that were recorded of it.
void expectRightInstances(const Job& job) {
  const auto truthOf = truthOfCalls(job);
  const CollectiveMatch& match = job.analysis->collectives().match;
  std::map<std::size_t, std::size_t> recorded;
  for (const auto& calls : truthOf) {
    for (const std::size_t c : calls) ++recorded[c];
  }
  std::set<std::size_t> seen;
  for (const CollectiveInstance& instance : match.instances) {
    std::set<std::size_t> truths;
    for (const Participant& p : match.of(instance)) truths.insert(truthOf[p.rank.value][p.call]);
    ASSERT_EQ(truths.size(), 1U);
    EXPECT_TRUE(seen.insert(*truths.begin()).second) << "a collective fell apart";
    EXPECT_EQ(instance.count, recorded[*truths.begin()]);
  }
  EXPECT_EQ(seen.size(), recorded.size());
}

void expectWaits(const Job& job, TimeNs tolerance) {
  const auto truthOf = truthOfCalls(job);
  const CollectiveMatch& match = job.analysis->collectives().match;
  for (const CollectiveInstance& instance : match.instances) {
    const CollectiveTruth& truth =
        job.truth.collectives[truthOf[match.of(instance)[0].rank.value][match.of(instance)[0].call]];
    if (instance.count != truth.participants.size()) continue;
    for (const Participant& p : match.of(instance)) {
      const int rank = job.trace->rank(p.rank).rank;
      const auto own = std::ranges::find(truth.participants, rank, &test::ParticipantTruth::rank);
      ASSERT_NE(own, truth.participants.end());
      EXPECT_NEAR(static_cast<double>(p.wait), static_cast<double>(own->waitNs),
                  static_cast<double>(tolerance));
      EXPECT_EQ(p.wait + p.transfer, p.range.length());
    }
    if (tolerance == 0) {
      EXPECT_EQ(job.trace->rank(instance.lastRank).rank, truth.lastRank);
    }
  }
}

struct Shape {
  const char* name;
  void (*set)(JobOptions&);
};

const Shape kShapes[] = {
    {"plain", [](JobOptions&) {}},
    {"sequence_numbers", [](JobOptions& o) { o.withSequenceNumbers = true; }},
    {"no_arguments", [](JobOptions& o) { o.withCollectiveArgs = false; }},
    {"fully_sharded", [](JobOptions& o) { o.parallelism = test::Parallelism::FullySharded; }},
    {"tensor",
     [](JobOptions& o) {
       o.parallelism = test::Parallelism::Tensor;
       o.tensorRanks = 2;
     }},
    {"no_steps", [](JobOptions& o) { o.withProfilerSteps = false; }},
    {"captures", [](JobOptions& o) { o.captures = 2; }},
    {"late_recording",
     [](JobOptions& o) {
       o.late = {2, 9'000'000};
     }},
    {"late_recording_without_steps",
     [](JobOptions& o) {
       o.late = {2, 9'000'000};
       o.withProfilerSteps = false;
     }},
    {"late_on_the_second_host_without_steps",
     [](JobOptions& o) {
       o.late = {6, 9'000'000};
       o.withProfilerSteps = false;
     }},
    {"missing_rank", [](JobOptions& o) { o.missingRanks = {3}; }},
    {"legacy", [](JobOptions& o) { o.vocabulary = test::Vocabulary::Legacy; }},
};

class CollectivesOf : public testing::TestWithParam<Shape> {};

} // namespace

TEST_P(CollectivesOf, areMatchedAsTheyHappened) {
  JobOptions options = twoNodes();
  GetParam().set(options);
  const Job job = jobOf(options);
  expectRightInstances(job);
  // Legacy recordings are cut to whole microseconds.
  expectWaits(job, options.vocabulary == test::Vocabulary::Legacy ? 2'000 : 0);
}

TEST_P(CollectivesOf, areMatchedAcrossClocksThatAreTenSecondsApart) {
  JobOptions options = twoNodes();
  GetParam().set(options);
  options.clockOffsetNs = {0, 10'000'000'000};
  options.clockDriftPpb = {0, 20'000};
  const Job job = jobOf(options);
  expectRightInstances(job);
  expectWaits(job, 10'000);
}

INSTANTIATE_TEST_SUITE_P(Jobs, CollectivesOf, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

TEST(ClockAlignment, recoversOffsetAndDriftOfEachHost) {
  JobOptions options = twoNodes();
  options.ranksPerNode = 2;
  options.steps = 8;
  options.clockOffsetNs = {3'000'000'000, -10'000'000'000, 10'000'000'000, 1'500};
  options.clockDriftPpb = {0, 20'000, -20'000, 5'000};
  const Job job = jobOf(options);
  const ClockAlignment& clocks = job.analysis->clocks();
  EXPECT_EQ(clocks.domains, 4U);
  EXPECT_EQ(clocks.unconnectedDomains, 0U);
  // The clock of the first host is the job's: what is recovered is the difference to it.
  const auto clockOf = [&](int node, TimeNs time) {
    const TimeNs elapsed = time - job.truth.originNs;
    return time + options.clockOffsetNs[static_cast<std::size_t>(node)] +
           elapsed * options.clockDriftPpb[static_cast<std::size_t>(node)] / 1'000'000'000;
  };
  for (std::size_t r = 0; r < job.trace->ranks().size(); ++r) {
    const int node = static_cast<int>(r) / options.ranksPerNode;
    const RankClock& clock = clocks.ranks[r];
    ASSERT_TRUE(clock.residual.has_value());
    for (const auto& truth : {job.truth.collectives.front(), job.truth.collectives.back()}) {
      const TimeNs time = truth.participants.front().endNs;
      const JobTime corrected = clock.correction.toJob(RankTime(clockOf(node, time)));
      EXPECT_LE(std::abs(corrected - JobTime(clockOf(0, time))), std::max<TimeNs>(10'000, *clock.residual));
    }
    EXPECT_LT(*clock.residual, 2'000);
    EXPECT_TRUE(clock.feasible);
    if (node > 0) {
      ASSERT_TRUE(clock.bounds.has_value());
      EXPECT_LE(clock.bounds->begin, 0);
      EXPECT_GE(clock.bounds->end, 0);
    }
  }
}

TEST(ClockAlignment, isLeftOutOnRequest) {
  JobOptions options = twoNodes();
  options.clockOffsetNs = {0, 10'000'000'000};
  const Job job = jobOf(options, {.alignClocks = false});
  for (const RankClock& clock : job.analysis->clocks().ranks) EXPECT_EQ(clock.correction, ClockCorrection{});
}

TEST(ClockAlignment, changesNothingWhereClocksAgree) {
  const Job job = jobOf(twoNodes());
  for (const RankClock& clock : job.analysis->clocks().ranks) {
    EXPECT_EQ(clock.correction.offset, 0);
    EXPECT_EQ(clock.correction.driftPpb, 0);
  }
}

TEST(ClockCorrection, isUndoneByItsInverse) {
  const ClockCorrection correction{-9'876'543'210, 20'000, RankTime(1'700'000'000'000'000'000)};
  for (const TimeNs ns : {1'700'000'000'000'000'000, 1'700'000'100'123'456'789, 1'699'999'900'000'000'001}) {
    const RankTime time(ns);
    EXPECT_LE(std::abs(correction.fromJob(correction.toJob(time)) - time), 1);
    EXPECT_EQ(correction.aheadOfJob(time), ns - correction.toJob(time).ns());
  }
}

TEST(AlignSequences, findsALongestCommonSubsequence) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto sequence = [&] {
      std::vector<std::uint64_t> values(random() % 12);
      for (auto& value : values) value = random() % 4;
      return values;
    };
    const auto a = sequence(), b = sequence();
    std::vector<std::vector<std::size_t>> longest(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        longest[i][j] =
            a[i] == b[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
      }
    }
    const auto everything = [](std::uint32_t, std::uint32_t) { return true; };
    for (const auto& pairs : {alignSequences(a, b, Preference::Head), alignSequences(a, b, Preference::Tail),
                              alignAllowed(a, b, everything)}) {
      EXPECT_EQ(pairs.size(), longest[0][0]);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        EXPECT_EQ(a[pairs[i].first], b[pairs[i].second]);
        if (i > 0) {
          EXPECT_LT(pairs[i - 1].first, pairs[i].first);
          EXPECT_LT(pairs[i - 1].second, pairs[i].second);
        }
      }
    }
  }
}

TEST(AlignSequences, prefersTheEndItIsReported) {
  const std::vector<std::uint64_t> whole{1, 1, 1, 1}, part{1, 1};
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(alignSequences(whole, part, Preference::Head), (Pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(alignSequences(whole, part, Preference::Tail), (Pairs{{2, 0}, {3, 1}}));
}

} // namespace rankscope
