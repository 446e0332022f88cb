// SPDX-License-Identifier: GPL-3.0-or-later
// What every nanosecond of a step was spent on, exactly once: on recordings of all sorts, on generated jobs
// with faults of known size, on ranges drawn at random. Covers core/analysis/account/communication_leaves,
// core/analysis/account/copy_leaves, core/analysis/account/host_account, core/analysis/account/leaves and
// core/analysis/account/time_pieces.
#include "core/analysis/account/attribution.h"

#include "core/io/load/trace_loader.h"
#include "core/report/attribution_table.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<const TraceSet> loaded(const fs::path& path) {
  Progress progress;
  auto result = loadTraces({path.string()}, {}, progress);
  return result.ok() ? *result : nullptr;
}

// What the unions of device activity, which are made another way, say of a window.
void expectClasses(const Analysis& analysis, RankIndex rank, TimeRange window, const LeafTimes& times) {
  EXPECT_EQ(totalOf(times), window.length());
  if (analysis.trace().rank(rank).trace->devices.empty()) return;
  const DeviceActivity& activity = analysis.wholeActivity(rank);
  const TimeNs compute = activity.compute.coveredWithin(window);
  const TimeNs exposed = activity.exposed.coveredWithin(window);
  const TimeNs busy = activity.busy.coveredWithin(window);
  EXPECT_EQ(timeOf(times, TimeClass::Compute), compute);
  EXPECT_EQ(timeOf(times, TimeClass::ExposedCommunication), exposed);
  EXPECT_EQ(timeOf(times, TimeClass::ExposedMemory), busy - compute - exposed);
  EXPECT_EQ(timeOf(times, TimeClass::Idle), window.length() - busy);
}

void expectIdentities(const Analysis& analysis, RankIndex rank, const RankAccount& account,
                      std::mt19937_64& random) {
  const TimeRange whole = account.pieces.range();
  for (std::size_t i = 0; i < account.pieces.size(); ++i) {
    EXPECT_FALSE(account.pieces.rangeOf(i).empty());
    EXPECT_EQ(account.pieces.rangeOf(i).begin, i == 0 ? whole.begin : account.pieces.rangeOf(i - 1).end);
  }
  const bool areSteps = analysis.stepWindows(rank).areSteps();
  ASSERT_EQ(account.steps.size(), areSteps        ? analysis.stepWindows(rank).steps.size()
                                  : whole.empty() ? std::size_t{0}
                                                  : std::size_t{1});
  for (std::size_t i = 0; i < account.steps.size(); ++i) {
    if (areSteps) {
      EXPECT_EQ(account.steps[i].range, analysis.stepWindows(rank).steps[i].range);
    }
    expectClasses(analysis, rank, account.steps[i].range, account.steps[i].times);
  }
  if (whole.empty()) return;
  std::uniform_int_distribution<TimeNs> any(whole.begin, whole.end);
  for (int round = 0; round < 20; ++round) {
    const auto [begin, end] = std::minmax({any(random), any(random)});
    const TimeNs middle = (begin + end) / 2;
    expectClasses(analysis, rank, {begin, end}, account.pieces.within({begin, end}));
    // Ranges side by side add up, leaf by leaf.
    const LeafTimes both = account.pieces.within({begin, end});
    const LeafTimes left = account.pieces.within({begin, middle});
    const LeafTimes right = account.pieces.within({middle, end});
    for (const LeafTime& part : both)
      EXPECT_EQ(timeOf(left, part.leaf) + timeOf(right, part.leaf), timeOf(both, part.leaf));
  }
}

void expectIdentitiesOf(const fs::path& path) {
  SCOPED_TRACE(path.string());
  const auto trace = loaded(path);
  ASSERT_NE(trace, nullptr);
  const Analysis analysis(trace);
  const JobAccount account = jobAccount(analysis, 2);
  std::mt19937_64 random(7);
  for (const RankIndex rank : analysis.ranks()) expectIdentities(analysis, rank, account.of(rank), random);
}

// Mean over ranks and steps of what is under `name`, in us.
double meanOf(const JobAccount& account, std::string_view name) {
  double sum = 0;
  std::size_t steps = 0;
  for (const RankAccount& rank : account.ranks) {
    for (const StepAccount& step : rank.steps) {
      ++steps;
      for (const LeafTime& part : step.times)
        sum += isUnder(part.leaf, name) ? static_cast<double>(part.time) : 0;
    }
  }
  return sum / static_cast<double>(std::max<std::size_t>(steps, 1)) / 1000;
}

JobAccount accountOf(const test::JobOptions& options) {
  const test::TemporaryFolder folder;
  test::generateJob(options, folder.path());
  const auto trace = loaded(folder.path());
  return jobAccount(Analysis(trace), 2);
}

test::JobOptions eightSteps() {
  test::JobOptions options;
  options.steps = 8;
  options.seed = 7;
  return options;
}

class AccountOfRecordings : public testing::TestWithParam<std::string> {};

} // namespace

TEST_P(AccountOfRecordings, addsUpToEveryStepAndRange) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  for (const fs::path& file : test::recordingsBelow(test::sharedFolder() / "traces" / GetParam()))
    expectIdentitiesOf(file);
  expectIdentitiesOf(test::sharedFolder() / "traces" / GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, AccountOfRecordings, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

TEST(AccountOfCaptures, addsUpToEveryStepAndRange) {
  for (const fs::path& file : test::recordingsBelow(test::captureFolder(""))) expectIdentitiesOf(file);
}

TEST(AccountOfRecordingsByClass, isThePartitionOfTheDevicesTime) {
  const fs::path path = test::sharedFolder() / "oracles" / "partition.csv";
  RANKSCOPE_SKIP_UNLESS(fs::exists(path), "no figures of other programs at " + path.string());
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  int compared = 0;
  for (; std::getline(stream, line); ++compared) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 7U);
    SCOPED_TRACE(cells[0]);
    const auto trace = loaded(test::sharedFolder() / "traces" / cells[0]);
    ASSERT_NE(trace, nullptr);
    const Analysis analysis(trace);
    const RankIndex rank(0);
    ASSERT_EQ(trace->rank(rank).trace->devices.size(), 1U);
    const TimeRange span = analysis.activity(rank).span;
    const LeafTimes times = rankAccount(analysis, rank, accountFacts(analysis, 1)).pieces.within(span);
    const auto expected = [&](std::size_t cell) { return nanosecondsFromMicroseconds(cells[cell]).value(); };
    // The decimals in this file make a span of one nanosecond less.
    const TimeNs rounding = cells[0].starts_with("nccl-2ranks-derived/") ? 1 : 0;
    EXPECT_EQ(span.length(), expected(2) - rounding);
    EXPECT_EQ(timeOf(times, TimeClass::Compute), expected(3));
    EXPECT_EQ(timeOf(times, TimeClass::ExposedCommunication), expected(4));
    EXPECT_EQ(timeOf(times, TimeClass::ExposedMemory), expected(5));
    EXPECT_EQ(timeOf(times, TimeClass::Idle), expected(6) - rounding);
  }
  EXPECT_EQ(compared, 29);
}

TEST(AccountOfGeneratedJobs, addsUpWhateverTheJob) {
  std::mt19937_64 random(20);
  const auto upTo = [&](int maximum) { return std::uniform_int_distribution<int>(0, maximum)(random); };
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    test::JobOptions options;
    options.seed = seed;
    options.ranks = 1 + upTo(3);
    options.steps = 1 + upTo(4);
    options.captures = 1 + upTo(1);
    options.parallelism = static_cast<test::Parallelism>(options.ranks == 4 ? upTo(2) : 0);
    options.overlapPermille = 500 * upTo(2);
    options.syncEachStep = upTo(1) == 0;
    options.overlappingKernels = upTo(1) == 0;
    options.withStack = upTo(1) == 0;
    options.withProfilerSteps = upTo(3) != 0;
    options.pinnedCopies = upTo(1) == 0;
    options.vocabulary = upTo(2) == 0 ? test::Vocabulary::Legacy : test::Vocabulary::Modern;
    options.gaps.push_back({upTo(3) - 1, -1, 1 + upTo(3'000'000), static_cast<test::GapCause>(upTo(4))});
    const test::TemporaryFolder folder;
    test::generateJob(options, folder.path());
    expectIdentitiesOf(folder.path());
  }
}

// A fault on all ranks lies in its leaf: as much of it as the same job gains without it.
TEST(AccountOfGeneratedJobs, aFaultLiesInItsLeaf) {
  struct Fault {
    test::GapCause cause;
    std::string_view leaf;
    double gainUs;
    double tolerance;
  };
  const Fault kFaults[] = {{test::GapCause::Sync, "host.sync", 3040, 152},
                           {test::GapCause::CudaMalloc, "host.alloc", 3020, 151},
                           {test::GapCause::Python, "host.python", 3010, 151},
                           {test::GapCause::LaunchBound, "host.dispatch", 2690, 404},
                           {test::GapCause::DataLoader, "host.input", 3000, 150}};
  const JobAccount healthy = accountOf(eightSteps());
  for (const Fault& fault : kFaults) {
    test::JobOptions options = eightSteps();
    options.withStack = fault.cause == test::GapCause::Python;
    options.gaps = {{-1, -1, 3 * kMs, fault.cause}};
    const JobAccount faulty = accountOf(options);
    EXPECT_NEAR(meanOf(faulty, fault.leaf) - meanOf(healthy, fault.leaf), fault.gainUs, fault.tolerance)
        << fault.leaf;
  }
}

// As long as the generator made them wait beside no computation, step by step.
TEST(AccountOfGeneratedJobs, aSlowRankMakesTheOthersWait) {
  test::JobOptions options = eightSteps();
  options.straggler = {2, 6 * kMs, 0, test::StragglerKind::Compute};
  const test::TemporaryFolder folder;
  const test::JobTruth truth = test::generateJob(options, folder.path());
  const auto trace = loaded(folder.path());
  const JobAccount account = jobAccount(Analysis(trace), 2);
  ASSERT_EQ(account.ranks.size(), 4U);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const std::vector<StepAccount>& steps = account.ranks[rank].steps;
    const std::vector<test::WaitTruth>& waits = truth.files[rank].waits;
    ASSERT_EQ(steps.size(), waits.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(steps[i].number, waits[i].step);
      EXPECT_EQ(timeOf(steps[i].times, Leaf::WaitRank) + timeOf(steps[i].times, Leaf::WaitStart),
                waits[i].exposedNs)
          << "rank " << rank << " step " << i;
    }
  }
}

TEST(AccountOfGeneratedJobs, theLastGradientsAreTheTail) {
  test::JobOptions options = eightSteps();
  const JobAccount account = accountOf(options);
  EXPECT_GT(meanOf(account, "comm.tail"), 100);
  EXPECT_GT(meanOf(account, "comm.tail"), 2 * meanOf(account, "comm.transfer"));
  options.overlapPermille = 0;
  const JobAccount exposed = accountOf(options);
  EXPECT_GT(meanOf(exposed, "comm.transfer"), meanOf(exposed, "comm.tail"));
}

TEST(Account, copiesAreToldApartByWhereTheyGo) {
  HandMadeRank rank;
  rank.device(EventKind::Copy, 7, 0, 10, "Memcpy HtoD (Pageable -> Device)")
      .device(EventKind::Copy, 7, 10, 20, "Memcpy DtoH (Device -> Pinned)")
      .device(EventKind::Copy, 7, 30, 30, "Memcpy DtoD (Device -> Device)")
      .device(EventKind::Copy, 7, 60, 40, "Memcpy PtoP (Device -> Device)")
      .device(EventKind::Set, 7, 100, 50, "Memset (Device)")
      .kernel(8, 120, 5, "kernel");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const Analysis analysis(job.build());
  const LeafTimes times = jobAccount(analysis, 1).of(RankIndex(0)).steps.at(0).times;
  EXPECT_EQ(times, (LeafTimes{{TimeClass::Compute, Leaf::Ideal, 5},
                              {TimeClass::ExposedMemory, Leaf::CopyH2d, 10},
                              {TimeClass::ExposedMemory, Leaf::CopyD2h, 20},
                              {TimeClass::ExposedMemory, Leaf::CopyD2d, 75},
                              {TimeClass::ExposedMemory, Leaf::CopyP2p, 40}}));
}

TEST(Account, aRankWithoutDeviceIsJudgedByItsHost) {
  HandMadeRank rank;
  rank.annotation(0, 10 * kMs, "ProfilerStep#3")
      .annotation(0, 2 * kMs, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
      .op(2 * kMs, 3 * kMs, "aten::linear")
      .hostCollective(4 * kMs, 3 * kMs, "gloo:all_reduce", "9");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const Analysis analysis(job.build());
  const JobAccount account = jobAccount(analysis, 1);
  ASSERT_EQ(account.of(RankIndex(0)).steps.size(), 1U);
  const StepAccount& step = account.of(RankIndex(0)).steps[0];
  EXPECT_EQ(step.number, 3);
  EXPECT_EQ(step.times, (LeafTimes{{TimeClass::Compute, Leaf::Ideal, 3 * kMs},
                                   {TimeClass::ExposedCommunication, Leaf::CommTransfer, 2 * kMs},
                                   {TimeClass::Idle, Leaf::HostInput, 2 * kMs},
                                   {TimeClass::Idle, Leaf::HostDescheduled, 3 * kMs}}));
}

TEST(Account, aHostThatAwaitsAnAnswerOfAnotherProcessCommunicates) {
  HandMadeRank rank;
  rank.annotation(0, 10 * kMs, "ProfilerStep#3")
      .op(0, 3 * kMs, "aten::linear")
      .op(2 * kMs, 6 * kMs, "rpc_async#forward(worker0 -> worker1)");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const Analysis analysis(job.build());
  const JobAccount account = jobAccount(analysis, 1);
  EXPECT_EQ(
      account.of(RankIndex(0)).steps.at(0).times,
      (LeafTimes{{TimeClass::Compute, Leaf::Ideal, 3 * kMs}, {TimeClass::Idle, Leaf::HostComm, 7 * kMs}}));
}

TEST(Account, onlyTheStepsThatWereAskedForAreListed) {
  HandMadeRank rank;
  for (int step = 0; step < 3; ++step)
    rank.annotation(step * kMs, kMs, "ProfilerStep#" + std::to_string(step))
        .launched(step * kMs + 10 * kUs, 7, step * kMs + 100 * kUs, 500 * kUs, "kernel");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const Analysis whole(job.build());
  const Analysis part(whole, {{RankIndex(0)}, {RankRange::of({kMs, 2 * kMs})}});
  const ResultTable table = attributionTable(part, jobAccount(part, 1));
  ASSERT_GT(table.rowCount(), 0U);
  TimeNs sum = 0;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    EXPECT_EQ(std::get<std::int64_t>(table.at(row, 2)), 1);
    sum += std::get<std::int64_t>(table.at(row, 5));
  }
  EXPECT_EQ(sum, kMs);
}

// No step begins there: the rows are of the range, and have no number.
TEST(Account, ofARangeWithinAStepIsThatRange) {
  HandMadeRank rank;
  rank.annotation(0, kMs, "ProfilerStep#4").launched(10 * kUs, 7, 100 * kUs, 500 * kUs, "kernel");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const Analysis whole(job.build());
  const Analysis part(whole, {{RankIndex(0)}, {RankRange::of({400 * kUs, 700 * kUs})}});
  const ResultTable table = attributionTable(part, jobAccount(part, 1));
  TimeNs sum = 0;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    EXPECT_TRUE(table.isEmpty(row, *table.columnNamed("step")));
    sum += std::get<std::int64_t>(table.at(row, *table.columnNamed("time_us")));
  }
  EXPECT_EQ(sum, 300 * kUs);
}

TEST(Account, ofARecordingWithoutMarkedStepsHasNoNumber) {
  HandMadeRank rank;
  rank.launched(10 * kUs, 7, 100 * kUs, 500 * kUs, "kernel");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const Analysis analysis(job.build());
  const JobAccount account = jobAccount(analysis, 1);
  ASSERT_EQ(account.of(RankIndex(0)).steps.size(), 1U);
  EXPECT_EQ(account.of(RankIndex(0)).steps.front().number, Step::kUnknownNumber)
      << "0 is the number of a step";
  const ResultTable table = attributionTable(analysis, account);
  EXPECT_TRUE(table.isEmpty(0, *table.columnNamed("step")));
}

TEST(Leaves, areKnownByTheirNames) {
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    const auto leaf = static_cast<Leaf>(i);
    EXPECT_EQ(leafNamed(leafText(leaf)), leaf);
    EXPECT_TRUE(isUnder(leaf, leafText(leaf)));
  }
  EXPECT_EQ(leafText(Leaf::WaitRank), "wait.rank");
  EXPECT_EQ(leafText(Leaf::Ideal), "ideal");
  EXPECT_EQ(leafText(Leaf::CaptureInit), "capture.init");
  EXPECT_EQ(leafNamed("host.dispatch"), std::nullopt);
  EXPECT_TRUE(isUnder(Leaf::DispatchDdp, "host"));
  EXPECT_TRUE(isUnder(Leaf::DispatchDdp, "host.dispatch"));
  EXPECT_FALSE(isUnder(Leaf::DispatchDdp, "host.dis"));
}

} // namespace rankscope
